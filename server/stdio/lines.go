package stdio

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// MaxMessage is the maximum length of a line from the client, in bytes,
// including the line end.
const MaxMessage = 16 << 20

// readAhead is the size of the read buffer.
const readAhead = 64 << 10

// lines splits the client's input into lines, and holds at most limit bytes of each.
type lines struct {
	r     *bufio.Reader
	limit int
}

func newLines(r io.Reader, limit int) *lines {
	return &lines{r: bufio.NewReaderSize(r, readAhead), limit: limit}
}

// next returns the next line without its line end and surrounding blanks. The
// last line need not end in a line end. The error is io.EOF, a *refusal if a
// line was over the limit and has been skipped, or a read error.
func (l *lines) next() ([]byte, error) {
	var line []byte
	var skipped *scanner // set once the line is over the limit
	size := 0
	for {
		chunk, err := l.r.ReadSlice('\n')
		size += len(chunk)
		switch {
		case size <= l.limit:
			line = append(line, chunk...)
		case skipped == nil:
			skipped, line = scan(line), nil
			fallthrough
		default:
			skipped.feed(chunk)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err == io.EOF && size == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("reading from the client: %w", err)
		case skipped != nil:
			return nil, refuse(skipped.id(), jsonrpc.CodeInvalidRequest,
				"a message of %d bytes is over the limit of %d bytes", size, l.limit)
		default:
			return trimLine(line), nil
		}
	}
}

// trimLine removes what may surround a message: the line end, blanks, and the
// byte order mark that some shells put before piped text.
func trimLine(b []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
}

package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxMessage is how many bytes one line of the client's may have, its line end
// included.
const maxMessage = 16 << 20

// readAhead is the size of the read buffer: lines that fit are never copied.
const readAhead = 64 << 10

// Frames splits the client's input into lines, holding no more than limit
// bytes of any.
type frames struct {
	r     *bufio.Reader
	limit int
	long  []byte // the part so far of a line that outgrew the read buffer
}

func newFrames(r io.Reader, limit int) *frames {
	return &frames{r: bufio.NewReaderSize(r, readAhead), limit: limit}
}

// A tooLong is the error for a line over the limit. The line has been skipped;
// its length and its id, if it had one, are all that was kept.
type tooLong struct {
	size  int64
	limit int
	id    json.RawMessage // nil if there was none
}

func (e *tooLong) Error() string {
	return fmt.Sprintf("a message of %d bytes is over the limit of %d bytes", e.size, e.limit)
}

// next returns the next line without its line end and the blanks around it;
// it is valid until the following call. Input that ends without a line end
// ends its last line too. Errors are io.EOF, a tooLong (next may be called
// again), or what the reader said.
func (f *frames) next() ([]byte, error) {
	f.long = nil
	for {
		chunk, err := f.r.ReadSlice('\n')
		if len(f.long)+len(chunk) > f.limit {
			return nil, f.skip(chunk, err)
		}
		switch {
		case err == nil && f.long == nil:
			return trimLine(chunk), nil
		case err == nil, errors.Is(err, io.EOF) && len(f.long)+len(chunk) > 0:
			return trimLine(append(f.long, chunk...)), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
		f.long = append(f.long, chunk...)
	}
}

// skip reads on to the end of a line of which f.long and chunk are the start,
// err being what came with chunk.
func (f *frames) skip(chunk []byte, err error) error {
	var scan idScanner
	scan.feed(f.long)
	size := int64(len(f.long))
	f.long = nil
	for {
		scan.feed(chunk)
		size += int64(len(chunk))
		if !errors.Is(err, bufio.ErrBufferFull) {
			break
		}
		chunk, err = f.r.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return &tooLong{size: size, limit: f.limit, id: scan.id()}
}

// trimLine removes what surrounds a message without being part of it: the line
// end, blanks, and the byte order mark that some shells put before piped text.
func trimLine(b []byte) []byte {
	return bytes.Trim(bytes.TrimPrefix(b, []byte("\ufeff")), " \t\r\n")
}

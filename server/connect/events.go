package connect

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
)

// maxEvent is the maximum size of one message from a listener.
const maxEvent = 16 << 20

var errLongEvent = errors.New("it sent a message of more than 16 MiB")

// events returns the data of the events in a stream (text/event-stream). A read
// error is yielded as the last element.
func events(r io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		in := bufio.NewReader(r)
		var data []byte
		for {
			line, err := lineOf(in)
			if err != nil {
				if err != io.EOF {
					yield(nil, err)
				}
				return
			}
			value, isData := bytes.CutPrefix(line, []byte("data:"))
			switch {
			case isData && len(data)+len(value) > maxEvent:
				yield(nil, errLongEvent)
				return
			case isData && data != nil:
				data = append(append(data, '\n'), bytes.TrimPrefix(value, []byte(" "))...)
			case isData:
				data = append([]byte{}, bytes.TrimPrefix(value, []byte(" "))...)
			case len(line) == 0 && len(data) > 0:
				if !yield(data, nil) {
					return
				}
				data = nil
			}
		}
	}
}

// lineOf returns the next line without its line end.
func lineOf(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxEvent {
			return nil, errLongEvent
		}
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), nil
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}

package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// An outlet writes whole lines, one at a time.
type outlet struct {
	broken chan struct{} // closed when a write has failed

	mu  sync.Mutex
	w   io.Writer
	err error
}

func newOutlet(w io.Writer) *outlet {
	return &outlet{w: w, broken: make(chan struct{})}
}

// write writes text, which must end with a line end. After a failure, which
// may have left part of a line behind, nothing is written any more.
func (o *outlet) write(text []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		if _, o.err = o.w.Write(text); o.err != nil {
			close(o.broken)
		}
	}
	return o.err
}

// failure is the error that broke the outlet, or nil. It does not wait for a
// write that is stuck.
func (o *outlet) failure() error {
	select {
	case <-o.broken:
		return o.err
	default:
		return nil
	}
}

// answer writes an error answer of the line's own.
func (l *line) answer(no *refusal) error {
	return l.out.write(append(no.encode(), '\n'))
}

// writeBatch writes the answer to a batch, if there is one: a batch of
// notifications gets none.
func (l *line) writeBatch(answers [][]byte) error {
	if len(answers) == 0 {
		return nil
	}
	text := append([]byte{'['}, bytes.Join(answers, []byte{','})...)
	return l.out.write(append(text, "]\n"...))
}

// An sdkWriter gets what go-sdk sends. IOTransport writes each message with one
// Write, line end included, and no batches, as it is sent none.
type sdkWriter struct{ l *line }

func (w sdkWriter) Write(text []byte) (int, error) {
	if err := w.l.send(text); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Close says that the session has ended, which run hears from go-sdk itself.
func (sdkWriter) Close() error { return nil }

// send writes a message of go-sdk's to the client, or keeps it for its batch.
func (l *line) send(text []byte) error {
	head, err := readHead(text)
	if err != nil {
		return fmt.Errorf("a message of go-sdk's cannot be read: %w", err)
	}
	if !head.answer {
		return l.out.write(text)
	}
	key, _ := idKey(head.id)
	c := l.calls.answered(key)
	if c == nil {
		l.log.Warn("dropped an answer to no request", "id", string(head.id))
		return nil
	}
	defer l.calls.settled(c)
	if c.method == methodInitialize && !head.failed {
		l.calls.agree(negotiated(text))
	}
	if head.failed {
		text = legible(text)
	}
	switch {
	case c.cancelled && !(c.method == methodCall && !head.failed && !toolFailed(text)):
		return nil
	case c.batch != nil:
		return l.writeBatch(l.calls.collect(c.batch, bytes.TrimRight(text, "\n")))
	default:
		return l.out.write(text)
	}
}

// A messageHead is what the line must know of a message of go-sdk's.
type messageHead struct {
	id     json.RawMessage
	answer bool // rather than a request or notification
	failed bool // an error answer
}

// readHead reads no further than it must: results may be long, and go-sdk
// writes them last.
func readHead(text []byte) (messageHead, error) {
	var h messageHead
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return h, err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return h, err
		}
		switch name {
		case "method":
			return h, nil
		case "result", "error":
			h.answer, h.failed = true, name == "error"
			if h.id != nil {
				return h, nil
			}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return h, err
		}
		if name == "id" {
			h.id = value
		}
	}
	return h, nil
}

// legible returns an error answer with a code that means something and a message
// of bearable size. go-sdk has no code for a request that comes before the
// handshake and for a second handshake, and sends 0; and it repeats a name that
// it does not know, or parameters that it cannot read, whole.
func legible(text []byte) []byte {
	var answer struct {
		ID    json.RawMessage `json:"id"`
		Error struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error.Code != 0 && len(answer.Error.Message) <= maxWhy {
		return text
	}
	code := cmp.Or(answer.Error.Code, codeInvalid)
	return append(refuse(answer.ID, code, "%s", answer.Error.Message).encode(), '\n')
}

// negotiated is the protocol version in the answer to initialize.
func negotiated(text []byte) string {
	var answer struct {
		Result struct {
			Version string `json:"protocolVersion"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return ""
	}
	return answer.Result.Version
}

// toolFailed reports whether an answer is that of a tool which did not do what
// it was asked.
func toolFailed(text []byte) bool {
	var answer struct {
		Result struct {
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	return json.Unmarshal(text, &answer) == nil && answer.Result.IsError
}

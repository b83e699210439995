package listen

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/server/stdio"
)

// An answer is a ResponseWriter whose client must accept each piece in time.
type answer struct {
	http.ResponseWriter
	on     *http.ResponseController
	now    func() time.Time
	failed error // the first failure to send a piece

	to      stdio.Message // the message that is answered
	refused bool          // a plain-text refusal by the SDK, which arrives in one piece
}

var noDeadline time.Time

// WriteHeader turns the SDK's plain-text refusals into JSON, with the request's id.
func (a *answer) WriteHeader(status int) {
	plain := strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain")
	if a.refused = plain && status == http.StatusBadRequest && a.to.ID != ""; a.refused {
		a.Header().Set("Content-Type", "application/json")
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(piece []byte) (n int, err error) {
	if err = a.deadline(); err == nil {
		n, err = a.send(piece)
	}
	if a.failed == nil {
		a.failed = err
	}
	return n, err
}

func (a *answer) send(piece []byte) (int, error) {
	if !a.refused {
		return a.ResponseWriter.Write(piece)
	}
	_, err := a.ResponseWriter.Write(append(a.to.Refused(string(bytes.TrimSpace(piece))), '\n'))
	return len(piece), err
}

// FlushError is used by http.ResponseController.
func (a *answer) FlushError() error {
	err := a.deadline()
	if err == nil {
		err = a.on.Flush()
	}
	if a.failed == nil {
		a.failed = err
	}
	return err
}

func (a *answer) deadline() error { return a.on.SetWriteDeadline(a.now().Add(writeWithin)) }

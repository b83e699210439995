package listen

import (
	"net/http"
	"time"
)

// An answer is what goes to a client, which has to take each piece of it in time.
type answer struct {
	http.ResponseWriter
	on     *http.ResponseController
	now    func() time.Time
	failed error // of the first piece that could not be sent
}

var noDeadline time.Time

func (a *answer) Write(piece []byte) (n int, err error) {
	if err = a.deadline(); err == nil {
		n, err = a.ResponseWriter.Write(piece)
	}
	if a.failed == nil {
		a.failed = err
	}
	return n, err
}

// FlushError is what http.ResponseController looks for.
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

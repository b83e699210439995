package listen

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/server/stdio"
)

const sessionHeader = "Mcp-Session-Id"

// lastWithSessions is the last protocol version with sessions. They are only
// used to let a client name the call that it cancels.
const lastWithSessions = "2025-11-25"

// post answers one message.
func (l *Listener) post(w http.ResponseWriter, r *http.Request, x *exchange) {
	out := &answer{ResponseWriter: w, on: http.NewResponseController(w), now: l.now}
	if !l.enterLarge(r, x) {
		w.Header().Set("Retry-After", "5")
		l.refuse(out, r, http.StatusServiceUnavailable, "send it again in a while, or send less at once",
			"other long messages are being read")
		return
	}
	defer x.wasRead()
	_ = out.on.SetReadDeadline(l.now().Add(bodyWithin)) // starts again now that the message is going to be read
	text, ok := l.body(out, r)
	if !ok {
		return
	}
	m, no := stdio.ReadMessage(text)
	switch {
	case no != nil:
		reject(out, no)
		return
	case m.Text == nil:
		out.WriteHeader(http.StatusAccepted)
		return
	}
	if x.session = r.Header.Get(sessionHeader); len(x.session) > maxSession {
		l.refuse(out, r, http.StatusBadRequest, "send the one that initialize was answered with",
			"the session's id is too long")
		return
	}
	x.id, x.settling = m.ID, &l.settling
	x.told, x.tell = context.WithCancelCause(context.Background())
	x.left, x.leave = context.WithCancelCause(r.Context())
	defer x.leave(nil)
	defer x.tell(nil)
	if !l.calls.register(x) {
		reject(out, stdio.InUse(m))
		return
	}
	defer l.calls.forget(x)
	if l.stopping.Load() {
		x.tell(errStopping)
	}
	switch {
	case m.Cancels != "":
		l.calls.cancel(x.session, m.Cancels)
	case m.Method == "initialize" && r.Header.Get("Mcp-Protocol-Version") <= lastWithSessions:
		out.Header().Set(sessionHeader, rand.Text())
	case m.Method == "subscriptions/listen":
		l.calls.subscribe(x)
	}
	r = r.WithContext(context.WithValue(x.left, exchangeKey{}, x))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(m.Text)), int64(len(m.Text))
	out.to = m
	l.mcp.ServeHTTP(out, r)
	x.answered(out.failed == nil)
}

// enterLarge waits for a slot if the message is large.
func (l *Listener) enterLarge(r *http.Request, x *exchange) bool {
	x.wasRead = func() {}
	if 0 <= r.ContentLength && r.ContentLength <= largeBody {
		return true
	}
	select {
	case l.large <- struct{}{}:
		x.wasRead = sync.OnceFunc(func() { <-l.large })
		return true
	case <-r.Context().Done():
	case <-time.After(bodyWithin):
	}
	return false
}

// body reads the message. After that the client has no read deadline.
func (l *Listener) body(w *answer, r *http.Request) ([]byte, bool) {
	text, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, maxBody))
	_, long := errors.AsType[*http.MaxBytesError](err)
	switch {
	case long:
		l.refuse(w, r, http.StatusRequestEntityTooLarge, "send less at once", "a message has at most 4 MiB")
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.refuse(w, r, http.StatusRequestTimeout, "send it at once", "the message did not arrive within 30 seconds")
	case err != nil:
		l.refuse(w, r, http.StatusBadRequest, "send it again", "the message arrived incomplete")
	default:
		return text, w.on.SetReadDeadline(noDeadline) == nil
	}
	return nil, false
}

// reject answers anything but a single message with a JSON-RPC error.
func reject(w http.ResponseWriter, text []byte) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(append(bytes.TrimRight(text, "\n"), '\n')) // an error means that the client has gone
}

package stdio

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// afterwards has functions to run after an answer has been written. The SDK
// tells us neither which request a handler answers nor when its answer was
// written, so the result itself carries a mark, which the client never sees.
type afterwards struct {
	mu   sync.Mutex
	last int
	todo map[string]func()

	// doing is held from before such an answer is written until its function
	// has run. Meanwhile nothing that the client sends is passed on, and the
	// session does not end, so a client that has seen the answer can rely on its effect.
	doing sync.Mutex
}

// mark starts a result that has a function to run after it.
const mark = `{"agent-locks/after":"`

// AfterAnswer arranges for todo to run after the client has been sent an
// answer. The function that it returns marks that answer's result, given and
// returned as JSON. todo does not run if there is no answer, because the call
// was canceled, or if ctx does not come from Serve.
func AfterAnswer(ctx context.Context, todo func()) func(result []byte) []byte {
	a, ok := ctx.Value(afterKey{}).(*afterwards)
	if !ok || todo == nil {
		return func(result []byte) []byte { return result }
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	key := strconv.Itoa(a.last)
	if a.todo == nil {
		a.todo = map[string]func(){}
	}
	a.todo[key] = todo
	return func(result []byte) []byte {
		return append([]byte(mark+key+`",`), bytes.TrimPrefix(result, []byte("{"))...)
	}
}

type afterKey struct{}

// unmark removes the mark from an answer, and returns its function, or nil.
func (a *afterwards) unmark(response *jsonrpc.Response) func() {
	rest, marked := bytes.CutPrefix(response.Result, []byte(mark))
	if !marked {
		return nil
	}
	key, rest, _ := bytes.Cut(rest, []byte(`",`))
	response.Result = append([]byte("{"), rest...)
	a.mu.Lock()
	defer a.mu.Unlock()
	todo := a.todo[string(key)]
	delete(a.todo, string(key))
	return todo
}

// settled waits until the functions for the answers written so far have run.
func (a *afterwards) settled() {
	a.doing.Lock()
	defer a.doing.Unlock()
}

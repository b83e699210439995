package stdio

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// What a handler wants done once its answer is out. The SDK says neither which
// request a handler answers nor when the answer was written, so that the result
// itself carries a mark, which the client never sees.
type afterwards struct {
	mu   sync.Mutex
	last int
	todo map[string]func()

	// doing is held from before such an answer is written until that is done.
	// Nothing that the client sends meanwhile is passed on, nor does the session
	// end: who has seen the answer finds it done.
	doing sync.Mutex
}

// mark begins a result that has something to be done after it.
const mark = `{"agent-locks/after":"`

// AfterAnswer arranges that todo is done once the client has been sent the
// answer that begins with the result of the function, which takes the result as
// JSON. It is not done where there is no answer, as to a call that was cancelled,
// nor for a ctx that does not come from Serve.
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

// unmark removes the mark from an answer and returns what it stands for; nil
// where it has none.
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

// settled returns once what was to be done after an answer is done.
func (a *afterwards) settled() {
	a.doing.Lock()
	defer a.doing.Unlock()
}

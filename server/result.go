package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// success returns the result as JSON, followed by any warnings, in at most room
// bytes. The answer is sent only once, as text, which every client reads, and
// not as structured content as well.
func (t Tool) success(result any, warnings []string, room int) *mcp.CallToolResult {
	warnings = fewWarnings(warnings)
	f, err := fit(result, room-frameRoom-wireSize(warningLines(warnings)))
	if err != nil {
		return t.failure(fmt.Errorf("encoding the answer: %w", err), warnings, room)
	}
	if n := f.size(); n > maxAnswer {
		return t.failure(t.tooMuch(n), warnings, room)
	}
	return &mcp.CallToolResult{Content: blocks(f.text, warningLines(append(warnings, t.larger(f.notes)...)))}
}

// larger adds to the notes on a shortened answer how to ask for a longer one.
func (t Tool) larger(notes []string) []string {
	if len(notes) > 0 && slices.Contains(t.names(), "limit") {
		notes[0] += "; a larger limit makes more room"
	}
	return notes
}

// tooMuch returns the error for an answer that no message can hold.
func (t Tool) tooMuch(size int) error {
	if !t.Hints.ReadOnly {
		return &store.Error{Code: store.BadInput,
			Message: fmt.Sprintf("it was done, but the answer would have %d bytes, more than %d", size, maxAnswer),
			Hint:    "do not call again; look with lock_query, agent_id and limit"}
	}
	narrowing := slices.DeleteFunc([]string{"limit", "since", "scope", "text", "lock_id"}, func(name string) bool {
		return !slices.Contains(t.names(), name)
	})
	return &store.Error{Code: store.BadInput,
		Message: fmt.Sprintf("the answer would have %d bytes, more than %d", size, maxAnswer),
		Hint:    "ask for less at once with " + strings.Join(narrowing, ", ")}
}

// failure returns the error message, with the hint on the next line, then the
// error's details as JSON, if any, then the warnings.
func (t Tool) failure(err error, warnings []string, room int) *mcp.CallToolResult {
	err = store.Shortened(err)
	warnings = fewWarnings(warnings)
	sentence, detail := legible.Lines(err.Error()), ""
	e, ok := errors.AsType[*store.Error](err)
	if ok && e.Hint != "" {
		sentence += "\n" + legible.Lines(e.Hint)
	}
	for n := len(sentence); wireSize(sentence) > sentenceRoom; n /= 2 { // escaped text takes up to six times its length
		sentence = legible.Cut(sentence, n)
	}
	if ok && e.Detail != nil {
		f, err := fit(e.Detail, room-frameRoom-wireSize(sentence)-wireSize(warningLines(warnings)))
		if err != nil {
			f.notes = []string{fmt.Sprintf("the details of this error cannot be shown: %v", err)}
		}
		detail, warnings = f.text, append(warnings, f.notes...)
	}
	return &mcp.CallToolResult{IsError: true, Content: blocks(sentence, detail, warningLines(warnings))}
}

// warningLines puts each warning on a line of its own. Newlines within one
// (file names may contain them) are escaped, like everything that could not be seen.
func warningLines(warnings []string) string {
	lines := make([]string, len(warnings))
	for i, w := range warnings {
		lines[i] = "warning: " + legible.Plain(w)
	}
	return strings.Join(lines, "\n")
}

func blocks(texts ...string) []mcp.Content {
	var content []mcp.Content
	for _, text := range texts {
		if text != "" {
			content = append(content, &mcp.TextContent{Text: text})
		}
	}
	return content
}

// A quickResult is a tool's result with a faster encoding than the SDK's: it
// encodes the content once, instead of once for each enclosing type, which for
// a long listing took as long as reading the files.
type quickResult struct {
	*mcp.CallToolResult
	wrap func([]byte) []byte
}

// quickly returns middleware that turns tools' results into quickResults.
func quickly(by connection, log *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			var d delivery
			result, err := next(context.WithValue(ctx, deliveryKey{}, &d), method, req)
			if r, ok := result.(*mcp.CallToolResult); ok && err == nil {
				return quickResult{r, by.afterAnswer(ctx, d.todo(ctx, log))}, nil
			}
			return result, err
		}
	}
}

func (r quickResult) MarshalJSON() ([]byte, error) {
	frame := *r.CallToolResult
	frame.Content = []mcp.Content{}
	text, err := frame.MarshalJSON()
	if err != nil {
		return nil, err
	}
	before, after, _ := bytes.Cut(text, []byte(`"content":[]`))
	encoded := make([][]byte, len(r.Content))
	for i, content := range r.Content {
		if encoded[i], err = content.MarshalJSON(); err != nil {
			return nil, err
		}
	}
	return r.wrap(slices.Concat(before, []byte(`"content":[`), bytes.Join(encoded, []byte(",")), []byte("]"), after)), nil
}

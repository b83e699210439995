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

// success is the JSON of the result, then the warnings if there are any, in no
// more room than that. There is one copy of the answer, in the text, where every
// client looks: no structured content.
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

// larger says, where a tool's answer was cut, how to ask for a longer one.
func (t Tool) larger(notes []string) []string {
	if len(notes) > 0 && slices.Contains(t.names(), "limit") {
		notes[0] += "; a larger limit makes more room"
	}
	return notes
}

// tooMuch refuses an answer that no message holds.
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

// failure is a plain sentence with what to do on the next line, then the JSON
// that says more where the error has it, then the warnings.
func (t Tool) failure(err error, warnings []string, room int) *mcp.CallToolResult {
	err = store.Shortened(err)
	warnings = fewWarnings(warnings)
	sentence, detail := legible.Lines(err.Error()), ""
	e, ok := errors.AsType[*store.Error](err)
	if ok && e.Hint != "" {
		sentence += "\n" + legible.Lines(e.Hint)
	}
	for n := len(sentence); wireSize(sentence) > sentenceRoom; n /= 2 { // what is escaped takes up to six times its bytes
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

// warningLines puts each warning on a line of its own; a newline within one (a
// file name may hold it) is escaped, as all that could not be seen.
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

// A quickResult is encoded as the SDK encodes a tool's result, but goes over its
// content once and not once for each type around it: of a long listing that
// took as long as reading the files.
type quickResult struct {
	*mcp.CallToolResult
	wrap func([]byte) []byte
}

// quickly is middleware that has tools' results encoded as quickResults.
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

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// maxAnswer is the longest answer that is sent. As a text within a message's
// JSON it is up to twice as long, which is what a message may have.
const maxAnswer = stdio.MaxMessage / 2

// success is the JSON of the result, then the warnings if there are any. There
// is one copy of the answer, in the text, where every client looks: no
// structured content.
func (t Tool) success(result any, warnings []string) *mcp.CallToolResult {
	encoded, err := store.Encode(result)
	if err != nil {
		return failure(fmt.Errorf("encoding the answer: %w", err), warnings)
	}
	if len(encoded) > maxAnswer {
		return failure(t.tooMuch(len(encoded)), warnings)
	}
	return &mcp.CallToolResult{Content: blocks(string(encoded), warningLines(warnings))}
}

// tooMuch refuses an answer that no client could read.
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
func failure(err error, warnings []string) *mcp.CallToolResult {
	sentence, detail := err.Error(), ""
	if e, ok := errors.AsType[*store.Error](err); ok {
		if e.Hint != "" {
			sentence += "\n" + e.Hint
		}
		if e.Detail != nil {
			encoded, encodeErr := store.Encode(e.Detail)
			if encodeErr != nil {
				warnings = append(warnings, fmt.Sprintf("the details of this error cannot be shown: %v", encodeErr))
			}
			detail = string(encoded)
		}
	}
	return &mcp.CallToolResult{IsError: true, Content: blocks(legible.Lines(sentence), detail, warningLines(warnings))}
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
type quickResult struct{ *mcp.CallToolResult }

// quickly is middleware that has tools' results encoded as quickResults.
func quickly(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		if r, ok := result.(*mcp.CallToolResult); ok && err == nil {
			return quickResult{r}, nil
		}
		return result, err
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
	return slices.Concat(before, []byte(`"content":[`), bytes.Join(encoded, []byte(",")), []byte("]"), after), nil
}

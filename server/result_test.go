package server

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An answer that no message holds is refused with what to ask instead.
func TestAnswersHaveAnEnd(t *testing.T) {
	t.Parallel()
	const quotes = 2 // around a text
	fits := strings.Repeat("x", maxAnswer-quotes)
	if r := queryTool().success(fits, nil); r.IsError || len(r.Content) != 1 {
		t.Errorf("an answer that fits is refused: %+v", r)
	}
	for tool, way := range map[string]string{
		"lock_query": "with limit, scope, text", "lock_history": "with limit, since, scope, text", "lock_check_conflict": "with scope", "lock_drift": "with lock_id",
	} {
		r := toolNamed(t, tool).success(fits+"x", []string{"odd"})
		text := r.Content[0].(*mcp.TextContent).Text
		if !r.IsError || !strings.HasSuffix(text, way) || !strings.Contains(text, "8388609 bytes, more than 8388608") || len(r.Content) != 2 {
			t.Errorf("%s: %.200q", tool, text)
		}
	}
	r := toolNamed(t, "lock_create").success(fits+"x", nil)
	if text := r.Content[0].(*mcp.TextContent).Text; !r.IsError || !strings.HasPrefix(text, "it was done, but ") || !strings.Contains(text, "do not call again") {
		t.Errorf("of what has been done: %.200q", text)
	}
}

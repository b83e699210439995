package server

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// An answer that no message holds is refused with what to ask instead.
func TestAnswersHaveAnEnd(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for tool, way := range map[string]string{
		"lock_query": "with limit, scope, text", "lock_history": "with limit, since, scope, text", "lock_check_conflict": "with scope", "lock_drift": "with limit, lock_id",
	} {
		r := toolNamed(t, tool).success(strings.Repeat("x", maxAnswer), []string{"odd"}, answerRoom)
		text := r.Content[0].(*mcp.TextContent).Text
		if !r.IsError || !strings.HasSuffix(text, way) || !strings.Contains(text, "more than 8388608") || len(r.Content) != 2 {
			t.Errorf("%s: %.200q", tool, text)
		}
	}
	text := toolNamed(t, "lock_create").tooMuch(maxAnswer + 1).Error()
	if !strings.HasPrefix(text, "it was done, but ") {
		t.Errorf("of what has been done: %.200q", text)
	}
}

// What clients get is what the SDK would have sent, byte for byte.
func TestQuickResultsAreTheSDKs(t *testing.T) {
	t.Parallel()
	encode := func(v any) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, r := range []*mcp.CallToolResult{
		{Content: []mcp.Content{}},
		{Content: blocks("[]")},
		{Content: blocks(`{"title":"<a> & \"content\":[] \u2028 \\"}`, "warning: x\ny\x7f")},
		{Content: blocks("no"), IsError: true},
		{Content: blocks("a"), Meta: mcp.Meta{"x": `"content":[]`}, StructuredContent: map[string]any{"content": []int{}}},
		{Content: []mcp.Content{&mcp.TextContent{Text: "t", Annotations: &mcp.Annotations{Priority: 1}}, &mcp.ImageContent{Data: []byte("i"), MIMEType: "image/png"}}},
	} {
		if got, want := encode(quickResult{r, func(text []byte) []byte { return text }}), encode(r); got != want {
			t.Errorf("encoded as %s, want %s", got, want)
		}
	}
}

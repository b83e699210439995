package setup

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// blanks are what may stand between tokens.
func blanks(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", "", " ", "\n", "\n  ", "\n\t\t", "\r\n", " // c\n", "/* c */", "\n  // c\n  ", " \n\n "}).Draw(t, "blanks")
}

// document draws a value as no formatter would lay it out, with the names
// that matter in places where they do and where they do not.
func document(t *rapid.T, depth int, names ...string) string {
	comma := func(n int) string {
		if n > 0 && rapid.Bool().Draw(t, "trailing comma") {
			return "," + blanks(t)
		}
		return ""
	}
	n := rapid.IntRange(0, 3).Draw(t, "items")
	list := make([]string, n)
	object := names != nil || rapid.Bool().Draw(t, "object")
	if names == nil {
		names = []string{"a", "hooks", "mcpServers", "matcher", "command"}
	}
	names = rapid.Permutation(names).Draw(t, "names")
	for i := range list {
		value := rapid.SampledFrom([]string{"1", `"// no comment"`, `"agent-locks"`, "null", "[]", "{}", "{ }", "[\n]"}).Draw(t, "value")
		var inner []string
		switch name := names[i%len(names)]; {
		case !object:
		case name == "mcpServers" || name == "servers":
			inner = []string{"other", "b", "agent-lock"}
		case name == "hooks":
			inner = []string{"Stop", "PreToolUse", "SessionEnd"}
		}
		if depth > 0 && (inner != nil || rapid.Bool().Draw(t, "nested")) {
			value = document(t, depth-1, inner...)
		}
		if object {
			value = `"` + names[i] + `"` + blanks(t) + ":" + blanks(t) + value
		}
		list[i] = blanks(t) + value + blanks(t)
	}
	open, end := "[", "]"
	if object {
		open, end = "{", "}"
	}
	return open + strings.Join(list, ",") + comma(n) + blanks(t) + end
}

func TestAnyLayout(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(r *rapid.T) {
		doc := []byte(blanks(r) + document(r, 3, "hooks", "mcpServers", "servers", "a") + blanks(r))
		for name, parts := range sets() {
			after, err := add(doc, parts)
			if err != nil {
				continue // another type where ours would go
			}
			accepted++
			again, err := add(after, parts)
			if err != nil || string(again) != string(after) {
				r.Fatalf("%s added twice to %q: %v\n%q, then\n%q", name, doc, err, after, again)
			}
			back, err := take(after, parts)
			if err != nil || string(back) != string(doc) {
				r.Fatalf("%s taken out again: %v\n%q became\n%q and then\n%q", name, err, doc, after, back)
			}
		}
	})
	if accepted < 50 {
		t.Errorf("only %d documents were accepted", accepted)
	}
}

package render

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestWaysOutNameEveryFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	writeWaysOut(&b, store.Guarded{Blocked: []store.Hold{{Files: []string{"src/one.ts", "src/two 2.ts"}}, {Files: []string{"src/one.ts", "three"}}}}, false)
	for _, line := range []string{"agent-locks wait --timeout 600 -- src/one.ts 'src/two 2.ts' three\n", "git reset -q -- :/src/one.ts ':/src/two 2.ts' :/three\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is missing in:\n%s", line, b.String())
		}
	}
}

// What a commit has too much of is counted outside the commands, which stay
// such that they can be typed.
func TestWaysOutOfManyFiles(t *testing.T) {
	t.Parallel()
	files := strings.Fields("a b c d e f g")
	const more = "   (and 2 more: agent-locks guard check --json)"
	if got := Entries(files); got != "a b c d e"+more {
		t.Error(got)
	}
	if got := OnPaths("git reset -q", files); got != "git reset -q -- :/a :/b :/c :/d :/e"+more {
		t.Error(got)
	}
}

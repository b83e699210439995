package cli

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestWaysOutNameEveryFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	printWaysOut(&b, store.Guarded{Blocked: []store.Hold{{Files: []string{"src/one.ts", "src/two 2.ts"}}, {Files: []string{"src/one.ts", "three"}}}})
	for _, line := range []string{"agent-locks wait -- src/one.ts 'src/two 2.ts' three\n", "git reset -q -- :/src/one.ts ':/src/two 2.ts' :/three\n"} {
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
	if got := entryWords(files); got != "a b c d e"+more {
		t.Error(got)
	}
	if got := onPaths("git reset -q", files); got != "git reset -q -- :/a :/b :/c :/d :/e"+more {
		t.Error(got)
	}
}

// oddTexts are what a file may be called; none ends in a newline.
var oddTexts = []string{
	"", "a", "a b", "it's", `a\b`, "a\nb", "\xff'%d\\", "-n", "-\x1b", "$(x)`y`\"", "\u202e'", "a\u0085", "\u00e9", "100%", "!x", "~", "*", "\t",
}

// A shell reads each word as the text it was.
func TestShellQuoted(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, text := range oddTexts {
		word := shellQuoted(text)
		out, err := exec.Command(sh, "-c", "printf '[%s]' "+word).CombinedOutput()
		if err != nil || string(out) != "["+text+"]" || plain(word) != word {
			t.Errorf("%q is read as %q, %v, from %s", text, out, err, word)
		}
	}
}

func TestOnPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"src/a.go", "\u00e9"}, "git reset -q -- :/src/a.go ':/\u00e9'"},
		{[]string{"_a"}, "git reset -q -- ':(top,literal)_a'"}, // :/_ is magic that git does not know
		{[]string{"app/[id].ts"}, "git reset -q -- ':(top,literal)app/[id].ts'"},
		{[]string{"a", "b\n"}, `printf ':/a\000:/b\012\000' | git reset -q --pathspec-from-file=- --pathspec-file-nul`},
	} {
		if got := onPaths("git reset -q", c.paths); got != c.want {
			t.Errorf("%q: %s, want %s", c.paths, got, c.want)
		}
	}
}

package render

import (
	"os/exec"
	"testing"
)

// oddTexts are what a file may be called; none ends in a newline.
var oddTexts = []string{
	"", "a", "a b", "it's", `a\b`, "a\nb", "\xff'%d\\", "-n", "-\x1b", "$(x)`y`\"", "\u202e'", "a\u0085", "\u00e9", "100%", "!x", "~", "*", "\t",
}

// A shell reads each word as the text it was.
func TestQuoted(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, text := range oddTexts {
		word := Quoted(text)
		out, err := exec.Command(sh, "-c", "printf '[%s]' "+word).CombinedOutput()
		if err != nil || string(out) != "["+text+"]" || Plain(word) != word {
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
		if got := OnPaths("git reset -q", c.paths); got != c.want {
			t.Errorf("%q: %s, want %s", c.paths, got, c.want)
		}
	}
}

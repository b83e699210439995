package shell_test

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"

	"github.com/agent-locks/agent-locks/store/shell"
)

// oddTexts are possible file names; none ends in a newline.
var oddTexts = []string{
	"", "a", "a b", "it's", `a\b`, "a\nb", "\xff'%d\\", "-n", "-\x1b", "$(x)`y`\"", "\u202e'", "a\u0085", "\u00e9", "100%", "!x", "~", "*", "\t",
	"`touch pwned`", "a;b", "&", "#a", "=x", "{a,b}", "\u200d", "a\U000e0041",
}

// A shell reads each word as the original text.
func TestWord(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	for _, text := range oddTexts {
		word := shell.Word(text)
		out, err := exec.Command(sh, "-c", "printf '[%s]' "+word).CombinedOutput()
		if err != nil || string(out) != "["+text+"]" {
			t.Errorf("%q is read as %q, %v, from %s", text, out, err, word)
		}
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q cannot be shown", word)
		}
	}
	out, err := exec.Command(sh, "-c", "printf '[%s]' "+shell.Words(oddTexts...)).CombinedOutput()
	if want := "[" + strings.Join(oddTexts, "][") + "]"; err != nil || string(out) != want {
		t.Errorf("all of them are read as %q, %v", out, err)
	}
}

package render

import (
	"strings"
	"testing"
	"unicode"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"letters", "Müller 物語 עברית", "Müller 物語 עברית"},
		{"an emoji with joiner and selector", "👩\u200d💻 ❤\ufe0f", "👩\u200d💻 ❤\ufe0f"},
		{"colour and title sequences", "red \x1b[31m \x1b]0;owned\a \r over", `red \x1b[31m \x1b]0;owned\a \r over`},
		{"tab and line feed", "a\tb\nc", `a\tb\nc`},
		{"DEL and NUL", "\x7f\x00", `\x7f\x00`},
		{"C1: CSI as one character", "\u009b31m", `\u009b31m`},
		{"C1 as a raw byte", "\x9b31m", `\x9b31m`},
		{"bidi override and isolate", "\u202egnp.exe \u2066x\u2069", `\u202egnp.exe \u2066x\u2069`},
		{"line and paragraph separator", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"invisible tags", "a\U000e0041", `a\U000e0041`},
		{"byte order mark", "\ufeffa", `\ufeffa`},
		{"the replacement character itself", "\ufffd", "\ufffd"},
		{"what looks like an escape stays", `src\*.ts`, `src\*.ts`},
	} {
		if got := Plain(c.in); got != c.want {
			t.Errorf("%s: Plain(%q) is %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b[0m\u202e\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Plain(s)
		if strings.IndexFunc(got, unicode.IsControl) >= 0 || strings.ToValidUTF8(got, "") != got {
			t.Errorf("Plain(%q) is %q", s, got)
		}
		if Plain(got) != got {
			t.Errorf("Plain(%q) changes when made plain again", got)
		}
	})
}

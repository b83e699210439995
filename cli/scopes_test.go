package cli

import (
	"strings"
	"testing"
)

func TestExpandedGlobs(t *testing.T) {
	t.Parallel()
	there := strings.Fields(".hidden a.ts b.ts c.md auth1.go auth2.go auth3.go login.go login_test.go")
	for _, c := range []struct{ given, want string }{
		{"a.ts b.ts", "*.ts"},
		{"a.ts b.ts c.md auth1.go auth2.go auth3.go login.go login_test.go", "*"},
		{"auth1.go auth2.go auth3.go login.go login_test.go", "*.go"},
		{"auth1.go auth2.go auth3.go", "auth*"},
		{"login.go login_test.go", ""}, // two files that were named
		{"auth1.go auth2.go", ""},
		{"a.ts c.md", ""},
		{"a.ts gone.ts", ""},
	} {
		if got := expandedFrom(strings.Fields(c.given), there); got != c.want {
			t.Errorf("%s: %q, want %q", c.given, got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"login", "Fix", "Fix login", "fix v1.2 bug", "Makefile", "größer"} {
		if !isWord(word) {
			t.Errorf("%q is not a word", word)
		}
	}
	for _, path := range []string{"", ".", "..", "./x", "src/", "*.ts", "go.mod", ".env", "{a,b}", "custom://port-1", "@Makefile", `a\b`, "src/my file"} {
		if isWord(path) {
			t.Errorf("%q is a word", path)
		}
	}
}

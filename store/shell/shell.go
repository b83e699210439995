// Package shell spells text as words of a POSIX shell's command line, for the
// commands that messages print: they can be pasted, whatever a path or an id
// holds, and mean what they say. Go's %q does not do that: within its quotes a
// shell runs `...` and $(...).
//
// The result can be shown on a terminal: what a terminal does not print is
// left to printf.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unquoted are the characters that mean nothing to a shell.
const unquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@+"

// Word is s as one word. A newline at the end would be lost where printf is
// needed, so s must not have one.
func Word(s string) string {
	switch {
	case !Printable(s):
		return `"$(printf '` + Format(s) + `')"`
	case s != "" && strings.Trim(s, unquoted) == "":
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words is a command line that a shell splits into args.
func Words(args ...string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Word(arg)
	}
	return strings.Join(words, " ")
}

// Format is s as printf's format, within single quotes: the bytes that cannot
// be shown are octal, as POSIX has them.
func Format(s string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case !unicode.IsPrint(r) || r == utf8.RuneError && n == 1 || r == '-' && i == 0: // no option
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '\\' || r == '%':
			b.WriteString(s[i:i+n] + s[i:i+n])
		case r == '\'':
			b.WriteString(`'\''`)
		default:
			b.WriteString(s[i : i+n])
		}
	}
	return b.String()
}

// Printable reports whether a terminal prints each character of s.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

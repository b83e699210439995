package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/store"
)

// Other people's text in commands for a POSIX shell: what is printed can be
// typed, and means what it says.

// shownWords is how many files are spelt out in a command.
const shownWords = 5

// Quoted is a text as one word. What a terminal must not be sent is left
// to printf; a newline at the end would be lost, so the text must not have one.
func Quoted(s string) string {
	if Plain(s) != s {
		return `"$(printf '` + printfFormat(s) + `')"`
	}
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// printfFormat is a text as printf's format, within single quotes: the bytes
// that cannot be shown are octal, as POSIX has them.
func printfFormat(s string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case hazardous(r) || r == utf8.RuneError && n == 1 || r == '-' && i == 0: // no option
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

// Entries are files, as locks name them, as words that are entries of a
// scope for these files alone.
func Entries(files []string) string {
	words := make([]string, min(len(files), shownWords))
	for i := range words {
		words[i] = Quoted(store.ScopeEntry(files[i]))
	}
	return strings.Join(words, " ") + beyondShown(files)
}

// OnPaths is a command of git's on files, as git names them: of the root,
// wherever the reader stands.
func OnPaths(command string, paths []string) string {
	shown := paths[:min(len(paths), shownWords)]
	words, format, odd := "", "", false
	for _, path := range shown {
		words += " " + Quoted(pathspec(path))
		format += printfFormat(pathspec(path)) + `\000`
		odd = odd || Plain(path) != path
	}
	if odd { // also those that end in a newline
		return "printf '" + format + "' | " + command + " --pathspec-from-file=- --pathspec-file-nul" + beyondShown(paths)
	}
	return command + " --" + words + beyondShown(paths)
}

// pathspec names one file of the root to git: in short where that can mean
// nothing else (git-glossary(7), pathspec).
func pathspec(path string) string {
	first, _ := utf8.DecodeRuneInString(path)
	if (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsAny(path, `*?[\`) {
		return ":/" + path
	}
	return ":(top,literal)" + path
}

// beyondShown counts the files that a command does not name.
func beyondShown(files []string) string {
	if more := len(files) - shownWords; more > 0 {
		return fmt.Sprintf("   (and %d more: agent-locks guard check --json)", more)
	}
	return ""
}

// CommandLine is a command line that a shell would split into args.
func CommandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Quoted(arg)
	}
	return strings.Join(words, " ")
}

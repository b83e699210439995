package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// Other people's text in commands for a POSIX shell: the commands can be
// pasted, and mean what they say.

// shownWords is how many files are listed in a command.
const shownWords = 5

// Entries formats files, as locks name them, as shell words that are scope
// entries for exactly these files.
func Entries(files []string) string {
	words := make([]string, min(len(files), shownWords))
	for i := range words {
		words[i] = shell.Word(store.ScopeEntry(files[i]))
	}
	return strings.Join(words, " ") + beyondShown(files)
}

// OnPaths applies a git command to files that git has named, relative to the
// root. It works from any directory.
func OnPaths(command string, paths []string) string {
	shown := paths[:min(len(paths), shownWords)]
	words, format, odd := "", "", false
	for _, path := range shown {
		words += " " + shell.Word(pathspec(path))
		format += shell.Format(pathspec(path)) + `\000`
		odd = odd || !shell.Printable(path)
	}
	if odd { // including those that end in a newline
		return "printf '" + format + "' | " + command + " --pathspec-from-file=- --pathspec-file-nul" + beyondShown(paths)
	}
	return command + " --" + words + beyondShown(paths)
}

// pathspec returns a pathspec for one file relative to the root, in its short
// form if that is unambiguous (git-glossary(7), pathspec).
func pathspec(path string) string {
	first, _ := utf8.DecodeRuneInString(path)
	if (unicode.IsLetter(first) || unicode.IsDigit(first)) && !strings.ContainsAny(path, `*?[\`) {
		return ":/" + path
	}
	return ":(top,literal)" + path
}

// beyondShown counts the files that a command does not list.
func beyondShown(files []string) string {
	if more := len(files) - shownWords; more > 0 {
		return fmt.Sprintf("   (and %d more: agent-locks guard check --json)", more)
	}
	return ""
}

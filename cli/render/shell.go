package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// Other people's text in commands for a POSIX shell: what is printed can be
// typed, and means what it says.

// shownWords is how many files are spelt out in a command.
const shownWords = 5

// Entries are files, as locks name them, as words that are entries of a
// scope for these files alone.
func Entries(files []string) string {
	words := make([]string, min(len(files), shownWords))
	for i := range words {
		words[i] = shell.Word(store.ScopeEntry(files[i]))
	}
	return strings.Join(words, " ") + beyondShown(files)
}

// OnPaths is a command of git's on files, as git names them: of the root,
// wherever the reader stands.
func OnPaths(command string, paths []string) string {
	shown := paths[:min(len(paths), shownWords)]
	words, format, odd := "", "", false
	for _, path := range shown {
		words += " " + shell.Word(pathspec(path))
		format += shell.Format(pathspec(path)) + `\000`
		odd = odd || !shell.Printable(path)
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

package paths

import (
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Afar is a reader for a caller from elsewhere, which stands in no directory here:
// a scope begins at the repository's root. What is looked up is looked up in the
// worktree that the call names, else in the main one, and never out of them.
func Afar(repo *gitdir.Repo, warn func(format string, args ...any)) *Reader {
	r := New(repo, warn)
	r.afar = true
	if r.in == "" {
		r.in = repo.NamedWorktree(gitdir.MainName)
	}
	return r
}

// fromElsewhere refuses an entry of a caller from elsewhere that would be relative
// to its directory.
func (r *Reader) fromElsewhere(text string) error {
	if !r.afar {
		return nil
	}
	path := strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(text), "@"), `\`, "/")
	first, _, _ := strings.Cut(path, "/")
	if !slices.Contains([]string{".", ".."}, first) {
		return nil
	}
	return fault.New(fault.BadScope, "%s is relative to a directory, and a remote caller has none",
		fault.InQuotes(text)).
		WithHint("begin at the repository's root, as in src/auth/**; ** is all of it")
}

// hintAfar is a hint for a caller from elsewhere, to whom "./" and "." are refused:
// brackets around its first character make a name of what looks like none.
func hintAfar(entry, hint string) string {
	hint = strings.Replace(hint, `"." is the directory you are in`, "** is all of it", 1)
	way, _, written := strings.Cut(hint, " is written ")
	switch {
	case !written:
		return hint
	case strings.ContainsRune("~$%", rune(entry[0])):
		return way + " is written " + fault.InQuotes("["+entry[:1]+"]"+entry[1:])
	}
	way, _, _ = strings.Cut(hint, "; ")
	return way
}

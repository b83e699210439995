package paths

import (
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Afar returns a Reader for a remote caller, which has no working directory
// here: its scopes start at the repository's root. Names are looked up in the
// worktree that the call specifies, or else in the main one, and never outside
// it.
func Afar(repo *gitdir.Repo, warn func(format string, args ...any)) *Reader {
	r := New(repo, warn)
	r.afar = true
	if r.in == "" {
		r.in = repo.NamedWorktree(gitdir.MainName)
	}
	return r
}

// fromElsewhere rejects a remote caller's entry that is relative to a working
// directory.
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

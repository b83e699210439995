package cli

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// A scope may be given as arguments and with --scope. An argument may also be a
// word that was meant for something else, or one of the names to which a shell
// has expanded a glob.

func scopeFlag(f *pflag.FlagSet, to *[]string, help string) {
	f.StringArrayVar(to, "scope", nil, help)
}

// refuseWords refuses arguments that look like plain words and name nothing
// here; hint says where such words may belong. known reports whether a word is
// valid for another reason; it may be nil.
func (a *app) refuseWords(
	ctx context.Context, args []string, known func(word string) bool, hint func(words []string) string,
) error {
	if !slices.ContainsFunc(args, isWord) {
		return nil
	}
	repo, err := a.repository(ctx, a.baseDir)
	if err != nil {
		return err
	}
	if repo.Worktree == "" {
		return nil // nothing can be looked up
	}
	words := slices.DeleteFunc(slices.Clone(args), func(arg string) bool {
		return !isWord(arg) || namesSomething(repo, arg) || known != nil && known(arg) || isDeleted(ctx, repo, arg)
	})
	if len(words) == 0 {
		return nil
	}
	said := hint(words)
	if a.isLock(ctx, words[0]) {
		said = fmt.Sprintf("a lock is called that: agent-locks show %s; %s", words[0], said)
	}
	return usage(said, "%q names nothing here", words[0])
}

// refuseIdleWords is refuseWords for queries, which would answer a lock's name
// with "nobody". It accepts what an active lock covers: such a file may not
// exist yet, or be in another worktree.
func (a *app) refuseIdleWords(ctx context.Context, args []string, hint func(words []string) string) error {
	return a.refuseWords(ctx, args, func(word string) bool {
		ans, err := a.locks.Query(ctx, store.QueryRequest{Target: a.target(), Scope: []string{word}})
		return err == nil && len(ans.Result) > 0
	}, hint)
}

// isLock reports whether word is a lock's whole id or slug.
func (a *app) isLock(ctx context.Context, word string) bool {
	ans, err := a.locks.Show(ctx, store.ShowRequest{Target: a.target(), Ref: store.Ref{LockID: word}})
	return err == nil && (ans.Result.ID == word || lockfile.SlugOf(ans.Result.ID) == word)
}

// isDeleted reports whether HEAD has a file of that name.
func isDeleted(ctx context.Context, repo *gitdir.Repo, name string) bool {
	return slices.ContainsFunc([]string{"", repo.Prefix}, func(dir string) bool {
		_, err := repo.Git(ctx, "rev-parse", "--verify", "--quiet", "HEAD:"+path.Join(dir, name))
		return err == nil
	})
}

// isCommit reports whether git can resolve a name to a commit, as it can a
// branch's.
func isCommit(ctx context.Context, repo *gitdir.Repo, name string) bool {
	_, err := repo.Git(ctx, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	return err == nil
}

// isWord reports whether arg does not look like a path or a glob.
func isWord(arg string) bool {
	return arg != "" && !strings.ContainsAny(arg, "/\\*?[]{}()!:@~$%#\"'`") &&
		(!strings.Contains(arg, ".") || strings.Contains(arg, " "))
}

// namesSomething reports whether a name exists in the worktree's root or in the
// caller's directory.
func namesSomething(repo *gitdir.Repo, name string) bool {
	return slices.ContainsFunc([]string{repo.Worktree, repo.Dir}, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err == nil
	})
}

// quoteTitle returns the hint for words that were probably meant for the title.
func quoteTitle(title *string) func(words []string) string {
	return func(words []string) string {
		const later = "a path that does not exist yet goes after --scope"
		switch {
		case title == nil && len(words) == 1 && strings.Contains(words[0], " "):
			return fmt.Sprintf("is it the title? as in -t %s; %s", shell.Word(words[0]), later)
		case title != nil && len(words) == 1 && !strings.Contains(words[0], " "):
			return fmt.Sprintf("quote the title? as in -t %s; what is not a file (a port, a database) is custom://%s; %s",
				shell.Word(*title+" "+words[0]), words[0], later)
		case title != nil:
			words = append([]string{*title}, words...)
		}
		return fmt.Sprintf("quote the title? as in -t %s; %s", shell.Word(strings.Join(words, " ")), later)
	}
}

// filterBy is the hint for words that were probably meant as a search text.
func filterBy(words []string) string {
	scopes := ""
	for _, word := range words {
		scopes += " --scope " + shell.Word(word)
	}
	return fmt.Sprintf("for words in titles and notes: --text %s; for a path that is gone:%s",
		shell.Word(strings.Join(words, " ")), scopes)
}

// laterPath is the hint for words in a query.
func laterPath(words []string) string {
	return "a path that does not exist yet goes after --scope, as in --scope " + shell.Word(words[0])
}

// warnExpanded warns if a shell seems to have expanded a glob: the claim would
// not cover files that are created later.
func (a *app) warnExpanded(scope []string) {
	dir, err := a.Getwd()
	if err != nil {
		return
	}
	names := map[string][]string{} // by directory
	for _, text := range scope {
		parent, name := filepath.Split(filepath.Clean(text))
		names[parent] = append(names[parent], name)
	}
	for _, text := range scope { // in the order given
		parent, _ := filepath.Split(filepath.Clean(text))
		given := names[parent]
		delete(names, parent)
		if len(given) < 2 || filepath.IsAbs(parent) {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(dir, parent))
		if err != nil {
			continue
		}
		var there []string
		for _, e := range entries {
			there = append(there, e.Name())
		}
		if glob := expandedFrom(given, there); glob != "" {
			a.warn([]string{fmt.Sprintf("%q and %d more are all that %q names now: "+
				"quote the glob, so that it covers files to come as well", text, len(given)-1, filepath.ToSlash(parent)+glob)})
			return
		}
	}
}

// expandedFrom returns the glob that a shell would expand to exactly the given
// names of a directory: all names, all with one extension or, for three names
// or more, all with a common prefix or suffix. It returns "" if there is no
// such glob.
func expandedFrom(given, there []string) string {
	first := given[0]
	head, tail := len(first), len(first)
	for _, name := range given[1:] {
		head, tail = min(head, commonHead(first, name)), min(tail, commonTail(first, name))
	}
	type glob struct{ head, tail string }
	globs := []glob{{"", ""}}
	if dot := strings.LastIndexByte(first, '.'); dot > 0 && len(first)-dot <= tail {
		globs = append(globs, glob{"", first[dot:]})
	}
	if len(given) > 2 {
		globs = append(globs, glob{first[:head], ""}, glob{first[:head], first[len(first)-min(tail, len(first)-head):]})
	}
	given = slices.Sorted(slices.Values(given))
	for _, g := range globs {
		var named []string
		for _, name := range there {
			if strings.HasPrefix(name, g.head) && strings.HasSuffix(name, g.tail) && (g.head != "" || name[0] != '.') {
				named = append(named, name)
			}
		}
		slices.Sort(named)
		if slices.Equal(named, given) {
			return g.head + "*" + g.tail
		}
	}
	return ""
}

func commonHead(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

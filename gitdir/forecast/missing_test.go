package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// git merges a commit whose tree is missing as if it had no files. What comes of that is
// no answer, whichever of the trees is missing.
func TestTreesThatAreMissing(t *testing.T) {
	t.Parallel()
	deletes := func(s *sandbox) {
		s.remove("w/g")
		s.commit("w")
		s.edit("main/g", 3, "mine")
		s.commit("main")
	}
	for name, c := range map[string]struct {
		prepare func(s *sandbox)
		tree    string // of which commit
	}{
		"theirs":         {deletes, "w"},
		"the ancestor's": {deletes, "main~"},
		"an ancestor's of several ancestors": {func(s *sandbox) {
			for _, dir := range []string{"main", "w"} {
				s.write(dir+"/of-"+dir, "x\n")
				s.commit(dir)
				s.git(dir, "tag", "of-"+dir)
			}
			s.git("main", "merge", "-q", "-m", "m", "of-w")
			s.git("w", "merge", "-q", "-m", "m", "of-main")
			deletes(s)
		}, "of-w~"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			c.prepare(s)
			s.git("main", "branch", "theirs", "w")
			s.git("main", "worktree", "remove", "../w")
			s.wants(s.told(s.ask("main", forecast.Request{Against: "theirs"})), `main theirs deleted_there "g"`)
			tree := s.git("main", "rev-parse", c.tree+"^{tree}")
			s.remove("main/.git/objects/" + tree[:2] + "/" + tree[2:])
			s.missing(s.ask("main", forecast.Request{Against: "theirs"}), tree)
		})
	}
}

// Nor is it where another worktree has the same files, whose snapshot has that tree.
func TestTreeThatASnapshotWritesAnew(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "worktree", "add", "-q", "../v", "-b", "v")
	s.edit("w/f", 3, "w")
	s.edit("v/g", 3, "v")
	s.commit("w")
	s.commit("v")
	s.wants(s.told(s.ask("w", forecast.Request{All: true})))
	tree := s.git("main", "rev-parse", "main^{tree}")
	s.remove("main/.git/objects/" + tree[:2] + "/" + tree[2:])
	res := s.ask("w", forecast.Request{All: true})
	if judged(res) != 0 || !strings.Contains(s.told(res)[0], tree) {
		t.Errorf("%q", s.told(res))
	}
}

// HEAD's tree may be missing while other changes are uncommitted: git would commit and
// merge nothing there.
func TestTreeOfHeadIsMissingBesideChanges(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.edit("w/f", 3, "w")
	s.commit("w")
	s.remove("w/g")
	tree := s.git("w", "rev-parse", "HEAD^{tree}")
	s.remove("main/.git/objects/" + tree[:2] + "/" + tree[2:])
	if p := s.ask("w", forecast.Request{}).Pairs; len(p) != 1 || len(p[0].Files) > 0 || !strings.Contains(p[0].Why, tree) {
		t.Errorf("%+v", p)
	}
}

// missing wants no pair judged, and to be told which tree is not there.
func (s *sandbox) missing(res *forecast.Result, tree string) {
	s.Helper()
	if judged(res) != 0 || len(res.Pairs) != 1 || len(res.Pairs[0].Files) != 0 ||
		!strings.Contains(res.Pairs[0].Why, tree) {
		s.Errorf("judged %d: %q", judged(res), s.told(res))
	}
}

// A clone without trees has only those of what was checked out. Nothing is fetched.
func TestTreelessClones(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "config", "uploadpack.allowFilter", "true")
	s.git("main", "config", "uploadpack.allowAnySHA1InWant", "true")
	s.remove("w/g")
	s.commit("w")
	s.edit("main/g", 3, "mine")
	s.commit("main")
	base, theirs := s.git("main", "rev-parse", "main~^{tree}"), s.git("main", "rev-parse", "w^{tree}")
	s.git("", "clone", "-q", "--filter=tree:0", "file://"+s.path("main"), "treeless")
	s.missing(s.ask("treeless", forecast.Request{Against: "origin/w"}), theirs)
	s.git("treeless", "ls-tree", "-r", theirs)
	s.missing(s.ask("treeless", forecast.Request{Against: "origin/w"}), base)
	s.git("treeless", "ls-tree", "-r", base)
	s.git("treeless", "show", "--stat", "origin/w", "main")
	s.wants(s.told(s.ask("treeless", forecast.Request{Against: "origin/w"})), `treeless origin/w deleted_there "g"`)
}

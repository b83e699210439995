package forecast_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// What is marked to count as unchanged does, also where it is gone, as with `git add -A`.
func TestFilesThatCountAsUnchanged(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"--assume-unchanged", "--skip-worktree"} {
		for what, change := range map[string]func(s *sandbox){
			"deleted": func(s *sandbox) { s.remove("w/f") },
			"changed": func(s *sandbox) { s.edit("w/f", 5, "theirs") },
		} {
			t.Run(mark+" "+what, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				s.two()
				s.edit("main/f", 5, "mine")
				s.git("w", "update-index", mark, "f")
				change(s)
				s.wants(s.told(s.ask("main", forecast.Request{})))
				s.git("w", "add", "-A")
				s.wants([]string{s.git("w", "diff", "--cached", "--name-only")}, "")
			})
		}
	}
}

// The index of a worktree that has none is HEAD's, unless it has no files either: then
// nothing was checked out there yet.
func TestWorktreesWithoutAnIndex(t *testing.T) {
	t.Parallel()
	const index = "main/.git/worktrees/w/index"
	deleted := `"DIR/w" has no index: of HEAD's files, those that are not there count as deleted`
	for name, c := range map[string]struct {
		prepare func(s *sandbox)
		note    string
		want    []string
	}{
		"all files are there": {func(s *sandbox) { s.remove(index); s.edit("w/f", 5, "theirs") },
			deleted, []string{conflictInF}},
		"one that is ignored, too": {func(s *sandbox) {
			s.remove(index)
			s.write("w/.gitignore", "f\n")
			s.edit("w/f", 5, "theirs")
		}, deleted, []string{conflictInF}},
		"one is gone": {func(s *sandbox) { s.remove(index); s.remove("w/f") },
			deleted, []string{`main w deleted_there "f"`}},
		"none was checked out": {func(s *sandbox) {
			s.git("main", "worktree", "remove", "../w")
			s.git("main", "worktree", "add", "-q", "--no-checkout", "../w", "w")
		}, "", nil},
		"a sparse checkout": {func(s *sandbox) { s.git("w", "sparse-checkout", "set", "--no-cone", "/g"); s.remove(index) },
			"", []string{`main w: "DIR/w": it has no index, so that which files a sparse checkout lacks is not known`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.edit("main/f", 5, "mine")
			c.prepare(s)
			before := s.sum("")
			res := s.ask("main", forecast.Request{})
			s.wants(s.told(res), c.want...)
			s.wants([]string{strings.ReplaceAll(strings.Join(res.Notes, "\n"), s.dir, "DIR")}, c.note)
			if s.sum("") != before {
				t.Error("files changed")
			}
		})
	}
}

// A repository where a file was is not compared: added, it is a submodule.
func TestRepositoryInThePlaceOfAFile(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.remove("w/f")
	s.git("", "init", "-q", "w/f")
	s.commit("w/f")
	s.edit("w/g", 5, "theirs")
	s.wants(s.told(s.ask("main", forecast.Request{})))
	s.edit("main/f", 5, "mine")
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main w: "f" in "DIR/w" is not compared: it is a repository of its own`)
}

// Like git, a forecast follows GIT_INDEX_FILE, here to an index that has a file which
// is ignored, and the directories in which git is told to look for objects.
func TestVariablesThatGitFollows(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.write("main/.git/info/exclude", "h\n")
	s.write("main/h", "mine\n")
	s.write("w/h", "theirs\n")
	s.git("w", "add", "-f", "h")
	index := "GIT_INDEX_FILE=" + s.path("index")
	in := *s
	in.env = append(s.env[:len(s.env):len(s.env)], index)
	in.git("main", "read-tree", "HEAD")
	in.git("main", "add", "-f", "h")
	s.wants(s.told(s.ask("main", forecast.Request{})))
	s.wants(s.told(s.ask("main", forecast.Request{}, index)), `main w both_added "h" [[1 1]]`)
	s.wants(s.told(s.ask("w", forecast.Request{}, "GIT_INDEX_FILE=.git/index")), `w main: "DIR/w": stat DIR/w/.git/index: not a directory`)

	s.git("", "clone", "-q", "--shared", "main", "other")
	s.edit("other/f", 5, "other")
	s.commit("other")
	s.edit("main/f", 5, "mine")
	commit := s.git("other", "rev-parse", "HEAD")
	for _, variable := range []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=../other/.git/objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=nowhere" + string(os.PathListSeparator) + s.path("other/.git/objects"),
		"GIT_OBJECT_DIRECTORY=" + s.path("other/.git/objects")} {
		s.wants(s.told(s.ask("main", forecast.Request{Against: commit}, variable)),
			`main `+commit+` content "f" [[5 5]]`)
	}
	s.git("main", "config", "merge.own.driver", "false")
	s.write("main/.git/info/attributes", "f merge=own\n")
	s.edit("w/f", 5, "theirs")
	s.wants(s.told(s.ask("main", forecast.Request{}, "GIT_CONFIG="+os.DevNull)), `main w driver "f"`,
		`main w: a merge driver, which is not run, decides about "f"`)
}

package forecast_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// withSubmodule makes two worktrees with a submodule, at sub, of a library whose
// commits are a line of four, 0 to 3, and one beside the last, other. It is called
// lib/name in .gitmodules.
func (s *sandbox) withSubmodule() (commits map[string]string) {
	s.Helper()
	commits = map[string]string{}
	s.git("", "init", "-q", "lib")
	for i := range 4 {
		if i == 3 {
			s.git("lib", "checkout", "-q", "-b", "other")
			s.write("lib/x", "other\n")
			s.commit("lib")
			commits["other"] = s.git("lib", "rev-parse", "HEAD")
			s.git("lib", "checkout", "-q", "main")
		}
		s.write("lib/x", fmt.Sprintln(i))
		s.commit("lib")
		commits[fmt.Sprint(i)] = s.git("lib", "rev-parse", "HEAD")
	}
	s.git("", "init", "-q", "main")
	s.git("main", "submodule", "--quiet", "add", "--name", "lib/name", s.path("lib"), "sub")
	s.git("main/sub", "checkout", "-q", commits["0"])
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
	return commits
}

// move checks out another commit of the submodule and commits it; where there is
// no submodule, it commits as if that was so.
func (s *sandbox) move(w, commit string) {
	s.Helper()
	if _, err := os.Lstat(s.path(w + "/sub/.git")); err == nil {
		s.git(w+"/sub", "checkout", "-q", commit)
	}
	s.git(w, "update-index", "--cacheinfo", "160000,"+commit+",sub")
	s.git(w, "commit", "-q", "-m", "m")
}

// A submodule that both sides moved conflicts where neither commit contains the
// other, and where git does not find that out: in a worktree without a clone of it. The
// clone may be checked out, or no longer.
func TestSubmodules(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	initialise := func(s *sandbox, w string) { s.git(w, "submodule", "--quiet", "update", "--init") }
	leave := func(s *sandbox, w string) { s.git(w, "submodule", "--quiet", "deinit", "-f", "sub") }
	never := func(s *sandbox, w string) {
		s.remove(w + "/sub")
		s.mkdir(w + "/sub")
		if w == "main" {
			s.remove("main/.git/modules")
		}
	}
	states := map[string]func(s *sandbox, w string){"checked out": initialise, "no longer": leave, "never": never}
	var tests [][2]string
	for _, yours := range slices.Sorted(maps.Keys(states)) {
		for _, theirs := range slices.Sorted(maps.Keys(states)) {
			tests = append(tests, [2]string{yours, theirs})
		}
	}
	for _, states2 := range tests {
		yours, theirs := states2[0], states2[1]
		t.Run(yours+", "+theirs, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			commits := s.withSubmodule()
			for i, w := range []string{"main", "w"} {
				if states2[i] == "no longer" {
					initialise(s, w)
				}
				states[states2[i]](s, w)
			}
			s.move("main", commits["1"])
			s.move("w", commits["2"])
			mine, others := `main w submodule "sub"`, `w main submodule "sub"`
			lacking := ""
			switch {
			case yours == "never" && theirs != "never":
				lacking = "main"
			case theirs == "never" && yours != "never":
				lacking = "w"
			}
			s.wantsLacking(s.told(s.ask("main", forecast.Request{})), yours+theirs, mine, lacking)
			s.wantsLacking(s.told(s.ask("w", forecast.Request{})), yours+theirs, others, lacking)
			here, _ := s.realMerge("main", "w")
			there, _ := s.realMerge("w", "main")
			if (len(here) > 0) != (yours == "never") || (len(there) > 0) != (theirs == "never") {
				t.Errorf("git leaves unmerged: %q and %q", here, there)
			}
			s.move("main", commits["3"])
			s.move("w", commits["other"])
			s.wants(s.told(s.ask("main", forecast.Request{})), `main w submodule "sub"`)
			s.wants(s.told(s.ask("w", forecast.Request{})), `w main submodule "sub"`)
		})
	}
}

// wantsLacking compares what was told of a submodule that can be moved forward in those
// worktrees that have the commits.
func (s *sandbox) wantsLacking(told []string, states, conflict, lacking string) {
	s.Helper()
	switch {
	case lacking != "":
		pair, _, _ := strings.Cut(conflict, " submodule")
		s.wants(told, conflict, pair+`: "sub" conflicts only in "DIR/`+lacking+`", whose clone of this submodule `+
			"lacks commits: fetch them there, or run `git submodule update --init`")
	case strings.Contains(states, "never"):
		s.wants(told, conflict)
	default:
		s.wants(told)
	}
}

// A commit of a submodule that only one worktree's clone has cannot be merged in the other
// until it is fetched there.
func TestSubmoduleCommitsThatAreNotThere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	commits := s.withSubmodule()
	for _, w := range []string{"main", "w"} {
		s.git(w, "submodule", "--quiet", "update", "--init")
	}
	s.move("main", commits["1"])
	s.git("w/sub", "checkout", "-q", commits["1"])
	s.write("w/sub/x", "theirs\n")
	s.commit("w/sub")
	s.move("w", s.git("w/sub", "rev-parse", "HEAD"))
	s.wantsLacking(s.told(s.ask("main", forecast.Request{})), "", `main w submodule "sub"`, "main")
	if here, _ := s.realMerge("main", "w"); len(here) == 0 {
		t.Error("git merges it")
	}
	s.git("main/sub", "fetch", "-q", s.path("w/sub"))
	s.wants(s.told(s.ask("main", forecast.Request{})))
	if here, _ := s.realMerge("main", "w"); len(here) > 0 {
		t.Errorf("git does not merge %q", here)
	}
}

// A submodule of which git cannot tell the commit may have changed. Where both sides may have
// changed it, the pair is not assessed.
func TestSubmodulesThatCannotBeRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(s *sandbox, gitDir string)
		why    string
	}{
		"its git directory is gone": {func(s *sandbox, gitDir string) { s.remove(gitDir) }, "not a git repository"},
		"its .git leads nowhere": {func(s *sandbox, gitDir string) { s.write("main/sub/.git", "gitdir: /nowhere\n") },
			"not a git repository"},
		"its .git is garbage": {func(s *sandbox, gitDir string) { s.write("main/sub/.git", "garbage\n") },
			"invalid gitfile format"},
		"it has no HEAD": {func(s *sandbox, gitDir string) { s.remove(gitDir + "/HEAD") }, "not a git repository"},
		"its HEAD is unborn": {func(s *sandbox, gitDir string) { s.write(gitDir+"/HEAD", "ref: refs/heads/none\n") },
			"it has no commit checked out"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			commits := s.withSubmodule()
			for _, w := range []string{"main", "w"} {
				s.git(w, "submodule", "--quiet", "update", "--init")
			}
			s.git("main/sub", "checkout", "-q", commits["3"])
			gitDir := "main/.git/modules/lib/name"
			test.damage(s, gitDir)
			res := s.ask("main", forecast.Request{})
			if told := s.told(res); len(told) > 0 || len(res.Sides[0].Omitted) != 1 {
				t.Errorf("theirs is as it was, and %q, %+v", told, res.Sides[0].Omitted)
			}
			s.move("w", commits["other"])
			for _, dir := range []string{"main", "w"} {
				told := strings.Join(s.told(s.ask(dir, forecast.Request{})), "\n")
				want := `"sub" in "DIR/main" is not compared: git cannot read this submodule (`
				if !strings.Contains(told, want) || !strings.Contains(told, test.why) || strings.Contains(told, "\n") {
					t.Errorf("%s: %s", dir, told)
				}
			}
		})
	}
}

// A repository that is not added yet may be what a submodule was renamed to.
func TestSubmodulesThatMayBeRenamed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	own := `is not compared: it is a repository of its own`
	for name, test := range map[string]struct {
		mine, theirs func(s *sandbox)
		want         []string
	}{
		"deleted there": {
			func(s *sandbox) { s.rename("main/d/sub", "main/moved") },
			func(s *sandbox) { s.remove("w/d/sub") },
			[]string{`main w: "moved/" in "DIR/main" ` + own + `, and may decide what "d/sub" was renamed to`},
		},
		"renamed there": {
			func(s *sandbox) { s.rename("main/d/sub", "main/moved") },
			func(s *sandbox) { s.rename("w/d/sub", "w/other") },
			[]string{`main w: "moved/" in "DIR/main" ` + own + `, and may decide what "d/sub" was renamed to`},
		},
		"its directory was renamed, and files came there": {
			func(s *sandbox) { s.rename("main/d", "main/e"); s.write("main/e/new", "mine\n") },
			func(s *sandbox) { s.write("w/d/new", "theirs\n") },
			[]string{`main w: "e/sub/" in "DIR/main" ` + own + `, and may decide where new files of "d" belong`},
		},
		"nothing changed there": {
			func(s *sandbox) { s.rename("main/d/sub", "main/moved") },
			func(s *sandbox) { s.write("w/g", "theirs\n") },
			nil,
		},
		"another file was deleted there": {
			func(s *sandbox) { s.git("", "clone", "-q", "main/d/sub", "main/moved"); s.remove("main/f") },
			func(s *sandbox) { s.remove("w/f") },
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.git("", "init", "-q", "main")
			s.git("", "init", "-q", "main/d/sub")
			s.write("main/d/sub/x", numbered(20))
			s.commit("main/d/sub")
			s.write("main/f", numbered(20))
			s.commit("main")
			s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
			s.git("", "clone", "-q", "main/d/sub", "w/d/sub")
			test.mine(s)
			test.theirs(s)
			s.wants(s.told(s.ask("main", forecast.Request{})), test.want...)
			s.commit("main")
			s.commit("w")
			if here, _ := s.realMerge("main", "w"); (len(here) > 0) != (len(test.want) > 0) {
				t.Errorf("git leaves %q unmerged", here)
			}
		})
	}
}

package forecast_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
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
// other. The clone that says so may be checked out, or no longer. Of a submodule
// that was never there git itself knows nothing.
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
			if yours == "never" && theirs == "never" {
				s.wants(s.told(s.ask("main", forecast.Request{})), `main w submodule "sub"`)
				return
			}
			s.wants(s.told(s.ask("main", forecast.Request{})))
			s.wants(s.told(s.ask("w", forecast.Request{})))
			if yours != "never" { // git itself asks the clone of the worktree that merges
				if out, err := s.try("main", "merge", "-q", "--no-commit", "w"); err != nil {
					t.Errorf("git does not merge it: %s", out)
				}
				s.git("main", "merge", "--abort")
			}
			s.move("main", commits["3"])
			s.move("w", commits["other"])
			s.wants(s.told(s.ask("main", forecast.Request{})), `main w submodule "sub"`)
			s.wants(s.told(s.ask("w", forecast.Request{})), `w main submodule "sub"`)
		})
	}
}

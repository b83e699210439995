package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// Each pair is merged by the settings of the worktrees in which it could be.
func TestSettingsOfEachWorktree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "main")
	s.write("main/dir/x", numbered(20))
	s.write("main/f", numbered(20))
	s.commit("main")
	s.git("main", "config", "extensions.worktreeConfig", "true")
	for _, w := range []string{"a", "b", "c"} {
		s.git("main", "worktree", "add", "-q", "../"+w, "-b", w)
	}
	s.write("main/dir/n", "new\n")
	s.write("a/dir/n2", "new\n")
	s.rename("b/dir", "b/d2")
	s.edit("b/f", 5, "of b")
	s.edit("c/f", 5, "of c")
	s.git("a", "config", "--worktree", "merge.directoryRenames", "false")
	s.git("b", "config", "--worktree", "merge.own.driver", "false")
	s.write("attributes", "f merge=own\n")
	s.git("b", "config", "--worktree", "core.attributesFile", s.path("attributes"))
	s.wants(s.told(s.ask("main", forecast.Request{All: true})),
		`main b names "d2/n"`, `a b names "d2/n2"`, `b c content "f" [[5 5]]`) // in b and in c, respectively
	s.wants(s.told(s.ask("a", forecast.Request{Against: "b"}))) // only a merges that
	s.git("main", "config", "--worktree", "merge.directoryRenames", "true")
	s.git("b", "config", "--worktree", "merge.directoryRenames", "true")
	s.git("c", "config", "--worktree", "merge.own.driver", "false")
	s.git("c", "config", "--worktree", "core.attributesFile", s.path("attributes"))
	s.wants(s.told(s.ask("main", forecast.Request{All: true})),
		`b c driver "f"`, `b c: a merge driver, which is not run, decides about "f"`)
}

// By some settings git merges otherwise than the forecast does: then it says so.
func TestSettingsThatAreNotFollowed(t *testing.T) {
	t.Parallel()
	for setting, exact := range map[string]bool{
		"merge.renormalize=true": false, "merge.renormalize=false": true,
		"pull.twohead=resolve": false, "pull.twohead=ort": true,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			name, value, _ := strings.Cut(setting, "=")
			s.git("main", "config", name, value)
			res := s.ask("main", forecast.Request{})
			said := strings.Contains(strings.Join(res.Notes, "\n"), strings.TrimSuffix(setting, "=true"))
			if res.Exact != exact || said == exact {
				t.Errorf("exact %v, notes %q", res.Exact, res.Notes)
			}
		})
	}
}

package forecast_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Where the two worktrees have other settings or attributes, git may find a conflict in
// one that it does not find in the other. The pair is clean only if it is so in both,
// whichever asks.
func TestMergesInEitherWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	perWorktree := func(w, name, value string) func(s *sandbox) {
		return func(s *sandbox) {
			s.git("main", "config", "extensions.worktreeConfig", "true")
			s.git(w, "config", "--worktree", name, value)
		}
	}
	included := func(condition string) func(s *sandbox) {
		return func(s *sandbox) {
			s.write("more", "[merge]\n\tconflictStyle = diff3\n")
			s.git("main", "config", strings.ReplaceAll("includeIf."+condition+".path", "DIR", s.dir), s.path("more"))
		}
	}
	for name, prepare := range map[string]func(s *sandbox){
		"settings of mine":           perWorktree("main", "merge.conflictStyle", "diff3"),
		"settings of theirs":         perWorktree("w", "merge.conflictStyle", "zdiff3"),
		"the limit of mine":          perWorktree("main", "merge.renameLimit", "1"),
		"the limit of theirs":        perWorktree("w", "merge.renameLimit", "1"),
		"directories of theirs":      perWorktree("w", "merge.directoryRenames", "false"),
		"directories of mine":        perWorktree("main", "merge.directoryRenames", "true"),
		"the default driver of mine": perWorktree("main", "merge.default", "binary"),
		"the diff driver of theirs":  perWorktree("w", "diff.none.binary", "true"),
		"included for a branch":      included("onbranch:w"),
		"included for a directory":   included("gitdir:DIR/main/.git"),
		"included for one of many":   included("gitdir:DIR/main/.git/worktrees/"),
		"attributes outside of mine": func(s *sandbox) {
			s.write("attributes", "union merge=union\ndistant -merge\n")
			perWorktree("main", "core.attributesFile", s.path("attributes"))(s)
		},
		"attributes of mine": func(s *sandbox) {
			s.write("main/.gitattributes", "*.none diff=none\nunion merge=union\ndistant -merge\n")
			s.commit("main")
		},
		"text attributes of theirs": func(s *sandbox) {
			s.write("w/.gitattributes", "*.none -diff\n")
			s.commit("w")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.contested()
			prepare(s)
			mine, theirs := s.ask("main", forecast.Request{}), s.ask("w", forecast.Request{})
			here, _ := s.realMerge("main", "w")
			there, _ := s.realMerge("w", "main")
			if slices.Equal(here, there) {
				t.Fatalf("git finds the same in both: %q", here)
			}
			s.equalsReal(mine, slices.Concat(here, there))
			s.equalsReal(theirs, slices.Concat(here, there))
			for _, only := range there {
				if !slices.Contains(here, only) && !strings.Contains(strings.Join(mine.Notes, "\n"), "conflicts only where") {
					t.Errorf("%q does not say that %q conflicts only there", mine.Notes, only)
				}
			}
		})
	}
}

// A merge driver of one worktree does not hide that the file conflicts in the other.
func TestDriverOfOneWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.contested()
	s.git("main", "config", "merge.own.driver", "true")
	s.write("main/.gitattributes", "union merge=own\n")
	s.commit("main")
	for _, dir := range []string{"main", "w"} {
		res := s.ask(dir, forecast.Request{})
		if told := strings.Join(s.told(res), "\n"); !strings.Contains(told, ` content "union"`) ||
			strings.Contains(told, "driver") {
			t.Errorf("%s", told)
		}
	}
}

// Settings given by the environment count as those of a file.
func TestSettingsOfTheEnvironment(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, env := range [][]string{
		{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=merge.conflictStyle", "GIT_CONFIG_VALUE_0=diff3"},
		{"GIT_CONFIG_PARAMETERS='merge.conflictstyle'='diff3'"},
		{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=diff.none.binary", "GIT_CONFIG_VALUE_0=true"},
	} {
		s := newSandbox(t)
		s.contested()
		usual, _ := s.realMerge("main", "w")
		in := *s
		in.env = append(slices.Clone(s.env), env...)
		unmerged, _ := in.realMerge("main", "w")
		if slices.Equal(unmerged, usual) {
			t.Fatalf("%q decides nothing", env)
		}
		s.equalsReal(s.ask("main", forecast.Request{}, env...), unmerged)
	}
}

// Settings that stop every `git merge` stop the forecast: the pair is not assessed, with
// git's reason.
func TestSettingsThatStopGit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for text, want := range map[string]string{
		"[merge]\n\tdirectoryRenames\n":                           "unable to parse 'merge.directoryrenames'",
		"[merge]\n\tconflictStyle\n":                              "'merge.conflictstyle' is not a boolean",
		"[merge]\n\tconflictStyle = 3\n":                          "unknown style '3' given for 'merge.conflictstyle'",
		"[merge]\n\tconflictStyle = 3\n\tconflictStyle = merge\n": "unknown style '3' given for 'merge.conflictstyle'",
		"[merge]\n\trenameLimit = many\n":                         "bad numeric config value 'many' for 'merge.renamelimit': invalid unit",
	} {
		s := newSandbox(t)
		s.contested()
		config := s.read("main/.git/config")
		s.write("main/.git/config", config+text)
		s.wants(s.told(s.ask("main", forecast.Request{})), "main w: fatal: "+want)
		if _, stopped := s.realMerge("main", "w"); !stopped {
			t.Errorf("git merges under %q", text)
		}
	}
}

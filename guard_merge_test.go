package main

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A merge brings in what others have committed: only what it changes itself
// is looked at.
func TestGuardOfMerges(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.write("main", "held/old.txt", "theirs\n")
	s.write("main", "free/a.txt", "theirs\n")
	s.commit(s.main, nil, "-a")
	s.hold("held/**")
	s.write("link", "free/a.txt", "ours\n")
	s.commit(s.link, nil, "-a")
	if out, code := s.run(s.link, "git", "merge", "main"); code != 1 {
		t.Fatalf("no conflict to resolve: %s", out)
	}
	s.write("link", "free/a.txt", "both\n")
	s.write("link", "held/gone.txt", "slipped in\n")
	s.git(s.link, "add", ".")
	s.commit(s.link, []string{"held/gone.txt", "leave them as you had them: git reset -q -- :/held/gone.txt\n"})
	s.git(s.link, "reset", "-q", "--", ":/held/gone.txt")
	// Not as it was here: that would undo what they did.
	s.write("link", "held/old.txt", "overruled\n")
	s.git(s.link, "add", "held/old.txt")
	out := s.commit(s.link, []string{"held/old.txt"})
	_, way, _ := strings.Cut(out, "or as what you merge has them: ")
	way, _, _ = strings.Cut(way, "\n")
	if out, code := s.run(s.link, "sh", "-c", way); code != 0 || s.git(s.link, "show", ":held/old.txt") != "theirs" {
		t.Errorf("%s: exit code %d\n%s", way, code, out)
	}
	s.commit(s.link, nil) // held/old.txt is as in main
	if parents := s.git(s.link, "log", "-1", "--format=%p"); len(strings.Fields(parents)) != 2 {
		t.Errorf("not a merge: parents %q", parents)
	}
}

func TestGuardOfSquashMerges(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSite(t)
	s.write("main", "held/old.txt", "theirs\n")
	s.commit(s.main, nil, "-a")
	s.hold("held/**")
	s.git(s.link, "merge", "-q", "--squash", "main")
	out := s.commit(s.link, nil)
	if !strings.Contains(out, "this squash merge changes") || !strings.Contains(out, "held/old.txt") {
		t.Errorf("no warning: %s", out)
	}
}

// These make commits without a word from the guard, because git does not ask
// it. A git that begins to ask makes this test fail, and the help text wrong.
func TestGitDoesNotRunTheGuardFor(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	// theirs is a commit on main that changes a held file.
	theirs := func(s *site) {
		s.write("main", "held/old.txt", "theirs\n")
		s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=them")
		s.commit(s.main, nil, "-a")
		s.env = append(s.env, "AGENT_LOCKS_AGENT_ID=me")
	}
	for name, args := range map[string][]string{
		"cherry-pick without conflicts": {"cherry-pick", "main"},
		"rebase":                        {"rebase", "-q", "main"},
		"merge without conflicts":       {"merge", "-q", "-m", "x", "main"},
		"revert without conflicts":      {"revert", "--no-edit", "side"},
		"am":                            {"am", "-q", "0001-x.patch"},
		"commit --no-verify":            {"commit", "-q", "-n", "-m", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("link", "held/gone.txt", "ours\n")
			s.commit(s.link, nil, "-a")
			s.hold("held/**")
			theirs(s)
			switch name {
			case "am":
				s.git(s.link, "format-patch", "-q", "-1", "main")
			case "commit --no-verify":
				s.write("link", "held/old.txt", "ours\n")
				s.git(s.link, "add", ".")
			}
			before := s.git(s.link, "rev-parse", "HEAD")
			out := s.git(s.link, args...)
			if strings.Contains(out, "agent-locks") || s.git(s.link, "rev-parse", "HEAD") == before {
				t.Errorf("git %q: %s", args, out)
			}
			if text := s.locks(s.link, "guard", "status"); !strings.Contains(text, name) {
				t.Errorf("status does not say so: %s", text)
			}
		})
	}
}

// After a conflict git continues by making a commit, and asks; only in a rebase
// it does not, unless one commits by hand.
func TestGuardAfterAConflict(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		stop, goOn []string
		unasked    bool
	}{
		"cherry-pick":               {[]string{"cherry-pick", "main"}, []string{"cherry-pick", "--continue"}, false},
		"revert":                    {[]string{"revert", "--no-edit", "HEAD~1"}, []string{"revert", "--continue"}, false},
		"merge":                     {[]string{"merge", "main"}, []string{"merge", "--continue"}, false},
		"commit in a rebase":        {[]string{"rebase", "main"}, []string{"commit", "-q", "-m", "x"}, false},
		"rebase":                    {[]string{"rebase", "main"}, []string{"rebase", "--continue"}, true},
		"rebase, by way of patches": {[]string{"rebase", "--apply", "main"}, []string{"rebase", "--continue"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.env = append(s.env, "GIT_EDITOR=true")
			s.write("main", "held/old.txt", "theirs\n")
			s.commit(s.main, nil, "-a")
			for _, text := range []string{"ours\n", "ours, more\n"} {
				s.write("link", "held/old.txt", text)
				s.commit(s.link, nil, "-a")
			}
			s.hold("held/**")
			if out, code := s.run(s.link, "git", c.stop...); code == 0 {
				t.Fatalf("git %q meets no conflict: %s", c.stop, out)
			}
			s.write("link", "held/old.txt", "both\n")
			s.git(s.link, "add", ".")
			before := s.git(s.link, "rev-parse", "HEAD")
			out, code := s.run(s.link, "git", c.goOn...)
			moved := s.git(s.link, "rev-parse", "HEAD") != before
			if refused := strings.Contains(out, "agent-locks: refused"); refused == c.unasked || moved == refused || refused && code == 0 {
				t.Errorf("git %q: refused %v, HEAD moved %v, exit code %d\n%s", c.goOn, refused, moved, code, out)
			}
		})
	}
}

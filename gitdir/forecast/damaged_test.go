package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A worktree whose git directory is damaged is still one: what is in it is not known,
// and never called clean, and so is one in whose place something else stands. One that
// is gone, and that git has pruned or would prune, is passed over.
func TestDamagedWorktreesAreNotAssessed(t *testing.T) {
	t.Parallel()
	const place, another = "main/.git/worktrees/w/", "another repository stands there now"
	for name, c := range gittest.SomeOf(3, map[string]struct {
		damage func(s *sandbox)
		why    string // "": passed over; "conflict": read all the same
	}{
		"no HEAD":           {func(s *sandbox) { s.remove(place + "HEAD") }, "not a git repository"},
		"empty HEAD":        {func(s *sandbox) { s.write(place+"HEAD", "") }, "not a git repository"},
		"garbled HEAD":      {func(s *sandbox) { s.write(place+"HEAD", "xx\n") }, "not a git repository"},
		"a directory":       {func(s *sandbox) { s.remove(place + "HEAD"); s.mkdir(place + "HEAD") }, "not a git repository"},
		"no commondir":      {func(s *sandbox) { s.remove(place + "commondir") }, "not a git repository"},
		"empty commondir":   {func(s *sandbox) { s.write(place+"commondir", "") }, "commondir"},
		"other commondir":   {func(s *sandbox) { s.write(place+"commondir", "/nowhere\n") }, "not a git repository"},
		"no gitdir":         {func(s *sandbox) { s.remove(place + "gitdir") }, "its location cannot be read"},
		"empty gitdir":      {func(s *sandbox) { s.write(place+"gitdir", "") }, "its location cannot be read"},
		"gitdir elsewhere":  {func(s *sandbox) { s.write(place+"gitdir", s.path("other/.git")+"\n") }, another},
		"gitdir garbled":    {func(s *sandbox) { s.write(place+"gitdir", "xx\n") }, "conflict"},
		"gone":              {func(s *sandbox) { s.remove("w") }, ""},
		"moved":             {func(s *sandbox) { s.rename("w", "moved") }, "conflict"},
		"pruned":            {func(s *sandbox) { s.remove(place) }, ""},
		"locked, and gone":  {func(s *sandbox) { s.write(place+"locked", ""); s.remove("w") }, "it is locked"},
		"being made":        {func(s *sandbox) { s.write(place+"locked", "initializing"); s.remove("w") }, ""},
		"a clone":           {func(s *sandbox) { s.remove("w"); s.git("", "clone", "-q", "main", "w") }, another},
		"a link to another": {func(s *sandbox) { s.remove("w"); s.link("other", "w") }, another},
		"a link to nowhere": {func(s *sandbox) { s.remove("w"); s.link("nowhere", "w") }, ""},
		"a link to itself": {func(s *sandbox) {
			s.rename("w", "moved")
			s.link("moved", "w")
		}, "conflict"},
		"another moved here": {func(s *sandbox) { s.remove("w"); s.rename("other", "w") }, another},
		"a directory there":  {func(s *sandbox) { s.remove("w"); s.mkdir("w") }, ""},
		"a file there":       {func(s *sandbox) { s.remove("w"); s.write("w", "") }, ""},
		"another's .git":     {func(s *sandbox) { s.write("w/.git", "gitdir: "+s.path("other/.git")+"\n") }, another},
		"the main one's .git": {func(s *sandbox) { s.write("w/.git", "gitdir: "+s.path("main/.git")+"\n") },
			"the git directory of another worktree"},
		"a sibling's .git": {func(s *sandbox) {
			s.git("main", "worktree", "add", "-q", "--detach", "../sibling")
			s.remove("w/.git")
			s.rename("sibling/.git", "w/.git")
			s.remove("sibling")
		}, "the git directory of another worktree"},
		".git to nowhere": {func(s *sandbox) { s.write("w/.git", "gitdir: /nowhere\n") }, "not a git directory"},
		".git emptied":    {func(s *sandbox) { s.remove("w/.git"); s.mkdir("w/.git") }, "not a git directory"},
		"another entry for it": {func(s *sandbox) { // as `git worktree prune` takes out
			s.mkdir("main/.git/worktrees/old")
			s.write("main/.git/worktrees/old/HEAD", "ref: refs/heads/old\n")
			s.write("main/.git/worktrees/old/commondir", "../..\n")
			s.write("main/.git/worktrees/old/gitdir", s.path("w/.git")+"\n")
		}, "conflict"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.conflicting()
			s.git("", "init", "-q", "other")
			c.damage(s)
			res := s.ask("main", forecast.Request{})
			switch c.why {
			case "":
				if len(res.Pairs) > 0 {
					t.Errorf("%q", s.told(res))
				}
				return
			case "conflict":
				if len(res.Pairs) != 1 || len(res.Pairs[0].Files) != 1 || res.Pairs[0].Why != "" {
					t.Errorf("%q", s.told(res))
				}
				return
			}
			if len(res.Pairs) != 1 || res.Pairs[0].Judged || !strings.Contains(res.Pairs[0].Why, c.why) {
				t.Errorf("%q, notes %q", s.told(res), res.Notes)
			}
		})
	}
}

// A main worktree whose place no file tells is not assessed either.
func TestMainWorktreesThatAreNotToBeFound(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "--separate-git-dir", s.path("apart"), "main")
	s.write("main/f", "f\n")
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
	s.wants(s.told(s.ask("main", forecast.Request{})))
	s.wants(s.told(s.ask("w", forecast.Request{})), `w apart: "DIR/apart": its location cannot be read: `+
		`the main worktree of a separate git directory is known only to itself`)
	s.git("main", "config", "core.worktree", s.path("home"))
	s.mkdir("home")
	s.wants(s.told(s.ask("w", forecast.Request{})), `w home: "DIR/home": git does not find this repository from there`)
	s.git("", "--git-dir=apart", "config", "--unset", "core.worktree")
	s.git("", "--git-dir=apart", "config", "core.bare", "true")
	s.wants(s.told(s.ask("w", forecast.Request{})))
}

package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A worktree whose git directory is damaged is still one: what is in it is not known,
// and never called clean. One that is gone, or that git has pruned, is passed over.
func TestDamagedWorktreesAreNotAssessed(t *testing.T) {
	t.Parallel()
	const place = "main/.git/worktrees/w/"
	for name, c := range gittest.SomeOf(3, map[string]struct {
		damage func(s *sandbox)
		why    string // "": passed over
	}{
		"no HEAD":         {func(s *sandbox) { s.remove(place + "HEAD") }, "not a git repository"},
		"empty HEAD":      {func(s *sandbox) { s.write(place+"HEAD", "") }, "not a git repository"},
		"garbled HEAD":    {func(s *sandbox) { s.write(place+"HEAD", "xx\n") }, "not a git repository"},
		"a directory":     {func(s *sandbox) { s.remove(place + "HEAD"); s.mkdir(place + "HEAD") }, "not a git repository"},
		"no commondir":    {func(s *sandbox) { s.remove(place + "commondir") }, "not a git repository"},
		"empty commondir": {func(s *sandbox) { s.write(place+"commondir", "") }, "commondir"},
		"other commondir": {func(s *sandbox) { s.write(place+"commondir", "/nowhere\n") }, "not a git repository"},
		"no gitdir":       {func(s *sandbox) { s.remove(place + "gitdir") }, "where it is cannot be read"},
		"empty gitdir":    {func(s *sandbox) { s.write(place+"gitdir", "") }, "where it is cannot be read"},
		"gone":            {func(s *sandbox) { s.remove("w") }, ""},
		"pruned":          {func(s *sandbox) { s.remove(place) }, ""},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.conflicting()
			c.damage(s)
			res := s.ask("main", forecast.Request{})
			if c.why == "" {
				if len(res.Pairs) > 0 {
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

package forecast_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// A worktree more takes four starts of git more, however many pairs conflict with it:
// what is asked about pairs is asked of all at once.
func TestStartsGrowWithWorktreesOnly(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.edit("main/f", 5, "mine")
	s.edit("w/f", 5, "theirs")
	starts := func() int {
		s.remove("trace")
		res := s.ask("main", forecast.Request{All: true}, "GIT_TRACE2_EVENT="+s.path("trace"))
		for _, p := range res.Pairs {
			if len(p.Files) != 1 || len(p.Files[0].Lines) != 1 || p.Why != "" {
				t.Fatalf("%q", s.told(res))
			}
		}
		trace, err := os.ReadFile(s.path("trace"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(trace), `"event":"start"`)
	}
	more := func(n int) {
		for range n {
			w := fmt.Sprint("w", len(s.worktrees()))
			s.git("main", "worktree", "add", "-q", "../"+w, "-b", w)
			s.edit(w+"/f", 5, "of "+w)
		}
	}
	more(1)
	few := starts()
	more(3)
	if many := starts(); many > few+3*4+1 { // 15 pairs are merged in two parts
		t.Errorf("of 3 worktrees %d, of 6 %d", few, many)
	}
}

func (s *sandbox) worktrees() []string {
	return strings.Split(s.git("main", "worktree", "list"), "\n")
}

//go:build unix

package forecast_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A file that git converts has another size in the repository: what is too big to be
// read can be what a small one was renamed to.
func TestOmittedFilesThatAreConverted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(numbered(1000), 1100)[:9<<20]
	for name, c := range map[string]struct {
		attributes, old, renamed string
	}{
		"by a filter": {"* filter=head", long, long},
		"line ends":   {"* text", strings.Repeat("\n", 5<<19), strings.Repeat("\r\n", 9<<19)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &mess{sandbox: newSandbox(t), worktrees: []string{"main", "w"}}
			m.git("", "config", "--global", "filter.head.clean", "head -c 100")
			m.git("", "init", "-q", "main")
			m.write("main/.gitattributes", c.attributes+"\n")
			m.write("main/a", c.old)
			m.commit("main")
			m.git("main", "worktree", "add", "-q", "--no-checkout", "../w", "-b", "w")
			m.git("w", "checkout", "-q", "-f")
			m.remove("w/a")
			m.commit("w")
			m.remove("main/a")
			m.write("main/b", c.renamed)
			m.wants(m.told(m.ask("main", forecast.Request{})), `main w: "b" in "DIR/main" is not compared: `+
				`it has more than 8 MiB, and may decide what "a" was renamed to`)
			if real, _ := m.newJudge().merge("main", "w"); len(real) == 0 {
				t.Error("a real merge is clean")
			}
		})
	}
}

// Where content filters are not run, what they would make of a file is not known.
func TestFiltersThatAreNotRun(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "config", "filter.head.clean", "head -c 100")
	s.write("main/.gitattributes", "*.head filter=head\n*.other filter=nobody\n")
	s.write("main/a.head", numbered(100))
	s.write("main/c.head", numbered(90))
	s.write("main/d.other", numbered(80))
	s.commit("main")
	s.git("w", "merge", "-q", "main")
	ask := func() []string {
		foreign, _, err := s.find("main").Unfiltered(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		res, err := forecast.Of(t.Context(), foreign, forecast.Request{Temp: s.temp})
		if err != nil {
			t.Fatal(err)
		}
		return s.told(res)
	}
	s.edit("main/c.head", 80, "mine")
	s.edit("main/d.other", 80, "mine")
	s.edit("w/d.other", 8, "theirs")
	s.wants(ask())
	s.remove("w/a.head")
	s.commit("w")
	s.rename("main/a.head", "main/b.head")
	s.wants(ask(), `main w: "b.head" in "DIR/main" is not compared: its content filter is not run here, `+
		`and may decide what "a.head" was renamed to`)
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w deleted_there "b.head"`)
}

// git lists no fifo and no other worktree, and does not merge where a file would take
// the place of one.
func TestThingsInTheWay(t *testing.T) {
	t.Parallel()
	fifo := func(s *sandbox) {
		if err := syscall.Mkfifo(s.path("main/p"), 0o666); err != nil {
			s.Fatal(err)
		}
	}
	worktree := func(s *sandbox) { s.git("main", "worktree", "add", "-q", "--detach", "n") }
	for name, c := range gittest.SomeOf(3, map[string]struct {
		stands func(s *sandbox)
		theirs string
		want   []string
	}{
		"a fifo":               {fifo, "p", []string{`main w: "p" in "DIR/main" is not compared: it is not a file`}},
		"a fifo above":         {fifo, "p/x", []string{`main w: "p" in "DIR/main" is not compared: it is not a file`}},
		"a fifo beside":        {fifo, "q", nil},
		"a worktree":           {worktree, "n", []string{`main w: "n" in "DIR/main" is not compared: another worktree is there`}},
		"a worktree above":     {worktree, "n/f", []string{`main w: "n/f" in "DIR/main" is not compared: another worktree is there`}},
		"a worktree elsewhere": {worktree, "m/x", nil},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			c.stands(s)
			s.write("w/"+c.theirs, "theirs\n")
			s.commit("w")
			res := s.ask("main", forecast.Request{Against: "w"})
			s.wants(s.told(res), c.want...)
			if _, err := s.try("main", "merge", "-q", "w"); (err != nil) != (c.want != nil) {
				t.Errorf("git merge: %v", err)
			}
		})
	}
}

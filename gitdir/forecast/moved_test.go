package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A new file that is too big to be compared may be a renamed one, or would move with
// its directory: that such a pair merges is not known, nor that it does not.
func TestOmittedFilesThatMove(t *testing.T) {
	t.Parallel()
	big := strings.Repeat(numbered(1000), 1100)[:9<<20]
	omitted := `"DIR/main" is not compared: it has more than 8 MiB`
	var made gittest.Template
	for name, c := range gittest.SomeOf(1, map[string]struct {
		main, w func(s *sandbox)
		want    []string
	}{
		"its directory was renamed": {
			func(s *sandbox) { s.write("main/dir/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "dir/n" in ` + omitted},
		},
		"a directory above was renamed": {
			func(s *sandbox) { s.write("main/dir/n", big) },
			func(s *sandbox) { s.rename("w/dir/sub", "w/d2/sub") },
			[]string{`main w: "dir/n" in ` + omitted},
		},
		"another directory was renamed": {
			func(s *sandbox) { s.write("main/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			nil,
		},
		"renamed and changed": {
			func(s *sandbox) { s.rename("main/big", "main/big2") },
			func(s *sandbox) { s.edit("w/big", 5, "theirs") },
			[]string{`main w: "big2" in ` + omitted + `, and may be what "big" was renamed to`},
		},
		"deleted beside what is too big to have been it": {
			func(s *sandbox) { s.remove("main/f"); s.write("main/n", big) },
			func(s *sandbox) { s.edit("w/f", 5, "theirs") },
			[]string{`main w deleted_here "f"`},
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.copyOf(&made, func(s *sandbox) {
				s.git("", "init", "-q", "main")
				s.write("main/f", numbered(20))
				s.write("main/dir/sub/x", strings.ReplaceAll(numbered(20), "line", "x"))
				s.write("main/big", big)
				s.commit("main")
				s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
			})
			c.main(s)
			c.w(s)
			s.wants(s.told(s.ask("main", forecast.Request{})), c.want...)
		})
	}
}

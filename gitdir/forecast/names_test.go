package forecast_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// named are the conflicts of a forecast with all their names, the own one first.
func named(res *forecast.Result) []string {
	var out []string
	for _, p := range res.Pairs {
		for _, f := range p.Files {
			own := f.Own
			if own == "" {
				own = "-"
			}
			names := slices.Sorted(slices.Values(f.Names))
			out = append(out, fmt.Sprintf("%s %s %s %v%v", f.Kind, f.Path, own, names, f.Lines))
		}
		if p.Why != "" {
			out = append(out, p.Why)
		}
	}
	return out
}

// A conflict is one of each name that its file has: in the ancestor, and on either
// side. Where it is in one's own file is said of that, whatever it is called.
func TestConflictsHaveAllNamesOfTheirFile(t *testing.T) {
	t.Parallel()
	var made gittest.Template
	for name, c := range gittest.SomeOf(2, map[string]struct {
		main, w     func(s *sandbox)
		here, there []string // asked from main, and from w
	}{
		"renamed and changed": {
			func(s *sandbox) { s.rename("main/f", "main/f2"); s.edit("main/f2", 5, "A") },
			func(s *sandbox) { s.edit("w/f", 5, "B"); s.edit("w/f", 19, "C") },
			[]string{"content f2 - [f][[5 5]]"}, []string{"content f2 f [f][[5 5]]"},
		},
		"renamed and deleted": {
			func(s *sandbox) { s.rename("main/f", "main/f2") },
			func(s *sandbox) { s.remove("w/f") },
			[]string{"deleted_there f2 - [f][]"}, []string{"deleted_here f2 f [f][]"},
		},
		"renamed to two names": {
			func(s *sandbox) { s.rename("main/f", "main/f2") },
			func(s *sandbox) { s.rename("w/f", "w/f3") },
			[]string{"names f2 - [f f3][]"}, []string{"names f3 - [f f2][]"},
		},
		"renamed to two names, and another file to one of these": {
			func(s *sandbox) { s.rename("main/f", "main/f2") },
			func(s *sandbox) { s.rename("w/f", "w/f3"); s.write("w/f2", "new\n") },
			[]string{"both_added f2 - [f f3][[1 20]]", "names f3 f2 [f f2][]"},
			[]string{"both_added f2 - [f f3][[1 1]]", "names f3 - [f f2][]"},
		},
		"two renamed to one": {
			func(s *sandbox) { s.rename("main/f", "main/h") },
			func(s *sandbox) { s.edit("w/g", 3, "other"); s.rename("w/g", "w/h"); s.edit("w/f", 2, "B") },
			[]string{"both_added h - [f g][[1 20]]"}, []string{"both_added h - [f g][[1 20]]"},
		},
		"in a directory that was renamed": {
			func(s *sandbox) { s.rename("main/dir", "main/dir2"); s.edit("main/dir2/x", 5, "A") },
			func(s *sandbox) { s.edit("w/dir/x", 5, "B"); s.write("w/dir/n", "new\n") },
			[]string{"names dir2/n - [dir/n][]", "content dir2/x - [dir/x][[5 5]]"},
			[]string{"names dir2/n dir/n [dir/n][]", "content dir2/x dir/x [dir/x][[5 5]]"},
		},
		"a directory that was split": {
			func(s *sandbox) {
				s.rename("main/dir/x", "main/p/x")
				s.rename("main/dir/y", "main/q/y")
				s.edit("main/f", 5, "A")
			},
			func(s *sandbox) { s.write("w/dir/n", "new\n"); s.edit("w/f", 5, "B") },
			[]string{"names dir - [dir/n dir/x dir/y][]", "content f - [][[5 5]]"},
			[]string{"names dir - [dir/n dir/x dir/y][]", "content f - [][[5 5]]"},
		},
		"only a directory that was split": {
			func(s *sandbox) { s.rename("main/dir/x", "main/p/x"); s.rename("main/dir/y", "main/q/y") },
			func(s *sandbox) { s.write("w/dir/n", "new\n") },
			[]string{"names dir - [dir/n dir/x dir/y][]"}, []string{"names dir - [dir/n dir/x dir/y][]"},
		},
		"what stands where a directory's file belongs": {
			func(s *sandbox) {
				s.rename("main/dir", "main/dir2")
				s.write("main/dir2/n", "mine\n")
				s.edit("main/f", 5, "A")
			},
			func(s *sandbox) { s.write("w/dir/n", "new\n"); s.edit("w/f", 5, "B") },
			[]string{"both_added dir2/n - [dir/n][[1 1]]", "content f - [][[5 5]]"},
			[]string{"both_added dir2/n dir/n [dir/n][[1 1]]", "content f - [][[5 5]]"},
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.copyOf(&made, func(s *sandbox) {
				s.git("", "init", "-q", "main")
				for i, file := range []string{"f", "g", "dir/x", "dir/y"} {
					s.write("main/"+file, strings.ReplaceAll(numbered(20), "line", fmt.Sprint("text ", i)))
				}
				s.commit("main")
				s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
			})
			c.main(s)
			c.w(s)
			s.wants(named(s.ask("main", forecast.Request{})), c.here...)
			s.wants(named(s.ask("w", forecast.Request{})), c.there...)
		})
	}
}

// rename moves a file or directory, into a directory that need not be there.
func (s *sandbox) rename(from, to string) {
	s.Helper()
	if dir := filepath.Dir(s.path(to)); os.MkdirAll(dir, 0o777) != nil {
		s.Fatalf("%q cannot be made", dir)
	}
	if err := os.Rename(s.path(from), s.path(to)); err != nil {
		s.Fatal(err)
	}
}

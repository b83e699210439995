package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// What is new and cannot be compared may be a renamed file, would move with its
// directory, or stands where something moves to: that such a pair merges is not known, nor
// that it does not.
func TestOmittedFilesThatMove(t *testing.T) {
	t.Parallel()
	big := strings.Repeat(numbered(1000), 1100)[:9<<20]
	omitted := `"DIR/main" is not compared: it has more than 8 MiB`
	nested := `"DIR/main" is not compared: it is a repository of its own`
	belongs := `, and may decide where new files of "dir" belong`
	silently := func(s *sandbox) { s.git("main", "config", "merge.directoryRenames", "true") }
	never := func(s *sandbox) { s.git("main", "config", "merge.directoryRenames", "false") }
	alone := func(s *sandbox) {
		s.rename("main/big", "main/alone/sub/big")
		s.commit("main")
		s.git("w", "merge", "-q", "main")
	}
	var made gittest.Template
	for name, c := range gittest.SomeOf(1, map[string]struct {
		main, w func(s *sandbox)
		want    []string
	}{
		"its directory was renamed": {
			func(s *sandbox) { s.write("main/dir/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "dir/n" in ` + omitted + belongs},
		},
		"its directory was renamed, and nothing follows": {
			func(s *sandbox) { never(s); s.write("main/dir/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			nil,
		},
		"its directory was renamed, and what follows conflicts": {
			func(s *sandbox) {
				s.git("main", "config", "merge.directoryRenames", "conflict")
				s.write("main/dir/n", big)
			},
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "dir/n" in ` + omitted + belongs},
		},
		"its directory is kept by it, and nothing follows": {
			func(s *sandbox) { never(s); s.rename("main/dir", "main/d2"); s.write("main/dir/n", big) },
			func(s *sandbox) { s.write("w/dir/m", "theirs\n") },
			nil,
		},
		"the only file of a directory, and nothing follows": {
			func(s *sandbox) { alone(s); never(s); s.rename("main/alone", "main/d2") },
			func(s *sandbox) { s.write("w/alone/n", "theirs\n") },
			nil,
		},
		"another file comes there, and nothing follows": {
			func(s *sandbox) { never(s); s.rename("main/dir", "main/d2"); s.write("main/d2/n", big) },
			func(s *sandbox) { s.write("w/dir/n", "theirs\n") },
			nil,
		},
		"renamed and changed, and renames should count for nothing": { // before 2.50 they count in git all the same
			func(s *sandbox) {
				s.git("main", "config", "merge.renames", "false")
				s.rename("main/big", "main/big2")
			},
			func(s *sandbox) { s.edit("w/big", 5, "theirs") },
			[]string{`main w: "big2" in ` + omitted + `, and may decide what "big" was renamed to`},
		},
		"renamed and changed, and nothing follows": {
			func(s *sandbox) { never(s); s.rename("main/big", "main/big2") },
			func(s *sandbox) { s.edit("w/big", 5, "theirs") },
			[]string{`main w: "big2" in ` + omitted + `, and may decide what "big" was renamed to`},
		},
		"a directory above was renamed": {
			func(s *sandbox) { s.write("main/dir/n", big) },
			func(s *sandbox) { s.rename("w/dir/sub", "w/d2/sub") },
			[]string{`main w: "dir/n" in ` + omitted + belongs},
		},
		"a repository whose directory was renamed": {
			func(s *sandbox) { s.git("", "init", "-q", "main/dir/n"); s.write("main/dir/n/x", "x\n") },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "dir/n/" in ` + nested + belongs},
		},
		"a repository, and a file of its name": {
			func(s *sandbox) { s.git("", "init", "-q", "main/dir/n"); s.write("main/dir/n/x", "x\n") },
			func(s *sandbox) { s.write("w/dir/n", "x\n") },
			[]string{`main w: "dir/n/" in ` + nested},
		},
		"a repository that is gone": {
			func(s *sandbox) { s.write("main/n/.git", "gitdir: /nowhere\n"); s.rename("main/f", "main/n/f") },
			func(s *sandbox) { s.edit("w/f", 5, "theirs") },
			[]string{`main w: "n/" in ` + nested + `, and may decide what "f" was renamed to`},
		},
		"a repository, and a file that was deleted": {
			func(s *sandbox) { s.git("", "init", "-q", "main/n"); s.rename("main/f", "main/n/f") },
			func(s *sandbox) { s.edit("w/f", 5, "theirs") },
			[]string{`main w deleted_here "f"`},
		},
		"a base name that is no longer alone": { // else git has f in e/f, by that, and not in k
			func(s *sandbox) {
				_, rest, _ := strings.Cut(numbered(20), "line 6\n")
				s.write("main/e/f", rest)
				s.edit("main/f", 10, "mine")
				s.rename("main/f", "main/k")
				s.git("", "init", "-q", "main/g/f")
			},
			func(s *sandbox) { s.edit("w/f", 10, "theirs") },
			[]string{`main w: "g/f/" in ` + nested + `, and may decide what "f" was renamed to`},
		},
		"a file too many": {
			func(s *sandbox) {
				s.git("main", "config", "merge.renameLimit", "1")
				s.rename("main/f", "main/t")
				s.edit("main/t", 1, "mine")
				s.git("", "init", "-q", "main/z")
			},
			func(s *sandbox) { s.edit("w/f", 19, "theirs") },
			[]string{`main w: "z/" in ` + nested + `, and may decide what "f" was renamed to`},
		},
		"a filter fails": {
			func(s *sandbox) {
				s.git("main", "config", "filter.no.clean", "false")
				s.git("main", "config", "filter.no.required", "true")
				s.write("main/.git/info/attributes", "n filter=no\n")
				s.write("main/dir/n", "mine\n")
			},
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "dir/n" in "DIR/main" is not compared: git cannot read it: ` +
				`fatal: dir/n: clean filter 'no' failed` + belongs},
		},
		"another file comes there": {
			func(s *sandbox) { silently(s); s.rename("main/dir", "main/d2"); s.write("main/d2/n", big) },
			func(s *sandbox) { s.write("w/dir/n", "theirs\n") },
			[]string{`main w: "d2/n" in ` + omitted + belongs},
		},
		"another file comes where a repository is": {
			func(s *sandbox) {
				silently(s)
				s.rename("main/dir/sub", "main/d2")
				s.git("", "init", "-q", "main/d2/n")
			},
			func(s *sandbox) { s.write("w/dir/sub/n", "theirs\n") },
			[]string{`main w: "d2/n/" in ` + nested + `, and may decide where new files of "dir/sub" belong`},
		},
		"another file comes beside it": {
			func(s *sandbox) { silently(s); s.rename("main/dir", "main/d2"); s.write("main/d2/n", big) },
			func(s *sandbox) { s.write("w/dir/m", "theirs\n") },
			nil,
		},
		"another file of one's own comes there": {
			func(s *sandbox) { silently(s); s.write("main/dir/n", "mine\n"); s.write("main/d2/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			[]string{`main w: "d2/n" in ` + omitted + belongs},
		},
		"the only file below a directory that was renamed": {
			func(s *sandbox) { alone(s); s.rename("main/alone", "main/d2") },
			func(s *sandbox) { s.write("w/alone/n", "theirs\n") },
			[]string{`main w: "d2/sub/big" in ` + omitted + `, and may decide where new files of "alone" belong`},
		},
		"the only file of a renamed directory, and a big new one beside it": {
			func(s *sandbox) { alone(s); s.rename("main/alone", "main/d2") },
			func(s *sandbox) { s.write("w/alone/n", big) },
			[]string{`main w: "d2/sub/big" in ` + omitted + `, and may decide where new files of "alone" belong`},
		},
		"its directory is kept by it": {
			func(s *sandbox) { s.rename("main/dir", "main/d2"); s.write("main/dir/n", big) },
			func(s *sandbox) { s.write("w/dir/m", "theirs\n") },
			[]string{`main w: "dir/n" in ` + omitted + belongs},
		},
		"its directory is kept by another file": {
			func(s *sandbox) {
				s.write("main/dir/stays", "x\n")
				s.rename("main/dir/sub", "main/d2")
				s.write("main/dir/n", big)
			},
			func(s *sandbox) { s.write("w/dir/m", "theirs\n") },
			nil,
		},
		"a file of its size was deleted on both sides": {
			func(s *sandbox) { s.rename("main/big", "main/n1") },
			func(s *sandbox) { s.rename("w/big", "w/n2") },
			[]string{`main w: "n1" in ` + omitted + `, and may decide what "big" was renamed to`},
		},
		"another directory was renamed": {
			func(s *sandbox) { s.write("main/n", big) },
			func(s *sandbox) { s.rename("w/dir", "w/d2") },
			nil,
		},
		"renamed and changed": {
			func(s *sandbox) { s.rename("main/big", "main/big2") },
			func(s *sandbox) { s.edit("w/big", 5, "theirs") },
			[]string{`main w: "big2" in ` + omitted + `, and may decide what "big" was renamed to`},
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

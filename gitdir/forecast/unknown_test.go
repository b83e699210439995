package forecast_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// judged are the pairs that were merged.
func judged(res *forecast.Result) (n int) {
	for _, p := range res.Pairs {
		if p.Judged {
			n++
		}
	}
	return n
}

// Without a commit on either side there is nothing to merge: that is not clean.
func TestNeitherSideHasACommit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	for _, dir := range []string{"main", "w"} {
		s.git(dir, "checkout", "-q", "--orphan", "new-"+dir)
	}
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res), `main w: "DIR/main": it has no commit yet`)
	s.wants(s.told(s.ask("main", forecast.Request{All: true})), `main w: "DIR/main": it has no commit yet`)
	if judged(res) != 0 {
		t.Errorf("judged: %+v", res.Pairs)
	}
	s.git("main", "checkout", "-q", "-f", "main")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w: "DIR/w": it has no commit yet`)
	s.git("w", "checkout", "-q", "-f", "w")
	if res = s.ask("main", forecast.Request{}); judged(res) != 1 {
		t.Errorf("not judged: %+v", res.Pairs)
	}
}

// Nor is it where git will not look at the other.
func TestNoCommitHereAndRefusedThere(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "checkout", "-q", "--orphan", "new")
	s.git("main", "config", "extensions.worktreeConfig", "true")
	s.write("main/.git/worktrees/w/config.worktree", "[broken\n")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w: "DIR/main": it has no commit yet`)
}

// A commit that is gone cannot be merged, and keeps no other pair from that.
func TestCommitThatIsGone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "worktree", "add", "-q", "--detach", "../broken")
	gone := strings.Repeat("12", 20)
	s.write("main/.git/worktrees/broken/HEAD", gone+"\n")
	s.conflicting()
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main broken: "DIR/broken": its commit `+gone+` is not in the repository`, conflictInF)
	_, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Against: gone, Temp: s.temp})
	if !errors.Is(err, forecast.ErrNoCommit) {
		t.Errorf("against it: %v", err)
	}
}

// What both omit at one place may differ.
func TestOmittedOnBothSides(t *testing.T) {
	t.Parallel()
	each := func(s *sandbox, do func(dir string)) {
		for _, dir := range []string{"main", "w"} {
			do(dir)
		}
	}
	big := func(s *sandbox, name string) {
		s.write(name, "")
		if err := os.Truncate(s.path(name), 9<<20); err != nil {
			s.Fatal(err)
		}
	}
	kinds := map[string]struct {
		prepare func(s *sandbox)
		want    []string
	}{
		"big files": {func(s *sandbox) { each(s, func(dir string) { big(s, dir+"/d/big") }) },
			[]string{`main w: "d/big" in "DIR/main" is not compared: it has more than 8 MiB`}},
		"big files of two names": {func(s *sandbox) { each(s, func(dir string) { big(s, dir+"/d/"+dir) }) }, nil},
		"a file and what is below it": {func(s *sandbox) { big(s, "main/d/e"); big(s, "w/d/e/big") },
			[]string{`main w: "d/e" in "DIR/main" is not compared: it has more than 8 MiB`}},
		"repositories": {func(s *sandbox) {
			each(s, func(dir string) {
				s.git("", "init", "-q", dir+"/sub")
				s.write(dir+"/sub/x", dir)
				s.commit(dir + "/sub")
			})
		}, []string{`main w: "sub/" in "DIR/main" is not compared: it is a repository of its own`}},
		"conflicts": {func(s *sandbox) {
			s.git("main", "checkout", "-q", "-b", "side")
			s.edit("main/f", 3, "side")
			s.commit("main")
			s.git("main", "checkout", "-q", "main")
			s.edit("main/f", 3, "mine")
			s.commit("main")
			s.git("w", "reset", "-q", "--hard", "main")
			each(s, func(dir string) { _, _ = s.try(dir, "merge", "side") })
		}, []string{`main w: "f" in "DIR/main" is not compared: ` +
			`it has a conflict of its own, so HEAD's version is compared`}},
	}
	for name, kind := range gittest.SomeOf(2, kinds) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			kind.prepare(s)
			s.wants(s.told(s.ask("main", forecast.Request{})), kind.want...)
		})
	}
}

// A union takes both contents of texts only, and not where two new files have
// two modes: git itself is asked as well.
func TestUnionsThatConflict(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.twoAnew()
	s.write("main/.gitattributes", "* merge=union\n")
	s.write("main/bin", "\x00"+numbered(20))
	s.write("main/late", numbered(9000)+"\x00") // a text, to git
	s.commit("main")
	s.git("w", "merge", "-q", "main")
	for _, dir := range []string{"main", "w"} {
		s.write(dir+"/bin", "\x00"+dir+numbered(20))
		s.edit(dir+"/late", 5, dir)
		s.edit(dir+"/f", 5, dir)
		s.write(dir+"/new", dir+"\n")
		s.write(dir+"/run", dir+"\n")
		s.commit(dir)
	}
	s.git("main", "update-index", "--chmod=+x", "run")
	s.git("main", "commit", "-q", "-m", "m")
	s.git("main", "checkout", "-q", "--", "run")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w content "bin"`, `main w both_added "run"`)
	out, err := s.try("main", "merge", "-q", "w")
	if err == nil {
		t.Fatalf("git merges it:\n%s", out)
	}
	s.wants([]string{s.git("main", "diff", "--name-only", "--diff-filter=U")}, "bin\nrun")
}

// A merge driver with a name and no command stops git.
func TestDriverWithoutACommand(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "config", "merge.nope.name", "x")
	s.write("main/.git/info/attributes", "f merge=nope\n")
	s.edit("main/f", 3, "mine")
	s.edit("w/f", 18, "theirs")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w driver "f"`,
		`main w: a merge driver, which is not run, decides about "f"`)
	s.commit("w")
	s.commit("main")
	if out, err := s.try("main", "merge", "-q", "w"); err == nil {
		t.Errorf("git merges it: %s", out)
	}
}

// A worktree of which only git's directory is known is not passed over.
func TestWorktreesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.remove("main/.git/worktrees/w/gitdir")
	s.mkdir("main/.git/worktrees/w/gitdir")
	res := s.ask("main", forecast.Request{})
	s.wants([]string{fmt.Sprint(len(res.Pairs), judged(res))}, "1 0")
	want := filepath.Join(s.find("main").CommonDir, "worktrees", "w")
	if len(res.Pairs) == 1 && (res.Pairs[0].Why == "" || res.Sides[1].Worktree != want) {
		t.Errorf("%+v", res)
	}
}

// An index that cannot be read is named, and not our copy of it.
func TestIndicesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	index := filepath.Join(s.find("w").GitDir, "index")
	text, err := os.ReadFile(index)
	if err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{"", "garbage", "XXXX" + string(text[4:]), string(text[:len(text)/2])} {
		s.write("main/.git/worktrees/w/index", damaged)
		res := s.ask("main", forecast.Request{})
		if len(res.Pairs) != 1 || res.Pairs[0].Why == "" || len(res.Pairs[0].Files) > 0 ||
			!strings.Contains(res.Pairs[0].Why, index) || strings.Contains(res.Pairs[0].Why, s.temp) {
			t.Errorf("%.10q: %q", damaged, s.told(res))
		}
	}
}

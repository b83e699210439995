package forecast_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// conflicting makes a change in both worktrees of two, uncommitted.
func (s *sandbox) conflicting() {
	s.Helper()
	s.edit("main/f", 5, "mine")
	s.edit("w/f", 5, "theirs")
}

const conflictInF = `main w content "f" [[5 5]]`

func TestIndicesOfAllKinds(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	kinds := map[string]func(s *sandbox){
		"plain":     func(*sandbox) {},
		"version 4": func(s *sandbox) { s.git("w", "update-index", "--index-version", "4") },
		"split": func(s *sandbox) {
			s.git("w", "config", "core.splitIndex", "true")
			s.git("w", "config", "splitIndex.maxPercentChange", "0") // each write would make a shared index
			s.git("w", "update-index", "--split-index")
		},
		"untracked cache": func(s *sandbox) { s.git("w", "update-index", "--force-untracked-cache"); s.git("w", "status") },
		"sparse checkout": func(s *sandbox) { s.git("w", "sparse-checkout", "set", "--no-cone", "/f") },
		"sparse index": func(s *sandbox) {
			s.write("w/deep/er/x", "x\n")
			s.commit("w")
			s.git("w", "sparse-checkout", "set", "--cone", "--sparse-index", "none")
		},
		"intent to add": func(s *sandbox) { s.write("w/later", "x\n"); s.git("w", "add", "-N", "later") },
		"same second": func(s *sandbox) { // of one size, as the index has it except for its bytes
			s.git("w", "update-index", "--refresh")
		},
	}
	for name, prepare := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			prepare(s)
			s.conflicting()
			before := s.sum("")
			s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
			if s.sum("") != before {
				t.Error("files changed")
			}
		})
	}
}

// A worktree that is merging or being rebased counts with what is resolved;
// what conflicts there already, with HEAD's version.
func TestInTheMiddle(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	side := func(s *sandbox) { // a branch that conflicts with w in g
		s.git("main", "branch", "side")
		s.git("main", "worktree", "add", "-q", "../side", "side")
		s.edit("side/g", 3, "side")
		s.edit("side/f", 18, "side")
		s.commit("side")
		s.edit("w/g", 3, "theirs")
		s.commit("w")
		s.git("main", "worktree", "remove", "../side")
	}
	t.Run("merge with conflicts", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		side(s)
		_, _ = s.try("w", "merge", "side")
		s.edit("main/g", 3, "mine")
		s.conflicting()
		res := s.ask("main", forecast.Request{})
		s.wants(s.told(res), conflictInF, `main w content "g" [[3 3]]`,
			`main w: "g" in "DIR/w" is not compared: it has a conflict of its own, so HEAD's version is compared`)
	})
	t.Run("merge of the other with conflicts", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		s.edit("w/g", 3, "theirs")
		s.commit("w")
		s.edit("w/f", 5, "theirs")
		s.commit("w")
		s.edit("main/g", 3, "mine")
		s.commit("main")
		_, _ = s.try("main", "merge", "w")
		unresolved := `"DIR/main" is merging what "DIR/w" has: its conflict in "g" is not resolved`
		s.edit("w/f", 5, "on top of what was merged")
		s.git("main", "branch", "before", "main~")
		s.git("main", "worktree", "add", "-q", "../before", "before") // without a conflict in what is merged
		s.git("main", "branch", "part", "w~")
		s.git("main", "worktree", "add", "-q", "../part", "part")
		s.wants(s.told(s.ask("main", forecast.Request{})),
			"main part: "+strings.Replace(unresolved, "DIR/w", "DIR/part", 1), "main w: "+unresolved)
	})
	t.Run("merge that is resolved", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		side(s)
		_, _ = s.try("w", "merge", "side")
		s.write("w/g", numbered(20))
		s.edit("w/f", 18, "on top of what was merged")
		s.git("w", "add", "g")
		s.git("main", "merge", "-q", "side") // what w has merged, too
		s.conflicting()
		s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
	})
	t.Run("rebase", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		side(s)
		_, _ = s.try("w", "rebase", "side")
		s.conflicting()
		s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
	})
}

func TestWorktreesOfAllKinds(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "worktree", "add", "-q", "--detach", "../detached")
	s.git("main", "worktree", "add", "-q", "../locked", "-b", "locked")
	s.git("main", "worktree", "lock", "../locked")
	s.git("main", "worktree", "add", "-q", "../gone", "-b", "gone")
	s.remove("gone")
	s.git("main", "worktree", "add", "-q", "../replaced", "-b", "replaced")
	s.remove("replaced")
	s.git("", "init", "-q", "replaced")
	s.git("main", "worktree", "add", "-q", "../emptied", "-b", "emptied")
	s.remove("emptied/.git")
	s.git("main", "worktree", "add", "-q", "--no-checkout", "../bare-of-files", "-b", "nofiles")
	s.git("main", "worktree", "add", "-q", "../unborn", "-b", "unborn")
	s.git("unborn", "checkout", "-q", "--orphan", "born-later")
	s.git("main", "worktree", "add", "-q", "../orphan", "-b", "x")
	s.git("orphan", "checkout", "-q", "--orphan", "y")
	s.write("orphan/f", "another beginning\n")
	s.commit("orphan")
	s.git("main", "worktree", "add", "-q", "in/side", "-b", "inside") // to git an untracked directory
	s.conflicting()
	s.edit("detached/f", 5, "theirs")
	s.edit("locked/f", 5, "theirs")
	s.edit("main/in/side/f", 5, "theirs")
	before := s.sum("")
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res),
		`main replaced: "DIR/replaced": another repository stands there now: its `+"`.git`"+` leads to "DIR/replaced/.git"`,
		`main detached content "f" [[5 5]]`,
		`main locked content "f" [[5 5]]`,
		`main orphan: fatal: refusing to merge unrelated histories`,
		`main main/in/side content "f" [[5 5]]`,
		`main unborn: "DIR/unborn": it has no commit yet`,
		conflictInF)
	if notes := strings.Join(res.Notes, "\n"); !strings.Contains(notes, `emptied" is skipped`) || strings.Contains(notes, "gone") {
		t.Errorf("notes: %q", res.Notes)
	}
	for _, side := range res.Sides {
		if len(side.Omitted) > 0 {
			t.Errorf("%s omits %v", side.Place(), side.Omitted)
		}
	}
	if s.sum("") != before {
		t.Error("files changed")
	}
}

// A worktree that was moved by hand is one still, though git does not know where it is.
func TestWorktreesThatWereMoved(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	s.git("main", "worktree", "add", "-q", "../deep/one", "-b", "one")
	s.rename("w", "moved")
	s.rename("deep/one", "main/inside")
	s.write("main/.git/info/exclude", "inside\n")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main moved content "f" [[5 5]]`)
	s.wants(s.told(s.ask("moved", forecast.Request{})), `moved main content "f" [[5 5]]`)
	s.write("main/.git/worktrees/one/gitdir", "/nowhere/one/.git\n")
	s.rename("main/inside", "two")
	s.edit("two/f", 5, "of two")
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main moved content "f" [[5 5]]`, `main two content "f" [[5 5]]`)
	s.remove("moved")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main two content "f" [[5 5]]`)
}

func TestBareRepositoryWithWorktrees(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("", "clone", "-q", "--bare", "main", "b.git")
	s.git("b.git", "worktree", "add", "-q", "../b1", "main")
	s.git("b.git", "worktree", "add", "-q", "../b2", "w")
	s.edit("b1/f", 5, "mine")
	s.edit("b2/f", 5, "theirs")
	s.wants(s.told(s.ask("b1", forecast.Request{})), `b1 b2 content "f" [[5 5]]`)
	s.wants(s.told(s.ask("b.git", forecast.Request{All: true})), `b1 b2 content "f" [[5 5]]`)
}

func TestUpstreamAndAgainst(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("", "clone", "-q", "main", "c")
	s.git("c", "worktree", "add", "-q", "../cw", "-b", "cw")
	s.edit("main/f", 5, "upstream")
	s.commit("main")
	s.git("c", "fetch", "-q")
	s.edit("c/f", 5, "mine")
	s.edit("cw/f", 5, "theirs")
	s.wants(s.told(s.ask("c", forecast.Request{})), `c cw content "f" [[5 5]]`, `c origin/main content "f" [[5 5]]`)
	s.wants(s.told(s.ask("c", forecast.Request{All: true})),
		`c cw content "f" [[5 5]]`, `c origin/main content "f" [[5 5]]`, `cw origin/main content "f" [[5 5]]`)
	s.wants(s.told(s.ask("c", forecast.Request{Against: "origin/w"})))
	s.wants(s.told(s.ask("c", forecast.Request{Against: "HEAD@{upstream}"})), `c HEAD@{upstream} content "f" [[5 5]]`)
	s.git("c", "remote", "set-head", "origin", "--delete") // the upstream of the main worktree's branch serves
	s.wants(s.told(s.ask("cw", forecast.Request{})), `cw c content "f" [[5 5]]`, `cw origin/main content "f" [[5 5]]`)
	for _, ref := range []string{"nowhere", "--output=x", "main:f", ""} {
		_, err := forecast.Of(t.Context(), s.find("c"), forecast.Request{Against: ref, Temp: s.temp})
		if bad := err != nil && strings.Contains(err.Error(), "not a commit"); bad != (ref != "") {
			t.Errorf("against %q: %v", ref, err)
		}
	}
}

// Whatever git takes for a commit is one.
func TestAgainstWhateverNamesACommit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.edit("w/f", 5, "theirs")
	s.git("w", "commit", "-q", "-a", "-m", "2 lines; (more) of it")
	s.git("w", "tag", "-a", "-m", "tag", "v2")
	s.commit("w")
	s.git("main", "tag", "v1")
	s.conflicting()
	for _, ref := range []string{":/2", ":/2 lines; .more", "v2", "v2^{}", "v2^0", "w~1", "w^{/2 lines}", "w@{1}", "w^{commit}",
		s.git("w", "rev-parse", "v2"), s.git("w", "rev-parse", "--short", "w~1")} {
		s.wants(s.told(s.ask("main", forecast.Request{Against: ref})), "main "+ref+` content "f" [[5 5]]`)
	}
	for _, ref := range []string{"v1..v2", "v1...v2", "^v2", "v2^!", "w^@", ":/no such", ":f", "w:f", "w^{tree}", "w@{99}", "HEAD v2", "v2\n"} {
		_, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Against: ref, Temp: s.temp})
		if !errors.Is(err, forecast.ErrNoCommit) {
			t.Errorf("against %q: %v", ref, err)
		}
	}
}

// What is omitted from a snapshot makes a pair unjudged where the other side
// changed it, and is named.
func TestOmitted(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("", "init", "-q", "main/nested")
	s.write("main/nested/x", "x\n")
	s.commit("main/nested")
	s.write("main/dangling/.git", "gitdir: /nowhere\n")
	s.write("main/dangling/x", "x\n")
	s.write("main/big", strings.Repeat("x", 8<<20+1))
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res))
	var omitted []string
	for _, o := range res.Sides[0].Omitted {
		omitted = append(omitted, o.Path+": "+o.Why)
	}
	s.wants(omitted, "big: it has more than 8 MiB", "dangling/: it is a repository of its own", "nested/: it is a repository of its own")
	s.write("w/big", "x\n")
	s.write("w/other", "x\n")
	s.wants(s.told(s.ask("main", forecast.Request{})), `main w: "big" in "DIR/main" is not compared: it has more than 8 MiB`)
	s.remove("w/big")
	s.write("w/nested/y", "x\n")
	s.wants(s.told(s.ask("w", forecast.Request{})), `w main: "nested/" in "DIR/main" is not compared: it is a repository of its own`)
}

// A directory that became a link, a file that became a directory, a fifo.
func TestFilesThatBecameSomethingElse(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "main")
	for _, name := range []string{"dir/a", "dir/b", "file", "other/c"} {
		s.write("main/"+name, numbered(9))
	}
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
	s.remove("main/dir")
	s.link("other", "main/dir")
	s.remove("main/file")
	s.write("main/file/in", "x\n")
	s.edit("w/dir/a", 2, "theirs")
	s.edit("w/file", 2, "theirs")
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res), `main w names "dir"`, `main w deleted_here "dir/a"`, `main w names "file"`)
	if len(res.Sides[0].Omitted) > 0 {
		t.Errorf("omitted: %v", res.Sides[0].Omitted)
	}
	if res.Sides[0].Changed != 5 { // dir/a, dir/b, dir, file, file/in
		t.Errorf("%d changed", res.Sides[0].Changed)
	}
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.twoAnew("--object-format=sha256")
	s.conflicting()
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
}

func TestShallowAndBorrowingRepositories(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.commit("main")
	s.edit("main/f", 1, "x")
	s.commit("main")
	s.git("", "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(s.path("main")), "shallow")
	s.git("", "clone", "-q", "--shared", "main", "first")
	s.git("", "clone", "-q", "--shared", "first", "shared")
	s.write("first/.git/objects/info/alternates", "../../../main/.git/objects\n")
	for _, r := range []string{"shallow", "shared"} {
		s.git(r, "worktree", "add", "-q", "../"+r+"-w", "-b", "theirs")
		s.edit(r+"/f", 5, "mine")
		s.edit(r+"-w/f", 5, "theirs")
		s.wants(s.told(s.ask(r, forecast.Request{})), r+" "+r+`-w content "f" [[5 5]]`)
	}
}

// Objects that stand for others, and grafts, count as they do when git merges;
// and not where the user has turned that off.
func TestReplacedHistory(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	// The base that main and w share gets the line 15 that w has not: then both
	// changed it.
	replacing := func(s *sandbox) (base, by string) {
		s.edit("main/f", 15, "zz")
		s.git("main", "add", "f")
		tree := s.git("main", "write-tree")
		s.git("main", "reset", "-q", "--hard")
		base = s.git("main", "rev-parse", "HEAD")
		s.edit("main/f", 5, "five")
		s.commit("main")
		s.edit("w/f", 15, "fifteen")
		return base, s.git("main", "commit-tree", tree, "-m", "r")
	}
	const conflict = `main w content "f" [[15 15]]`
	t.Run("replace", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		base, by := replacing(s)
		s.wants(s.told(s.ask("main", forecast.Request{})))
		s.git("main", "replace", base, by)
		s.wants(s.told(s.ask("main", forecast.Request{})), conflict)
		s.wants(s.told(s.ask("main", forecast.Request{}, "GIT_NO_REPLACE_OBJECTS=1")))
		s.git("main", "pack-refs", "--all")
		s.wants(s.told(s.ask("main", forecast.Request{})), conflict)
		s.git("main", "config", "core.useReplaceRefs", "false")
		s.wants(s.told(s.ask("main", forecast.Request{})))
	})
	t.Run("grafts", func(t *testing.T) {
		t.Parallel()
		s := newSandbox(t)
		s.two()
		_, by := replacing(s)
		s.commit("w")
		s.write("main/.git/info/grafts", s.git("main", "rev-parse", "main")+" "+by+"\n"+s.git("w", "rev-parse", "w")+" "+by+"\n")
		s.wants(s.told(s.ask("main", forecast.Request{})), conflict)
		s.remove("main/.git/info/grafts")
		s.wants(s.told(s.ask("main", forecast.Request{})))
	})
}

// A temporary directory within a worktree is no change of it, and a file of the
// user's there is.
func TestTemporaryDirectoryInAWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	for _, place := range []string{"main", "main/a [b]"} {
		s.mkdir(place)
		s.temp = s.path(place)
		res, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Temp: s.temp})
		if err != nil {
			t.Fatal(err)
		}
		if own := res.Sides[0]; own.Changed != 0 || len(own.Omitted) > 0 {
			t.Errorf("%q: %d files changed, omitted %v", place, own.Changed, own.Omitted)
		}
	}
	s.write("main/a [b]/agent-locks-forecast-1", "mine\n")
	s.write("w/a [b]/agent-locks-forecast-1", "theirs\n")
	res, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Temp: s.temp})
	if err != nil {
		t.Fatal(err)
	}
	s.wants(s.told(res), `main w both_added "a [b]/agent-locks-forecast-1" [[1 1]]`)
}

// A relative one is the process's: git runs in other directories.
func TestRelativeTemporaryDirectory(t *testing.T) {
	gittest.NotShort(t)
	s := newSandbox(t)
	s.two()
	s.conflicting()
	t.Chdir(s.dir)
	s.temp = "temp"
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
}

func TestNothingToCompareWith(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "main")
	s.write("main/f", "x\n")
	res := s.ask("main", forecast.Request{})
	if len(res.Pairs) > 0 || len(res.Sides) != 1 {
		t.Errorf("%+v", res)
	}
	s.commit("main")
	if res = s.ask("main", forecast.Request{}); len(res.Pairs) > 0 {
		t.Errorf("%+v", res)
	}
}

// A repository that may not be written to is not: its owner's modes say so, and
// its bytes.
func TestReadOnlyRepository(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.conflicting()
	s.write("main/new", "x\n")
	chmod := func(write os.FileMode) {
		for _, dir := range []string{"main", "w"} {
			err := filepath.Walk(s.path(dir), func(name string, info os.FileInfo, err error) error {
				if err != nil || info.Mode()&os.ModeSymlink != 0 {
					return err
				}
				return os.Chmod(name, info.Mode().Perm()&^0o222|write&0o200)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0)
	defer chmod(0o200)
	before := s.sum("")
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
	if s.sum("") != before {
		t.Error("files changed")
	}
}

// Where the caller's worktree was moved to the place of another one, that one is not
// assessed, whether it is somewhere else now or changed places with the caller's.
func TestMovedToThePlaceOfAnother(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"kept": "w.bak", "swapped": "other"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.git("main", "worktree", "add", "-q", "../other", "-b", "other")
			s.edit("w/f", 5, "theirs")
			s.edit("other/f", 5, "mine")
			s.rename("w", "away")
			s.rename("other", "w")
			s.rename("away", at)
			told := strings.Join(s.told(s.ask("w", forecast.Request{})), "\n")
			if !strings.Contains(told, "worktrees/w") || !strings.Contains(told, "the git directory of another worktree") {
				t.Errorf("it says %s", told)
			}
		})
	}
}

package forecast_test

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// What is marked to count as unchanged does, also where it is gone, as with `git add -A`.
func TestFilesThatCountAsUnchanged(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"--assume-unchanged", "--skip-worktree"} {
		for what, change := range map[string]func(s *sandbox){
			"deleted": func(s *sandbox) { s.remove("w/f") },
			"changed": func(s *sandbox) { s.edit("w/f", 5, "theirs") },
		} {
			t.Run(mark+" "+what, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				s.two()
				s.edit("main/f", 5, "mine")
				s.git("w", "update-index", mark, "f")
				change(s)
				s.wants(s.told(s.ask("main", forecast.Request{})))
				s.git("w", "add", "-A")
				s.wants([]string{s.git("w", "diff", "--cached", "--name-only")}, "")
			})
		}
	}
}

// The index of a worktree that has none is HEAD's, unless it has no files either: then
// nothing was checked out there yet.
func TestWorktreesWithoutAnIndex(t *testing.T) {
	t.Parallel()
	const index = "main/.git/worktrees/w/index"
	deleted := `"DIR/w" has no index: files of HEAD that are missing there count as deleted`
	for name, c := range map[string]struct {
		prepare func(s *sandbox)
		note    string
		want    []string
	}{
		"all files are there": {func(s *sandbox) { s.remove(index); s.edit("w/f", 5, "theirs") },
			deleted, []string{conflictInF}},
		"one that is ignored, too": {func(s *sandbox) {
			s.remove(index)
			s.write("w/.gitignore", "f\n")
			s.edit("w/f", 5, "theirs")
		}, deleted, []string{conflictInF}},
		"one is gone": {func(s *sandbox) { s.remove(index); s.remove("w/f") },
			deleted, []string{`main w deleted_there "f"`}},
		"none was checked out": {func(s *sandbox) {
			s.git("main", "worktree", "remove", "../w")
			s.git("main", "worktree", "add", "-q", "--no-checkout", "../w", "w")
		}, "", nil},
		"a sparse checkout": {func(s *sandbox) { s.git("w", "sparse-checkout", "set", "--no-cone", "/g"); s.remove(index) },
			"", []string{`main w: "DIR/w": it has no index, so it is not known which files its sparse checkout omits`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			s.edit("main/f", 5, "mine")
			c.prepare(s)
			before := s.sum("")
			res := s.ask("main", forecast.Request{})
			s.wants(s.told(res), c.want...)
			s.wants([]string{strings.ReplaceAll(strings.Join(res.Notes, "\n"), s.dir, "DIR")}, c.note)
			if s.sum("") != before {
				t.Error("files changed")
			}
		})
	}
}

// A repository where a file was is not compared: added, it is a submodule.
func TestRepositoryInThePlaceOfAFile(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.remove("w/f")
	s.git("", "init", "-q", "w/f")
	s.commit("w/f")
	s.edit("w/g", 5, "theirs")
	s.wants(s.told(s.ask("main", forecast.Request{})))
	s.edit("main/f", 5, "mine")
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main w: "f/" in "DIR/w" is not compared: it is a repository of its own`)
}

// Like git, a forecast follows GIT_INDEX_FILE, here to an index that has a file which
// is ignored, and the directories in which git is told to look for objects.
func TestVariablesThatGitFollows(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.write("main/.git/info/exclude", "h\n")
	s.write("main/h", "mine\n")
	s.write("w/h", "theirs\n")
	s.git("w", "add", "-f", "h")
	index := "GIT_INDEX_FILE=" + s.path("index")
	in := *s
	in.env = append(s.env[:len(s.env):len(s.env)], index)
	in.git("main", "read-tree", "HEAD")
	in.git("main", "add", "-f", "h")
	s.wants(s.told(s.ask("main", forecast.Request{})))
	s.wants(s.told(s.ask("main", forecast.Request{}, index)), `main w both_added "h" [[1 1]]`)
	s.wants(s.told(s.ask("w", forecast.Request{}, "GIT_INDEX_FILE=.git/index")), `w main: "DIR/w": stat DIR/w/.git/index: not a directory`)

	s.git("", "clone", "-q", "--shared", "main", "other")
	s.edit("other/f", 5, "other")
	s.commit("other")
	s.edit("main/f", 5, "mine")
	commit := s.git("other", "rev-parse", "HEAD")
	for _, variable := range []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=../other/.git/objects",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=nowhere" + string(os.PathListSeparator) + s.path("other/.git/objects"),
		"GIT_OBJECT_DIRECTORY=" + s.path("other/.git/objects")} {
		s.wants(s.told(s.ask("main", forecast.Request{Against: commit}, variable)),
			`main `+commit+` content "f" [[5 5]]`)
	}
	s.git("main", "config", "merge.own.driver", "false")
	s.write("main/.git/info/attributes", "f merge=own\n")
	s.edit("w/f", 5, "theirs")
	s.wants(s.told(s.ask("main", forecast.Request{}, "GIT_CONFIG="+os.DevNull)), `main w driver "f"`,
		`main w: a merge driver, which is not run, decides about "f"`)
}

// git reads most of a damaged index without a word. What it would make of one is not
// compared, wherever it is cut short or changed.
func TestDamagedIndexes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.write("w/sub/x", "x\n")
	s.commit("w")
	s.conflicting()
	const index = "main/.git/worktrees/w/index"
	whole, err := os.ReadFile(s.path(index))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.path(index))
	if err != nil {
		t.Fatal(err)
	}
	body := whole[:len(whole)-sha1.Size]
	unsigned := append(bytes.Clone(body), make([]byte, sha1.Size)...)
	signed := func(extension string) []byte {
		text := append(bytes.Clone(body), extension...)
		sum := sha1.Sum(text)
		return append(text, sum[:]...)
	}
	damaged := map[string][]byte{
		"empty": {}, "other text": []byte(numbered(50)), "no checksum": unsigned,
		"an unknown extension": signed("zzzz\x00\x00\x00\x04abcd"), "a bad extension": signed("link\x00\x00\x00\x04abcd"),
	}
	for at := 5; at < len(whole); at += 31 {
		damaged[fmt.Sprint("cut at ", at)] = whole[:at]
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		damaged[fmt.Sprint("changed at ", at)] = flipped
		damaged[fmt.Sprint("zeros from ", at)] = append(bytes.Clone(whole[:at]), make([]byte, len(whole)-at)...)
	}
	for name, text := range gittest.SomeOf(5, damaged) {
		s.write(index, string(text))
		res := s.ask("main", forecast.Request{})
		why, ok := strings.CutPrefix(res.Pairs[0].Why, fmt.Sprintf("%q: the index %q is damaged (", s.path("w"), s.path(index)))
		if !ok || res.Pairs[0].Judged || !strings.HasSuffix(why, "): delete it and run `git reset` there, which makes a new one") {
			t.Errorf("%s: %q", name, s.told(res))
		}
	}
	s.git("main", "config", "index.skipHash", "true") // of git 2.40; all read such an index
	for name, text := range map[string][]byte{"whole": whole, "no checksum": unsigned, "an extension": signed("ZZZZ\x00\x00\x00\x04abcd")} {
		s.write(index, string(text))
		if err := os.Chtimes(s.path(index), info.ModTime(), info.ModTime()); err != nil { // else f counts as unchanged
			t.Fatal(err)
		}
		if res := s.ask("main", forecast.Request{}); len(res.Pairs[0].Files) != 1 || res.Pairs[0].Why != "" {
			t.Errorf("%s: %q", name, s.told(res))
		}
	}
	s.remove(index) // the way out
	s.git("w", "reset", "-q")
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
}

// Neither is what a split index borrows from one that is damaged.
func TestDamagedSharedIndex(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("w", "update-index", "--split-index")
	s.conflicting()
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
	shared := ""
	entries, err := os.ReadDir(s.path("main/.git/worktrees/w"))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "sharedindex.") {
			shared = "main/.git/worktrees/w/" + entry.Name()
		}
	}
	if shared == "" {
		t.Fatalf("there is no shared index: %v", err)
	}
	text, err := os.ReadFile(s.path(shared))
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2] ^= 1
	s.remove(shared) // it is read-only
	s.write(shared, string(text))
	const index = "main/.git/worktrees/w/index"
	want := fmt.Sprintf("the index %q is damaged (the checksum of %q is wrong)", s.path(index), s.path(shared))
	if why := s.ask("main", forecast.Request{}).Pairs[0].Why; !strings.Contains(why, want) {
		t.Errorf("%q, want %q", why, want)
	}
	s.remove(index) // the way out
	s.git("w", "reset", "-q")
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF)
}

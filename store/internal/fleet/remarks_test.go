//go:build unix

package fleet

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// at runs git in the remote, with an index of its own.
func (f forger) at(index string, args ...string) string {
	f.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = f.bare, append(identified(), "GIT_INDEX_FILE="+index)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("git %q: %v\n%s", args, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// files writes the tree of an index with the given files: mode, id and path.
func (f forger) files(files []string) string {
	f.t.Helper()
	index := filepath.Join(f.t.TempDir(), "index")
	for _, file := range files {
		f.at(index, "update-index", "--add", "--cacheinfo", file)
	}
	return f.at(index, "write-tree")
}

// What a commit may have renamed, misplaced or damaged counts as a possible lock, and
// everything else does not: a README beside the clones' directories makes no answer
// incomplete.
func TestWhatMayBeALock(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const id = "2026-01-01T00-00-00-good"
	bare := newRemote(t)
	f := forger{t, bare}
	blob := func(text string) string { return f.object("blob", []byte(text)) }
	text := string(goodLock(t, id))
	good, link, commit := blob(text), blob("elsewhere"), strings.Repeat("1", 40)
	index := func(files ...string) func() string {
		return func() string { return f.files(files) }
	}
	at := func(mode, path string) func() string {
		of := map[string]string{"120000": link, "160000": commit}[mode]
		if of == "" {
			of = good
		}
		return index(mode + "," + of + "," + path)
	}
	content := func(text string) func() string {
		return func() string { return f.files([]string{"100644," + blob(text) + ",clone001/" + id + ".md"}) }
	}
	// beside adds an entry to a valid lock.
	beside := func(mode, path string) func() string {
		of := map[string]string{"120000": link, "160000": commit}[mode]
		if of == "" {
			of = good
		}
		return index("100644,"+good+",clone001/"+id+".md", mode+","+of+","+path)
	}
	// literal writes trees that cannot be made from an index.
	literal := func(dirMode, fileMode string) func() string {
		return func() string {
			locks := f.tree(format.Entry{Mode: fileMode, Name: id + ".md", ID: good})
			return f.tree(format.Entry{Mode: dirMode, Name: "clone001", ID: locks})
		}
	}
	const readable = true
	a, seq := newClone(t, bare), 0
	for _, tc := range []struct {
		name       string
		tree       func() string
		readable   bool
		may, stray int
	}{
		{"a lock", at("100644", "clone001/"+id+".md"), readable, 0, 0},
		{"executable", at("100755", "clone001/"+id+".md"), false, 1, 0},
		{"a link", at("120000", "clone001/"+id+".md"), false, 1, 0},
		{"a submodule", at("160000", "clone001/"+id+".md"), false, 1, 0},
		{"a directory", at("100644", "clone001/"+id+".md/x.md"), false, 1, 0},
		{"a mode of old", literal("40000", "100664"), false, 1, 0},
		{"extension in capitals", at("100644", "clone001/"+id+".MD"), false, 1, 0},
		{"another extension", at("100644", "clone001/"+id+".markdown"), false, 1, 0},
		{"no extension", at("100644", "clone001/"+id), false, 1, 0},
		{"an editor's copy", at("100644", "clone001/"+id+".md~"), false, 1, 0},
		{"in a directory", at("100644", "clone001/old/"+id+".md"), false, 1, 0},
		{"a blank in its name", at("100644", "clone001/"+id+" 2.md"), false, 1, 0},
		{"hidden", at("100644", "clone001/."+id+".md"), false, 1, 0},
		{"a device", at("100644", "clone001/con.md"), false, 1, 0},
		{"a long name", at("100644", "clone001/"+strings.Repeat("x", 300)+".md"), false, 1, 0},
		{"letter case alone", beside("100644", "clone001/"+strings.ToUpper(id)+".md"), readable, 1, 0},
		{"empty", content(""), false, 1, 0},
		{"no frontmatter", content("# Title\n"), false, 1, 0},
		{"frontmatter without an end", content(strings.Replace(text, "\n---\n", "\n", 1)), false, 1, 0},
		{"unknown status", content(strings.Replace(text, "active", "activ", 1)), false, 1, 0},
		{"no status", content(strings.Replace(text, "status: active\n", "", 1)), false, 1, 0},
		{"no scope", content(strings.Replace(text, "scope:\n  - "+id+"/**\n", "", 1)), false, 1, 0},
		{"scope of another type", content(strings.Replace(text, "scope:\n  - "+id+"/**\n", "scope: {a: b}\n", 1)), false, 1, 0},
		{"a lock of another id", content(strings.Replace(text, "id: "+id, "id: other", 1)), readable, 0, 0},
		{"a scope of nothing", content(strings.Replace(text, "scope:\n  - "+id+"/**\n", "scope: []\n", 1)), readable, 0, 0},
		{"unknown mode", content(strings.Replace(text, "active\n", "active\nmode: mine\n", 1)), readable, 0, 0},
		{"no time", content(regexp.MustCompile(`updated: .*\n`).ReplaceAllString(text, "")), readable, 0, 0},
		{"a bad lease", content(strings.Replace(text, "active\n", "active\nlease_minutes: -5\n", 1)), readable, 0, 0},
		{"a key twice", content(strings.Replace(text, "active\n", "active\nstatus: done\n", 1)), false, 1, 0},
		{"lines of another system", content(strings.ReplaceAll(text, "\n", "\r\n")), readable, 0, 0},
		{"a byte order mark", content("\ufeff" + text), readable, 0, 0},
		{"not text", content(text + "\xff\x00"), false, 1, 0},
		{"conflict markers", content("<<<<<<< a\n" + text + "=======\n>>>>>>> b\n"), false, 1, 0},
		{"too long", content(text + strings.Repeat("x", format.MaxLock)), false, 1, 0},
		{"the clone in capitals", at("100644", "Clone001/"+id+".md"), false, 1, 0},
		{"the clone renamed", at("100644", "clone001.old/"+id+".md"), false, 1, 0},
		{"the clone in a directory", at("100644", "old/clone001/"+id+".md"), false, 1, 0},
		{"the clone in another one's", at("100644", "clone002/clone001/"+id+".md"), false, 1, 0},
		{"the clone as a file", at("100644", "clone001"), false, 1, 0},
		{"the clone as a link", at("120000", "clone001"), false, 1, 0},
		{"the clone as a submodule", at("160000", "clone001"), false, 1, 0},
		{"another submodule", at("160000", "locks"), false, 1, 0},
		{"a clone without anything", func() string {
			return f.tree(format.Entry{Mode: "40000", Name: "clone001", ID: f.tree()})
		}, false, 0, 0},
		{"a clone with too much", func() string {
			return f.tree(format.Entry{Mode: "40000", Name: "clone001", ID: f.full()})
		}, false, 1, 0},
		{"beside the clones", at("100644", id+".md"), false, 1, 0},
		{"beside the clones, in other letters", at("100644", "2026-01-01t00-00-00-good.MD"), false, 1, 0},
		{"a README", beside("100644", "README"), readable, 0, 1},
		{"a README.md", beside("100644", "README.md"), readable, 0, 1},
		{"git's own files", beside("100644", ".gitattributes"), readable, 0, 1},
		{"a format", beside("100644", "format"), readable, 0, 1},
		{"a link beside the clones", beside("120000", "latest"), readable, 0, 1},
		{"a README in a clone's directory", beside("100644", "clone001/README"), readable, 1, 0},
		{"an owner", beside("100644", "clone001/.owner"), readable, 0, 0},
		{"an owner as a link", beside("120000", "clone001/.owner"), readable, 0, 1},
		{"an owner as a directory", beside("100644", "clone001/.owner/x.md"), readable, 1, 0},
		{"ended as a file", beside("100644", "ended"), readable, 0, 1},
		{"ended in capitals", beside("100644", "Ended/clone001/x.md"), readable, 1, 0},
		{"another clone's end", beside("100644", "ended/clone001/"+id+".MD"), readable, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			seq++
			f.lead(tc.tree(), seq, "epochepoch")
			v, err := a.Look(context.Background(), 20*time.Second, true)
			if err != nil {
				t.Fatal(err)
			}
			if tc.readable != (len(v.Locks) == 1) {
				t.Errorf("the locks are %q", ids(v))
			}
			if said := v.Remarks; said.MayBeLocks.Count != tc.may || said.Strays.Count != tc.stray {
				t.Errorf("%d may be locks, and %d not; want %d and %d: %q", said.MayBeLocks.Count, said.Strays.Count,
					tc.may, tc.stray, said.Texts())
			}
		})
	}
	// If git refuses to fetch it, nothing is known about it at all.
	twice := format.Entry{Mode: "100644", Name: id + ".md", ID: good}
	for _, tree := range []string{
		f.tree(format.Entry{Mode: "40000", Name: "clone001", ID: f.tree(twice, twice)}), literal("040000", "100644")(),
	} {
		seq++
		f.lead(tree, seq, "epochepoch")
		_, err := a.Look(context.Background(), 20*time.Second, true)
		wantCode(t, err, fault.FleetBroken)
	}
}

// A possible lock of a clone stays when the last readable lock ends, until a purge.
func TestWhatMayBeALockStaysUntilAPurge(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const id = "2026-01-01T00-00-00-good"
	bare := newRemote(t)
	f := forger{t, bare}
	good := f.object("blob", goodLock(t, id))
	f.lead(f.files([]string{"100644," + good + ",clone001/" + id + ".md", "100644," + good + ",clone001/other.MD"}), 1,
		"epochepoch")
	a := newClone(t, bare)
	wantIDs(t, a.look(), id)
	a.plan.Ends = []End{{"clone001", id, "agent-9"}}
	a.must(a.sync())
	a.plan.Ends = nil
	if v := a.look(); len(v.Locks) > 0 || v.Remarks.MayBeLocks.Count != 1 {
		t.Errorf("after the end there are %q and %+v", ids(v), v.Remarks)
	}
	if got := git(t, bare, "ls-tree", "-r", "--name-only", DefaultRef, "clone001"); got != "clone001/other.MD" {
		t.Errorf("the ref has %s", got)
	}
	a.plan.Purge = true
	a.must(a.sync())
	if v := a.look(); v.Remarks.Count() > 0 {
		t.Errorf("after a purge there are %+v", v.Remarks)
	}
}

// Whatever somebody has put in place of a clone's directory is removed by the clone's
// next sync, even if it has nothing to publish.
func TestPlaceOfACloneIsItsOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	a, b := newClone(t, bare), newClone(t, bare)
	a.look()
	f.lead(f.files([]string{"100644," + f.object("blob", []byte("x")) + "," + a.self(t)}), 1, "epochepoch")
	if v := b.look(); v.Remarks.MayBeLocks.Count != 1 {
		t.Errorf("there are %+v", v.Remarks)
	}
	a.must(a.sync())
	if v := b.look(); v.Remarks.Count() > 0 {
		t.Errorf("after its sync there are %+v", v.Remarks)
	}
	if r := a.must(a.sync()); r.Pushes > 0 {
		t.Errorf("with nothing to do it pushes %d times", r.Pushes)
	}
}

// Unreadable content of ended/ is reported as long as it is there, and does not count as
// an active lock.
func TestEndedIsNamedAsLongAsItIsThere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	a, b := newClone(t, bare), newClone(t, bare)
	a.look()
	f.lead(f.files([]string{"100644," + f.object("blob", []byte("x")) + ",ended/" + a.self(t) + "/x.md"}), 1, "epochepoch")
	for range 2 {
		if v := a.look(); v.Remarks.MayBeLocks.Count > 0 || v.Remarks.Strays.Count != 1 ||
			!strings.HasPrefix(v.Remarks.Texts()[0], `of what others have ended: "x" is ignored`) {
			t.Errorf("there are %+v", v.Remarks)
		}
		b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	}
}

//go:build unix

package fleet

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A forger writes arbitrary content to the ref.
type forger struct {
	t    testing.TB
	bare string
}

func (f forger) object(kind string, data []byte) string {
	f.t.Helper()
	cmd := exec.Command("git", "hash-object", "-t", kind, "--literally", "-w", "--stdin")
	cmd.Dir, cmd.Env, cmd.Stdin = f.bare, identified(), bytes.NewReader(data)
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// tree writes a tree of entries as they are: mode, name, id.
func (f forger) tree(entries ...format.Entry) string {
	f.t.Helper()
	var raw []byte
	for _, e := range entries {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			f.t.Fatal(err)
		}
		raw = append(append(raw, e.Mode+" "+e.Name+"\x00"...), id...)
	}
	return f.object("tree", raw)
}

// lead makes the ref point to a tree, as a successor of its current tip.
func (f forger) lead(tree string, seq int, epoch string) {
	f.t.Helper()
	message := fmt.Sprintf("x\n\nformat: 1\nepoch: %s\nseq: %d\nchain: 1\nnonce: x\n", epoch, seq)
	c := format.Commit{Tree: tree, Committer: "Mallory <m@example.com>", Message: message}
	git(f.t, f.bare, "update-ref", DefaultRef, f.object("commit", []byte(c.Object("", 1700000000))))
}

func goodLock(t testing.TB, id string) []byte {
	t.Helper()
	data, err := format.Render(newLock(id, id+"/**"), false)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Only names of the format become files, and only below the fleet's directory, whatever
// is in the ref. The rest is ignored and reported.
func TestHostileTree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	good := f.object("blob", goodLock(t, "2026-01-01T00-00-00-good"))
	huge := f.object("blob", bytes.Repeat([]byte("x"), 300<<10))
	bomb := f.object("blob", make([]byte, 100<<20))
	file, dir := format.ModeFile, format.ModeDir
	locks := f.tree(
		format.Entry{Mode: file, Name: "2026-01-01T00-00-00-GOOD.md", ID: good},
		format.Entry{Mode: "100755", Name: "2026-01-01T00-00-00-exec.md", ID: good},
		format.Entry{Mode: file, Name: "2026-01-01T00-00-00-good.md", ID: good},
		format.Entry{Mode: "120000", Name: "2026-01-01T00-00-00-link.md", ID: f.object("blob", []byte("/etc/passwd"))},
		format.Entry{Mode: file, Name: "CON.md", ID: good},
		format.Entry{Mode: file, Name: "bomb.md", ID: bomb},
		format.Entry{Mode: file, Name: "huge.md", ID: huge},
		format.Entry{Mode: file, Name: "no lock.md", ID: good},
		format.Entry{Mode: file, Name: "refused.md", ID: f.object("blob", []byte("# no frontmatter\n"))},
		format.Entry{Mode: "160000", Name: "sub.md", ID: strings.Repeat("1", 40)},
	)
	deep := f.tree(format.Entry{Mode: file, Name: "x.md", ID: good})
	for range 10 { // a thousand times as many if each is followed
		var entries []format.Entry
		for i := range 10 {
			entries = append(entries, format.Entry{Mode: dir, Name: fmt.Sprintf("d%d", i), ID: deep})
		}
		deep = f.tree(entries...)
	}
	link := f.object("blob", []byte("/tmp"))
	f.lead(f.tree(
		format.Entry{Mode: dir, Name: "Clone001", ID: locks},
		format.Entry{Mode: dir, Name: "clone001", ID: locks},
		format.Entry{Mode: dir, Name: "clone002", ID: deep},
		format.Entry{Mode: "120000", Name: "clone003", ID: link},
		format.Entry{Mode: file, Name: "clone004", ID: good},
		format.Entry{Mode: "160000", Name: "clone005", ID: strings.Repeat("1", 40)},
		format.Entry{Mode: dir, Name: "clone0066", ID: locks},
		format.Entry{Mode: dir, Name: "ended", ID: deep},
	), 1, "epochepoch")

	a := newClone(t, bare)
	around := filepath.Join(a.dir, ".git")
	v := a.look()
	wantIDs(t, v, "2026-01-01T00-00-00-good")
	for name := range storetest.Tree(t, around) {
		if strings.HasPrefix(name, "agents-locks/fleet/") && strings.HasSuffix(name, ".md") &&
			name != "agents-locks/fleet/clone001/2026-01-01T00-00-00-good.md" {
			t.Errorf("there is %s", name)
		}
	}
	said := strings.Join(v.Remarks.Texts(), "\n")
	for _, name := range []string{"Clone001", "clone003", "clone004", "clone005", "clone0066", "exec.md",
		"GOOD.md", "link.md", "CON.md", "no lock.md", "sub.md", "bomb", "104857600 bytes", "huge", "307200 bytes", "refused"} {
		if !strings.Contains(said, name) {
			t.Errorf("it is not said that %s is ignored:\n%s", name, said)
		}
	}
	// It does not keep anybody from working.
	a.must(a.claim("2026-01-01T00-00-00-mine", "src/**"))
	if v := a.look(); !strings.Contains(strings.Join(v.Remarks.Texts(), "\n"), "refused") {
		t.Error("what was ignored is not said the next time")
	}
}

// Names that lead elsewhere are ignored. Newer versions of git refuse them themselves.
func TestNamesThatLeadElsewhere(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	good := f.object("blob", goodLock(t, "x"))
	locks := f.tree(
		format.Entry{Mode: format.ModeFile, Name: "../../evil.md", ID: good},
		format.Entry{Mode: format.ModeFile, Name: "..\\evil.md", ID: good},
		format.Entry{Mode: format.ModeFile, Name: "/evil.md", ID: good},
		format.Entry{Mode: format.ModeFile, Name: "x.md", ID: good},
	)
	f.lead(f.tree(
		format.Entry{Mode: format.ModeDir, Name: "..", ID: locks},
		format.Entry{Mode: format.ModeDir, Name: ".git", ID: locks},
		format.Entry{Mode: format.ModeDir, Name: "/tmp", ID: locks},
		format.Entry{Mode: format.ModeDir, Name: "clone001", ID: locks},
	), 1, "epochepoch")
	a := newClone(t, bare)
	v, err := a.Look(context.Background(), 20*time.Second, true)
	if err == nil {
		wantIDs(t, v, "x")
		if said := strings.Join(v.Remarks.Texts(), "\n"); !strings.Contains(said, "evil.md") || !strings.Contains(said, ".git") {
			t.Errorf("it is not said: %s", said)
		}
	} else {
		wantCode(t, err, fault.FleetBroken)
	}
	for name := range storetest.Tree(t, filepath.Dir(a.dir)) {
		if strings.Contains(name, "evil") {
			t.Errorf("there is %s", name)
		}
	}
}

// Names that git itself refuses make the tip unreadable. The last view stays, the writer
// is named if the commit is readable, and a reset replaces the tip.
func TestBrokenTip(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		lead func(f forger)
		want string
	}{
		"no commit": {func(f forger) {
			git(t, f.bare, "update-ref", DefaultRef, f.object("blob",
				[]byte("x")))
		}, "of another kind"},
		"a commit of others": {func(f forger) { f.lead(f.tree(), 1, "") }, "Mallory"},
		"entries twice": {func(f forger) {
			blob := f.object("blob", []byte("x"))
			e := format.Entry{Mode: format.ModeFile, Name: "a", ID: blob}
			f.lead(f.tree(e, e), 9, "epochepoch")
		}, "duplicateEntries"},
		"a huge tree": {func(f forger) {
			blob := f.object("blob", []byte("x"))
			var entries []format.Entry
			for i := range 20000 {
				entries = append(entries, format.Entry{Mode: format.ModeFile, Name: fmt.Sprintf("%08d", i), ID: blob})
			}
			f.lead(f.tree(entries...), 9, "epochepoch")
		}, "too large"},
		"an object that the host has lost": {func(f forger) {
			blob := f.object("blob", []byte("lost"))
			f.lead(f.tree(format.Entry{Mode: format.ModeFile, Name: "x", ID: blob}), 9, "epochepoch")
			if err := os.Remove(filepath.Join(f.bare, "objects", blob[:2], blob[2:])); err != nil {
				t.Fatal(err)
			}
		}, "corruption on the remote side"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			a, b := newClone(t, bare), newClone(t, bare)
			b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
			a.look()
			c.lead(forger{t, bare})
			v, err := a.Look(context.Background(), 20*time.Second, true)
			wantCode(t, err, fault.FleetBroken)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
			wantIDs(t, v, "2026-01-01T00-00-00-b")
			_, err = a.claim("2026-01-01T00-00-00-a", "src/**")
			wantCode(t, err, fault.FleetBroken)

			if _, err := a.Reset(context.Background(), 20*time.Second); err != nil {
				t.Fatal(err)
			}
			if _, err := a.claim("2026-01-01T00-00-00-a", "docs/**"); err == nil {
				t.Error("a live lock was passed by")
			}
			a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
			wantIDs(t, b.look(), "2026-01-01T00-00-00-a")
			b.must(b.sync())
			wantIDs(t, a.look(), "2026-01-01T00-00-00-b")
		})
	}
}

// A clone's excess locks and excess clones are ignored. A clone that would not be seen
// gets an error.
func TestBoundsHold(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	blob := f.object("blob", goodLock(t, "x"))
	var entries []format.Entry
	for i := range format.MaxLocks + 100 {
		entries = append(entries, format.Entry{Mode: format.ModeFile, Name: fmt.Sprintf("lock-%04d.md", i), ID: blob})
	}
	many := f.tree(entries...)
	one := f.tree(format.Entry{Mode: format.ModeFile, Name: "x.md", ID: blob})
	entries = []format.Entry{{Mode: format.ModeDir, Name: "aaaaaaaa", ID: many}}
	for i := range format.MaxClones + 5 {
		entries = append(entries, format.Entry{Mode: format.ModeDir, Name: fmt.Sprintf("clone%03d", i), ID: one})
	}
	f.lead(f.tree(entries...), 1, "epochepoch")
	a := newClone(t, bare)
	v := a.look()
	if want := format.MaxLocks + format.MaxClones - 1; len(v.Locks) != want {
		t.Errorf("%d locks, want %d", len(v.Locks), want)
	}
	if said := strings.Join(v.Remarks.Texts(), "\n"); !strings.Contains(said, "more than 64") || !strings.Contains(said,
		"more than 500") {
		t.Errorf("it is not said: %s", said)
	}
	_, err := a.claim("2026-01-01T00-00-00-a", "src/**")
	wantCode(t, err, fault.FleetRefused)
}

// A planted symbolic link does not lead out of the store.
func TestPlantedLink(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	outside := realTemp(t)
	if err := os.Symlink(outside, filepath.Join(a.dir, ".git", "agents-locks", "fleet", b.self(t))); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Look(context.Background(), 10*time.Second, true); err == nil {
		t.Error("it was followed, or passed over in silence")
	}
	if names := storetest.NamesLike(t, outside, "*"); len(names) > 0 {
		t.Errorf("outside there is %q", names)
	}
}

// A newer format is read as far as possible, and not written.
func TestNewerFormat(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	one := f.tree(format.Entry{Mode: format.ModeFile, Name: "x.md", ID: f.object("blob", goodLock(t, "x"))})
	tree := f.tree(format.Entry{Mode: format.ModeDir, Name: "clone001", ID: one})
	c := format.Commit{Tree: tree, Committer: "N <n@example.com>", Message: "x\n\nformat: 2\nepoch: epochepoch\nseq: 4\n"}
	git(t, bare, "update-ref", DefaultRef, f.object("commit", []byte(c.Object("", 1700000000))))
	a := newClone(t, bare)
	wantIDs(t, a.look(), "x")
	_, err := a.claim("2026-01-01T00-00-00-a", "src/**")
	wantCode(t, err, fault.FleetRefused)
	if err == nil || !strings.Contains(err.Error(), "format 2") {
		t.Error(err)
	}
	// Somebody may have written it to keep others from writing. They can replace it, and
	// keep the live locks.
	if _, err := a.Reset(t.Context(), 20*time.Second); err != nil {
		t.Fatal(err)
	}
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	v := newClone(t, bare).look()
	wantIDs(t, v, "2026-01-01T00-00-00-a", "x")
	if v.Tip.Format != format.Version || v.Tip.Epoch == "epochepoch" {
		t.Errorf("the ref is %+v", v.Tip)
	}
	git(t, bare, "fsck", "--strict")
}

// A sequence number at the maximum starts another history, so that clones can still
// write.
func TestNumberAtTheEndOfItsRange(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	f.lead(git(t, bare, "rev-parse", DefaultRef+"^{tree}"), format.MaxSeq, a.look().Tip.Epoch)
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	wantIDs(t, a.look(), "2026-01-01T00-00-00-b")
	a.must(a.claim("2026-01-01T00-00-00-c", "lib/**"))
	wantIDs(t, newClone(t, bare).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b", "2026-01-01T00-00-00-c")
}

// A tree of maximum size accepts no more entries, which would make it unreadable.
func TestTreeThatIsFull(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	blob := f.object("blob", []byte("x"))
	var entries []format.Entry
	for i := range format.MaxTree / 36 {
		entries = append(entries, format.Entry{Mode: format.ModeFile, Name: fmt.Sprintf("zz%06d", i), ID: blob})
	}
	f.lead(f.tree(entries...), 1, "epochepoch")
	a, b := newClone(t, bare), newClone(t, bare)
	_, err := a.claim("2026-01-01T00-00-00-a", "src/**")
	wantCode(t, err, fault.FleetRefused)
	v := b.look()
	wantIDs(t, v)
	if said := v.Remarks.MayBeLocks; said.Count != format.MaxTree/36 || len(said.Texts) > 11 {
		t.Errorf("%d remarks of %d", len(said.Texts), said.Count)
	}
	a.plan.Purge = true
	a.must(a.sync())
	a.plan.Purge = false
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
}

// Unreadable content of ended/ keeps nobody from ending a lock.
func TestEndedThatCannotBeRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const file, dir = format.ModeFile, format.ModeDir
	for name, ended := range map[string]func(f forger) string{
		"a huge lock": func(f forger) string {
			blob := f.object("blob", bytes.Repeat([]byte("x"), 300<<10))
			return f.tree(format.Entry{Mode: dir, Name: "clone001", ID: f.tree(format.Entry{Mode: file, Name: "x.md", ID: blob})})
		},
		"a huge directory": func(f forger) string {
			return f.tree(format.Entry{Mode: dir, Name: "clone001", ID: f.full()})
		},
		"many clones": func(f forger) string { return f.full() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			f := forger{t, bare}
			a, b := newClone(t, bare), newClone(t, bare)
			a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
			id := a.self(t)
			root := format.Tree(nil).With(dir, id, git(t, bare, "rev-parse", DefaultRef+":"+id)).With(dir, "ended", ended(f))
			f.lead(f.tree(root...), 2, a.look().Tip.Epoch)
			b.look()
			b.plan.Ends = []End{{id, "2026-01-01T00-00-00-a", "agent-9"}}
			b.must(b.sync())
			if v := a.look(); len(v.Ended) != 1 {
				t.Errorf("the owner hears of %v", v.Ended)
			}
		})
	}
}

// full returns a tree that exceeds the size limit.
func (f forger) full() string {
	blob := f.object("blob", []byte("x"))
	var entries []format.Entry
	for i := range format.MaxTree / 36 {
		entries = append(entries, format.Entry{Mode: format.ModeFile, Name: fmt.Sprintf("zz%07d", i), ID: blob})
	}
	return f.tree(entries...)
}

//go:build unix

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A lock is kept as judged if none of its terms has changed in the ref, and its heartbeat
// there is not newer than its own.
func TestKeeps(t *testing.T) {
	t.Parallel()
	own := newLock("2026-01-01T00-00-00-a", "src/**")
	own.Published.Nonce = "n"
	for name, change := range map[string]func(l *lockfile.Lock){
		"nonce":     func(l *lockfile.Lock) { l.Published.Nonce = "m" },
		"scope":     func(l *lockfile.Lock) { l.Scope = []string{"nothing/"} },
		"more":      func(l *lockfile.Lock) { l.Scope = append(l.Scope, "docs") },
		"mode":      func(l *lockfile.Lock) { l.Mode = lockfile.Shared },
		"status":    func(l *lockfile.Lock) { l.Status = lockfile.Done },
		"lease":     func(l *lockfile.Lock) { l.LeaseMinutes = 600 },
		"threshold": func(l *lockfile.Lock) { l.Published.StaleAfter = 600 },
		"heartbeat": func(l *lockfile.Lock) { l.Updated.Time = l.Updated.Add(time.Hour) },
	} {
		there := own
		change(&there)
		if standingOf(there, "blob").Keeps(&own) {
			t.Errorf("it stands with another %s", name)
		}
	}
	there := own
	there.Title, there.Updated.Time = "Another", there.Updated.Add(-time.Minute)
	if !standingOf(there, "blob").Keeps(&own) {
		t.Error("it does not stand")
	}
}

// A lock that others do not see does not count as published: if its clone is beyond the
// maximum number of clones, or the lock beyond the maximum size.
func TestWhatOthersDoNotSeeDoesNotStand(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	own := git(t, bare, "rev-parse", DefaultRef+":"+a.look().Self.Clone)
	clone := a.look().Self.Clone
	one := f.tree(format.Entry{Mode: "100644", Name: "2026-01-01T00-00-00-x.md",
		ID: f.object("blob", goodLock(t, "2026-01-01T00-00-00-x"))})
	var crowd format.Tree
	for i := range format.MaxClones {
		crowd = crowd.With(format.ModeDir, fmt.Sprintf("00000%03d", i), one)
	}
	crowd = crowd.With(format.ModeDir, clone, own)
	tip := a.look().Tip
	f.lead(f.tree(crowd...), int(tip.Seq)+1, tip.Epoch)
	for range 2 { // the second tip has the same directory
		if s := a.look().Mine["2026-01-01T00-00-00-a"]; s.Nonce != "" || s.Blob == "" {
			t.Errorf("it stands as %+v", s)
		}
		tip = a.look().Tip
		f.lead(f.tree(crowd.With(format.ModeDir, "00000000", "")...), int(tip.Seq)+1, tip.Epoch)
	}
	a.must(a.sync())
	if s := a.look().Mine["2026-01-01T00-00-00-a"]; s.Nonce == "" {
		t.Errorf("after it was judged it stands as %+v", s)
	}
	// Four megabytes come before its lock.
	dir, err := format.ParseTree([]byte(treeOf(t, bare, clone)), 20)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 18 {
		l := longLock(fmt.Sprintf("2026-01-01T00-00-00-0%02d", i))
		data, err := format.Render(l, false)
		if err != nil {
			t.Fatal(err)
		}
		dir = dir.With(format.ModeFile, l.ID+format.Extension, f.object("blob", data))
	}
	tip = a.look().Tip
	f.lead(f.tree(format.Tree(nil).With(format.ModeDir, clone, f.tree(dir...))...), int(tip.Seq)+1, tip.Epoch)
	if s := a.look().Mine["2026-01-01T00-00-00-a"]; s.Nonce != "" || s.Blob == "" {
		t.Errorf("behind too much it stands as %+v", s)
	}
}

// longLock returns a lock of 240 KB.
func longLock(id string) lockfile.Lock {
	l := newLock(id, "x")
	l.Scope = nil
	for i := range 60 {
		l.Scope = append(l.Scope, fmt.Sprintf("%04000d", i))
	}
	return l
}

// A clone publishes no more than others read, since the rest would keep nobody away.
func TestNothingIsPublishedBeyondWhatOthersRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a := newClone(t, newRemote(t))
	for i := range 18 {
		id := fmt.Sprintf("2026-01-01T00-00-00-%02d", i)
		a.wants[id] = longLock(id)
	}
	_, err := a.sync()
	wantCode(t, err, fault.BadInput)
	delete(a.wants, "2026-01-01T00-00-00-00")
	a.must(a.sync())
}

func treeOf(t *testing.T, bare, clone string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tree")
	git(t, bare, "-c", "alias.raw=!git cat-file tree "+DefaultRef+":"+clone+" > "+path, "raw")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// If letter case is ignored, removing an old name must not remove the new file.
func TestTwinOnDiskGoesFirst(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	f := forger{t, bare}
	a := newClone(t, bare)
	lead := func(seq int, id string) {
		t.Helper()
		dir := f.tree(format.Entry{Mode: "100644", Name: id + ".md", ID: f.object("blob", goodLock(t, id))})
		f.lead(f.tree(format.Entry{Mode: "40000", Name: "clone001", ID: dir}), seq, "epochepoch")
		wantIDs(t, a.look(), id)
	}
	lead(1, "2026-01-01T00-00-00-WEB")
	lead(2, "2026-01-01T00-00-00-web")
	lead(3, "2026-01-01T00-00-00-WEB")
}

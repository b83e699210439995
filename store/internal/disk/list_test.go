package disk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestSettled(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)
	ago := func(ms ...int) []time.Time {
		var at []time.Time
		for _, ms := range ms {
			at = append(at, start.Add(-time.Duration(ms)*time.Millisecond))
		}
		return at
	}
	coarse := func(s int) []time.Time {
		return []time.Time{start.Truncate(time.Second).Add(-time.Duration(s) * time.Second)}
	}
	for _, c := range []struct {
		before, after []time.Time
		want          bool
	}{
		{ago(), ago(), true},
		{ago(21), ago(21), true},
		{ago(20), ago(20), false}, // a change now might leave the same time
		{ago(-5000), ago(-5000), false},
		{ago(500), ago(400), false},
		{ago(500, 500), ago(500, 500), true},
		{ago(500, 500), ago(500, 0), false},
		{ago(500, 10), ago(500, 10), false},
		{coarse(3), coarse(3), true}, // no fraction: the file system's clock may advance in steps of two seconds
		{coarse(2), coarse(2), false},
		{coarse(1), coarse(1), false},
	} {
		if got := settled(start, c.before, c.after); got != c.want {
			t.Errorf("settled(%v, %v) = %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// A listing of a directory that never stops changing still ends.
func TestListingReadsTenTimesAtMost(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	locked(t, at(t, filepath.Dir(d.Path)))
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	readings := 0
	d.Now = func() time.Time { // called before each reading
		readings++
		now := time.Now()
		if err := os.Chtimes(d.Path, now, now); err != nil {
			t.Error(err)
		}
		return now
	}
	listed(t, d, All)
	if readings != 10 {
		t.Errorf("the directory was read %d times", readings)
	}
}

// playRewrite rewrites all locks of a store as fast as possible.
func playRewrite(common string) error {
	fmt.Println("ready")
	return under(common, func(tx *Tx) error {
		tx.Dir.sync = func(*os.Root) error { return nil }
		for {
			l, err := tx.Dir.List(context.Background(), ActiveOnly)
			if err != nil {
				return err
			}
			for _, e := range l.Entries {
				if err := advance(tx, e.Lock.ID); err != nil {
					return err
				}
			}
		}
	})
}

// playCommute finishes and reopens all locks of a store, over and over.
func playCommute(common string) error {
	fmt.Println("ready")
	return under(common, func(tx *Tx) error {
		tx.Dir.sync = func(*os.Root) error { return nil }
		for {
			l, err := tx.Dir.List(context.Background(), All)
			if err != nil {
				return err
			}
			for _, e := range l.Entries {
				if e.Archived {
					err = turn(tx.reopenFile, e, lockfile.Active)
				} else {
					err = turn(tx.finishFile, e, lockfile.Done)
				}
				if err != nil {
					return err
				}
			}
		}
	})
}

func turn(write func(Entry, *lockfile.File) (Entry, error), e Entry, status string) error {
	f, err := parse(e.Lock.ID, status, 1)
	if err != nil {
		return err
	}
	_, err = write(e, f)
	return err
}

// On btrfs and tmpfs, reading a directory may miss a file that is being
// replaced; a listing must not.
func TestListingMissesNothing(t *testing.T) {
	gittest.NotShort(t)
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); runtime.GOOS != "linux" || err != nil {
		t.Skip("no tmpfs at ", shm)
	}
	t.Parallel()
	for role, w := range map[string]Which{"rewrite": ActiveOnly, "commute": All} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			common, err := os.MkdirTemp(shm, "agent-locks-test-")
			if err != nil {
				t.Skip("cannot write to ", shm, ": ", err)
			}
			t.Cleanup(func() {
				if err := os.RemoveAll(common); err != nil {
					t.Error(err)
				}
			})
			var want []string
			for n := range 200 {
				id := fmt.Sprintf("%s-%03d", stamp, n)
				want = append(want, id)
				storetest.Put(t, filepath.Join(common, Name, id+".md"), text(id, lockfile.Active, 1))
			}
			cmd := storetest.Process(t, role, common)
			storetest.Begin(t, cmd)
			d := at(t, common)
			rounds := 300
			for n := range rounds {
				seen, err := d.names(t.Context(), w, maxReads)
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.Sorted(maps.Keys(seen.inDone)); !slices.Equal(got, want) {
					t.Fatalf("%d names are seen, want %d: %v", len(got), len(want), got)
				}
				if n%(rounds/5) > 0 {
					continue
				}
				if got := ids(t, listed(t, d, w)); !slices.Equal(got, want) {
					t.Fatalf("listed are %v, want %v", got, want)
				}
				e, err := d.Get(t.Context(), want[0])
				if err != nil {
					t.Fatal(err)
				}
				if _, err := whole(e.File); err != nil {
					t.Fatal(err)
				}
			}
			storetest.Kill(cmd)
		})
	}
}

func TestNamesThatAreNoLocks(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, d)
	for _, name := range []string{".x.md", "notes.txt", "x.MD", temporaryPrefix + "abc", "waiting/00001.json", "done/.x.md", ".md"} {
		storetest.Put(t, filepath.Join(d.Path, filepath.FromSlash(name)), "whatever")
	}
	if _, err := tx.Create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	for _, in := range []*Dir{at(t, filepath.Dir(d.Path)), d} {
		if got := ids(t, listed(t, in, All)); len(got) != 1 {
			t.Errorf("listed are %v", got)
		}
	}
}

// An active listing never examines files in done/, so there may be any number
// of them.
func TestActiveListingDoesNotReadDone(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, at(t, filepath.Dir(d.Path)))
	if _, err := tx.Create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	storetest.Put(t, filepath.Join(d.Path, "done", stamp+"-torn.md"), "---\nid")
	storetest.Put(t, filepath.Join(d.Path, "done", "x 2.md"), "---\nid")
	if got := ids(t, listed(t, d, ActiveOnly)); len(got) != 1 {
		t.Errorf("listed are %v", got)
	}
	if got := listed(t, d, DoneOnly); len(got.Bad) != 2 {
		t.Errorf("faults in done/: %v, want 2", got.Bad)
	}
}

func TestHalfWrittenFileIsReadOnceMore(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	locked(t, at(t, filepath.Dir(d.Path)))
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	id := []string{stamp + "-a", stamp + "-b", stamp + "-c"}
	path := func(id string) string { return filepath.Join(d.Path, id+".md") }
	pauses := 0
	d.pause = func(_ context.Context, p time.Duration) error {
		pauses++
		if p != 20*time.Millisecond {
			t.Errorf("paused for %v", p)
		}
		storetest.Put(t, path(id[0]), text(id[0], lockfile.Active, 0))
		return nil
	}
	now := time.Now()
	d.Now = func() time.Time { return now }
	tear := func() {
		for i, age := range []time.Duration{time.Second, time.Second, 3 * time.Second} {
			storetest.Put(t, path(id[i]), text(id[i], lockfile.Active, 0)[:40])
			if err := os.Chtimes(path(id[i]), now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tear()
	l := listed(t, d, ActiveOnly)
	if len(l.Entries) != 1 || l.Entries[0].Lock.ID != id[0] || len(l.Bad) != 2 || pauses != 1 {
		t.Errorf("listing %v after %d pauses, want one lock, two faults, one pause", l, pauses)
	}
	tear()
	if _, err := d.Get(t.Context(), id[0]); err != nil || pauses != 2 {
		t.Errorf("get: %v after %d pauses", err, pauses-1)
	}
	if _, err := d.Get(t.Context(), id[2]); err == nil || pauses != 2 {
		t.Errorf("get of an old torn file: %v after %d pauses", err, pauses-2)
	}
	tear()
	if l, _, err := d.NewestDone(t.Context(), DoneFilter{Limit: 10}); err != nil || len(l.Bad) != 2 || pauses != 3 {
		t.Errorf("newest done ones: %v, %v after %d pauses, want two faults, one pause", l, err, pauses-2)
	}
}

// Done locks are read in batches until there are enough, with a single pause.
func TestNewestDonePausesOnce(t *testing.T) {
	t.Parallel()
	d := at(t, storetest.NewCommon(t))
	locked(t, at(t, filepath.Dir(d.Path)))
	if err := d.Refresh(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	d.Now = func() time.Time { return now }
	pauses := 0
	d.pause = func(context.Context, time.Duration) error {
		pauses++
		return nil
	}
	const torn = 5
	for i := range torn + 1 {
		id := fmt.Sprintf("%s-%d", stamp, i)
		whole := text(id, lockfile.Done, 0)
		if i > 0 {
			whole = whole[:40]
		}
		path := filepath.Join(d.Path, DoneName, id+Extension)
		storetest.Put(t, path, whole)
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	l, more, err := d.NewestDone(t.Context(), DoneFilter{Limit: 1})
	if err != nil || len(l.Entries) != 1 || len(l.Bad) != torn || more != (Rest{}) {
		t.Errorf("listing %v, %d more, %v; want one lock and %d faults", l, more, err, torn)
	}
	if pauses != 1 {
		t.Errorf("%d pauses", pauses)
	}
}

// Many locks are read by several goroutines, without any effect on the result.
func TestListingOfMany(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	var want []string
	for i := range 10 * perReader {
		id := fmt.Sprintf("%s-lock-%05d", stamp, i)
		want = append(want, id)
		storetest.Put(t, filepath.Join(common, Name, id+".md"), text(id, lockfile.Active, 0))
	}
	d := at(t, common)
	l, err := d.List(t.Context(), ActiveOnly)
	if err != nil || len(l.Bad) > 0 {
		t.Fatalf("%v, %v", l.Bad, err)
	}
	var got []string
	for _, e := range l.Entries {
		got = append(got, e.Lock.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.newSearch(ctx, nil).findAll(ctx, want); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d.Now = func() time.Time { panic("a fault in reading") } // called before each read
	defer func() {
		if p := recover(); p != "a fault in reading" {
			t.Errorf("the caller's goroutine panics with %v", p)
		}
	}()
	_, err = d.newSearch(t.Context(), nil).findAll(t.Context(), want)
	t.Errorf("no panic, %v", err)
}

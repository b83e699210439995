package store

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

	"github.com/agent-locks/agent-locks/lockfile"
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
		{ago(20), ago(20), false}, // a change now might carry the same time
		{ago(-5000), ago(-5000), false},
		{ago(500), ago(400), false},
		{ago(500, 500), ago(500, 500), true},
		{ago(500, 500), ago(500, 0), false},
		{ago(500, 10), ago(500, 10), false},
		{coarse(3), coarse(3), true}, // no fraction: the file system's clock may go by two seconds
		{coarse(2), coarse(2), false},
		{coarse(1), coarse(1), false},
	} {
		if got := settled(start, c.before, c.after); got != c.want {
			t.Errorf("settled(%v, %v) = %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// A listing of what never rests ends all the same.
func TestListingReadsTenTimesAtMost(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	locked(t, d)
	readings := 0
	d.now = func() time.Time { // asked before each reading
		readings++
		now := time.Now()
		if err := os.Chtimes(d.path, now, now); err != nil {
			t.Error(err)
		}
		return now
	}
	listed(t, d, all)
	if readings != 10 {
		t.Errorf("the directory was read %d times", readings)
	}
}

// playRewrite rewrites all locks of a store as fast as it can.
func playRewrite(common string) error {
	fmt.Println("ready")
	return under(common, func(h *held) error {
		h.sync = func(*os.Root) error { return nil }
		for {
			l, err := h.list(context.Background(), activeOnly)
			if err != nil {
				return err
			}
			for _, e := range l.entries {
				if err := advance(h, e.ID); err != nil {
					return err
				}
			}
		}
	})
}

// playCommute finishes and reopens all locks of a store, over and over.
func playCommute(common string) error {
	fmt.Println("ready")
	return under(common, func(h *held) error {
		h.sync = func(*os.Root) error { return nil }
		for {
			l, err := h.list(context.Background(), all)
			if err != nil {
				return err
			}
			for _, e := range l.entries {
				if e.archived {
					err = turn(h.reopen, e, lockfile.Active)
				} else {
					err = turn(h.finish, e, lockfile.Done)
				}
				if err != nil {
					return err
				}
			}
		}
	})
}

func turn(write func(entry, *lockfile.File) (entry, error), e entry, status string) error {
	f, err := parse(e.ID, status, 1)
	if err != nil {
		return err
	}
	_, err = write(e, f)
	return err
}

// Neither btrfs nor tmpfs promises that a reading of a directory has the name
// of a file that is replaced meanwhile; a listing does.
func TestListingMissesNothing(t *testing.T) {
	const shm = "/dev/shm"
	if _, err := os.Stat(shm); runtime.GOOS != "linux" || err != nil {
		t.Skip("no tmpfs at ", shm)
	}
	t.Parallel()
	for role, w := range map[string]which{"rewrite": activeOnly, "commute": all} {
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
				put(t, filepath.Join(common, storeName, id+".md"), text(id, lockfile.Active, 1))
			}
			cmd := process(t, role, common)
			begin(t, cmd)
			d := at(t, common)
			for n := range 300 {
				seen, err := d.names(t.Context(), w, maxReads)
				if err != nil {
					t.Fatal(err)
				}
				if got := slices.Sorted(maps.Keys(seen.inDone)); !slices.Equal(got, want) {
					t.Fatalf("%d names are seen, want %d: %v", len(got), len(want), got)
				}
				if n%60 > 0 {
					continue
				}
				if got := ids(t, listed(t, d, w)); !slices.Equal(got, want) {
					t.Fatalf("listed are %v, want %v", got, want)
				}
				e, err := d.get(t.Context(), want[0])
				if err != nil {
					t.Fatal(err)
				}
				if _, err := whole(e.File); err != nil {
					t.Fatal(err)
				}
			}
			kill(cmd)
		})
	}
}

func TestNamesThatAreNoLocks(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	h := locked(t, d)
	for _, name := range []string{".x.md", "notes.txt", "x.MD", temporary + "abc", "waiting/00001.json", "done/.x.md", ".md"} {
		put(t, filepath.Join(d.path, filepath.FromSlash(name)), "whatever")
	}
	if _, err := h.create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	for _, in := range []interface {
		list(context.Context, which) (listing, error)
	}{d, h} {
		if got := ids(t, listed(t, in, all)); len(got) != 1 {
			t.Errorf("listed are %v", got)
		}
	}
}

// What lies in done/ is not even looked at for the active locks, so that it
// can be any number.
func TestActiveListingDoesNotReadDone(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	h := locked(t, d)
	if _, err := h.create(stamp+"-x", fresh); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(d.path, "done", stamp+"-torn.md"), "---\nid")
	put(t, filepath.Join(d.path, "done", "x 2.md"), "---\nid")
	if got := ids(t, listed(t, d, activeOnly)); len(got) != 1 {
		t.Errorf("listed are %v", got)
	}
	if got := listed(t, d, doneOnly); len(got.faults) != 2 {
		t.Errorf("faults in done/: %v, want 2", got.faults)
	}
}

func TestHalfWrittenFileIsReadOnceMore(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	locked(t, d)
	id := []string{stamp + "-a", stamp + "-b", stamp + "-c"}
	path := func(id string) string { return filepath.Join(d.path, id+".md") }
	pauses := 0
	d.pause = func(_ context.Context, p time.Duration) error {
		pauses++
		if p != 20*time.Millisecond {
			t.Errorf("paused for %v", p)
		}
		put(t, path(id[0]), text(id[0], lockfile.Active, 0))
		return nil
	}
	now := time.Now()
	d.now = func() time.Time { return now }
	tear := func() {
		for i, age := range []time.Duration{time.Second, time.Second, 3 * time.Second} {
			put(t, path(id[i]), text(id[i], lockfile.Active, 0)[:40])
			if err := os.Chtimes(path(id[i]), now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tear()
	l := listed(t, d, activeOnly)
	if len(l.entries) != 1 || l.entries[0].ID != id[0] || len(l.faults) != 2 || pauses != 1 {
		t.Errorf("listing %v after %d pauses, want one lock, two faults, one pause", l, pauses)
	}
	tear()
	if _, err := d.get(t.Context(), id[0]); err != nil || pauses != 2 {
		t.Errorf("get: %v after %d pauses", err, pauses-1)
	}
	if _, err := d.get(t.Context(), id[2]); err == nil || pauses != 2 {
		t.Errorf("get of an old torn file: %v after %d pauses", err, pauses-2)
	}
	tear()
	if l, _, err := d.newestDone(t.Context(), 10); err != nil || len(l.faults) != 2 || pauses != 3 {
		t.Errorf("newest done ones: %v, %v after %d pauses, want two faults, one pause", l, err, pauses-2)
	}
}

// Done locks are read in batches until there are enough; the pause is one.
func TestNewestDonePausesOnce(t *testing.T) {
	t.Parallel()
	d := at(t, newCommon(t))
	locked(t, d)
	now := time.Now()
	d.now = func() time.Time { return now }
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
		path := filepath.Join(d.path, doneName, id+extension)
		put(t, path, whole)
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
	}
	l, more, err := d.newestDone(t.Context(), 1)
	if err != nil || len(l.entries) != 1 || len(l.faults) != torn || more != 0 {
		t.Errorf("listing %v, %d more, %v; want one lock and %d faults", l, more, err, torn)
	}
	if pauses != 1 {
		t.Errorf("%d pauses", pauses)
	}
}

// Many locks are read by several goroutines; the caller notices nothing of it.
func TestListingOfMany(t *testing.T) {
	t.Parallel()
	common := newCommon(t)
	var want []string
	for i := range 10 * share {
		id := fmt.Sprintf("%s-lock-%05d", stamp, i)
		want = append(want, id)
		put(t, filepath.Join(common, storeName, id+".md"), text(id, lockfile.Active, 0))
	}
	d := at(t, common)
	l, err := d.list(t.Context(), activeOnly)
	if err != nil || len(l.faults) > 0 {
		t.Fatalf("%v, %v", l.faults, err)
	}
	var got []string
	for _, e := range l.entries {
		got = append(got, e.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.findAll(ctx, want, nil, d.pauseOnce(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d.now = func() time.Time { panic("a fault in reading") } // asked before each look
	defer func() {
		if p := recover(); p != "a fault in reading" {
			t.Errorf("the caller's goroutine panics with %v", p)
		}
	}()
	_, err = d.findAll(t.Context(), want, nil, d.pauseOnce(t.Context()))
	t.Errorf("no panic, %v", err)
}

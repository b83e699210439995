//go:build unix

package fleet

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Only one background sync process runs at a time. It also serves the requests made
// meanwhile.
func TestOneProcessServesAllThatIsWanted(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	other, err := openAt(a.dir, a.config)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	rounds := 0
	err = a.Serve(t.Context(), func() error {
		if rounds++; rounds == 1 {
			if g, err := GlanceAt(a.Fleet.dir, new(Memory)); err != nil || !g.Busy || g.Wanted {
				t.Errorf("meanwhile: %+v, %v", g, err)
			}
			if err := Want(a.Fleet.dir); err != nil {
				t.Error(err)
			}
			if err := other.Serve(t.Context(), func() error { t.Error("two are at work"); return nil }); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil || rounds != 2 {
		t.Errorf("%d rounds, %v", rounds, err)
	}
	if g, err := GlanceAt(a.Fleet.dir, new(Memory)); err != nil || g.Busy || g.Wanted {
		t.Errorf("afterwards: %+v, %v", g, err)
	}
}

// Glances do not keep a process from serving.
func TestGlancesKeepNobodyFromServing(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	glance := a.folder.OpenLock(apartName)
	if taken, err := glance.TryRLock(); err != nil || !taken {
		t.Fatalf("%v, %v", taken, err)
	}
	time.AfterFunc(glances/3, func() {
		if err := glance.Unlock(); err != nil {
			t.Error(err)
		}
	})
	served := false
	if err := a.Serve(t.Context(), func() error { served = true; return nil }); err != nil || !served {
		t.Errorf("served %v, %v", served, err)
	}
}

// A mere request is not a failed try, however soon a caller glances.
func TestWantedIsNotTried(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	if err := Want(a.Fleet.dir); err != nil {
		t.Fatal(err)
	}
	if g, err := GlanceAt(a.Fleet.dir, new(Memory)); err != nil || !g.Wanted || g.Why != "" || !g.Tried.IsZero() {
		t.Errorf("%+v, %v", g, err)
	}
}

// A failed sync stays requested, with the reason, and is not tried again for a minute.
func TestWhatFailedStaysWanted(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	refused := fault.New(fault.FleetRefused, "only branches here")
	if err := a.Serve(t.Context(), func() error { return refused }); !errors.Is(err, fault.FleetRefused) {
		t.Errorf("%v", err)
	}
	if err := Want(a.Fleet.dir); err != nil {
		t.Fatal(err)
	}
	g, err := GlanceAt(a.Fleet.dir, new(Memory))
	if err != nil || !g.Wanted || g.Busy || !strings.Contains(g.Unpublished(time.Now()), "only branches") {
		t.Errorf("%+v, %v", g, err)
	}
	if why := g.Unpublished(time.Now().Add(2 * breaker)); why != "" {
		t.Errorf("two minutes later: %s", why)
	}
	if why := g.Unreachable(time.Now()); why != "" {
		t.Errorf("the remote is not asked: %s", why)
	}
}

// A process that began before sharing was turned off does not turn it on again.
func TestTurnedOffStaysOff(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	if err := Forget(a.Fleet.dir); err != nil {
		t.Fatal(err)
	}
	if err := a.Serve(t.Context(), func() error { t.Error("it syncs"); return nil }); !errors.Is(err, fault.FleetUnreachable) {
		t.Errorf("%v", err)
	}
	_, err := a.sync()
	wantCode(t, err, fault.FleetUnreachable)
	if _, err := os.Stat(filepath.Join(a.dir, ".git", "agents-locks", "fleet")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it began again: %v", err)
	}
}

// If other clones are active, a clone that has published anything but a claim lets them
// go first; one that has claimed does not.
func TestPlainPublishersPause(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	quiet := func() time.Duration {
		s := a.lastSeen()
		if age := time.Since(s.Looked); s.Quiet.IsZero() || age > time.Minute {
			return 0
		}
		return s.Quiet.Sub(s.Looked)
	}
	a.must(a.sync())
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	if q := quiet(); q > 0 {
		t.Errorf("after a claim it pauses for %s", q)
	}
	b.wants["2026-01-01T00-00-00-b"] = newLock("2026-01-01T00-00-00-b", "lib/**")
	b.must(b.sync())
	a.wants["plain"] = newLock("2026-01-01T00-00-00-plain", "x/**")
	a.must(a.sync())
	if q := quiet(); q <= 0 || q > courtesy {
		t.Errorf("after a plain one it pauses for %s", q)
	}
	s := a.lastSeen()
	s.Quiet = time.Now().Add(300 * time.Millisecond)
	if err := a.save(tipName, s); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	a.wants["plain"] = newLock("2026-01-01T00-00-00-plain", "z")
	a.must(a.sync())
	if took := time.Since(began); took < 250*time.Millisecond {
		t.Errorf("it published after %s", took)
	}
}

// Alone waits for a running background sync process, and keeps others from starting.
func TestAloneMeansAlone(t *testing.T) {
	t.Parallel()
	a := newClone(t, newRemote(t))
	other, err := openAt(a.dir, a.config)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	err = a.Alone(t.Context(), time.Second, func() error {
		return other.Serve(t.Context(), func() error { t.Error("another one syncs"); return nil })
	})
	if err != nil {
		t.Error(err)
	}
	err = other.Serve(t.Context(), func() error {
		wantCode(t, a.Alone(t.Context(), 20*time.Millisecond, func() error { t.Error("it is not alone"); return nil }),
			fault.FleetBusy)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

package disk

import (
	"errors"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A moving queue of writers is waited for longer than a stuck writer, but not
// forever.
func TestPatienceLastsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	writes := 0
	write := func() {
		writes++
		time.Sleep(2 * coarsestStep) // so that the directory's time differs
		storetest.Put(t, filepath.Join(common, Name, string(rune('a'+writes))), "")
	}
	write()
	d := at(t, common)
	d.Wait = 10 * time.Second
	began := time.Now()
	now := began
	d.Now = func() time.Time { return now }
	pass := func(s time.Duration) { now = now.Add(s * time.Second) }

	stuck := d.newPatience()
	pass(9)
	stuck.extend()
	if stuck.over() {
		t.Error("gave up before its time")
	}
	pass(1)
	if !stuck.over() || stuck.spent("m") != `another process has held "m" for 10s` {
		t.Error("waits for a writer that is stuck")
	}

	now = began
	p := d.newPatience()
	for range 4 {
		pass(7)
		write()
		p.extend()
		if p.over() {
			t.Fatalf("gave up after %s, though others write", now.Sub(began))
		}
	}
	pass(2)
	write()
	p.extend()
	if !p.over() || p.spent("m") != `other processes have been writing without a pause for 30s, taking turns in "m"` {
		t.Errorf("after %s: %s", now.Sub(began), p.spent("m"))
	}

	// If others wrote only at first, one of them has been stuck since.
	for first, held := range map[time.Duration]string{3: "10s", 23: "7s"} {
		now = began
		p := d.newPatience()
		for now.Sub(began) < first*time.Second {
			pass(1)
			write()
			p.extend()
		}
		for !p.over() {
			pass(1)
			p.extend()
		}
		if want := `another process has held "m" for ` + held; p.spent("m") != want {
			t.Errorf("after %s: %s, want %s", now.Sub(began), p.spent("m"), want)
		}
	}

	// The short patience of hooks ends before the first check.
	d.Wait = 20 * time.Millisecond
	if p := d.newPatience(); p.next() > d.Wait {
		t.Errorf("waits for %s instead of %s", p.next(), d.Wait)
	}
}

// coarsestStep is the minimum distance of two changes with different times.
const coarsestStep = 5 * time.Millisecond

// Each wait that is given up leaves a thread in the kernel, so a server must
// not pile them up behind a stuck writer.
func TestWaitsThatWereGivenUpAreFew(t *testing.T) {
	if testing.Short() {
		t.Skip("makes some hundred waits")
	}
	common := storetest.NewCommon(t)
	first := locked(t, at(t, common))
	giveUp := func() {
		t.Helper()
		d := at(t, common)
		d.Wait = 5 * time.Millisecond
		if _, err := d.lock(t.Context()); !errors.Is(err, fault.StoreBusy) {
			t.Fatalf("lock: %v, want %v", err, fault.StoreBusy)
		}
	}
	before := runtime.NumGoroutine()
	for range cap(parked) + 50 {
		giveUp()
	}
	if n := (runtime.NumGoroutine() - before) / 2; n > cap(parked) {
		t.Errorf("%d waits sleep in the kernel", n)
	}

	// A later caller polls until it gets the mutex.
	d := at(t, common)
	got := make(chan error, 1)
	go func() {
		tx, err := d.lock(t.Context())
		if err == nil {
			err = tx.unlock()
		}
		got <- err
	}()
	time.Sleep(20 * time.Millisecond)
	if err := first.unlock(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-got:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it did not get the mutex")
	}
	storetest.Eventually(t, "an end of all waits", func() bool { return len(parked) == 0 })
	locked(t, at(t, common))
}

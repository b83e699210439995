package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	// mostPatience bounds a wait while others keep writing, as a multiple of
	// Dir.Wait.
	mostPatience = 3
	// checkEvery is how often a waiter checks whether others are writing.
	checkEvery = time.Second

	// Without a blocking lock call, a waiter polls. Its pause doubles from
	// firstPause up to lastPause.
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// A patience limits how long a call waits for the mutex: for Dir.Wait,
// restarted whenever the writers ahead make progress. With hundreds of writers,
// waiting for a turn may take longer than any one of them may be stuck.
type patience struct {
	dir     *Dir
	until   time.Time // deadline of the wait
	last    time.Time // latest deadline that extensions may set
	changed time.Time // the store's mtime at the last check
	moved   time.Time // when a check last saw that mtime change; initially, the start of the wait
}

func (d *Dir) newPatience() *patience {
	now := d.Now()
	return &patience{dir: d, until: now.Add(d.Wait), last: now.Add(mostPatience * d.Wait),
		changed: d.modified(), moved: now}
}

// modified returns when a name in the store last changed. Every write changes
// one.
func (d *Dir) modified() time.Time {
	fi, err := os.Lstat(d.Path)
	if err != nil {
		return time.Time{} // not created yet, or removed
	}
	return fi.ModTime()
}

func (p *patience) over() bool { return !p.dir.Now().Before(p.until) }

// next returns the time until the next check or the deadline, whichever is
// first.
func (p *patience) next() time.Duration { return min(checkEvery, p.until.Sub(p.dir.Now())) }

// extend moves the deadline if somebody has written since the last check.
func (p *patience) extend() {
	if p.over() {
		return
	}
	if at := p.dir.modified(); !at.Equal(p.changed) {
		p.changed, p.moved = at, p.dir.Now()
		p.until = p.moved.Add(p.dir.Wait)
		if p.until.After(p.last) {
			p.until = p.last
		}
	}
}

// spent describes why a wait that is over was in vain.
func (p *patience) spent(mutex string) string {
	d := p.dir
	switch quiet := d.Now().Sub(p.moved); {
	case quiet >= d.Wait:
		return fmt.Sprintf("another process has held %q for %s", mutex, d.Wait)
	case quiet > 2*checkEvery:
		return fmt.Sprintf("another process has held %q for %s", mutex, quiet.Round(time.Second))
	}
	return fmt.Sprintf("other processes have been writing without a pause for %s, taking turns in %q",
		mostPatience*d.Wait, mutex)
}

// parked limits the threads of this process that are blocked in the kernel,
// waiting for a mutex: neither a deadline nor closing the file ends such a
// wait. So it bounds what a stuck writer can cost a long-running server.
var parked = make(chan struct{}, 128)

// acquire waits for a lock in the kernel, which is fair and costs nothing
// meanwhile. If that is not possible, it polls. It returns false without an
// error if the wait was given up or the file was replaced.
func acquire(ctx context.Context, lock *flock.Flock, p *patience) (bool, error) {
	if taken, err := Uninterrupted(lock.TryLock); taken || err != nil || p.over() {
		return taken, err
	}
	select {
	case parked <- struct{}{}:
		taken, err := p.await(ctx, lock)
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return taken, err
		}
		// The system supports trying to lock the file, but not waiting for it.
	default:
	}
	return p.retry(ctx, lock)
}

// await blocks in the kernel, where a wait has no deadline. A wait that is
// given up continues in the background, and unlocks at once if it still gets
// the lock.
func (p *patience) await(ctx context.Context, lock *flock.Flock) (bool, error) {
	replaced := p.replaced()
	got := make(chan error, 1)
	go func() {
		_, err := Uninterrupted(func() (bool, error) { return true, lock.Lock() })
		<-parked
		got <- err
	}()
	for !p.over() && ctx.Err() == nil && !replaced() {
		check := time.NewTimer(p.next())
		select {
		case err := <-got:
			check.Stop()
			return err == nil, err
		case <-ctx.Done():
			check.Stop()
		case <-check.C:
			p.extend()
		}
	}
	go func() {
		if <-got == nil {
			_ = lock.Unlock() // there is nobody left to report an error to
		}
	}()
	return false, nil
}

// retry polls for the lock. The pauses grow, since many waiters that poll often
// slow down each other and the holder.
func (p *patience) retry(ctx context.Context, lock *flock.Flock) (bool, error) {
	for pause := firstPause; !p.over(); pause = min(2*pause, lastPause) {
		if Pause(ctx, min(pause/2+rand.N(pause), p.next())) != nil {
			return false, nil
		}
		if taken, err := Uninterrupted(lock.TryLock); taken || err != nil {
			return taken, err
		}
		p.extend()
	}
	return false, nil
}

// replaced returns a function that reports whether the mutex file has been
// replaced since: its waiters would wait in vain.
func (p *patience) replaced() func() bool {
	path := filepath.Join(p.dir.Path, mutexName)
	before, err := os.Lstat(path)
	return func() bool {
		now, lerr := os.Lstat(path)
		return err != nil || lerr != nil || !os.SameFile(before, now)
	}
}

// Uninterrupted calls try until it is no longer interrupted by a signal
// (EINTR). The kernel restarts such calls on local file systems, but not on
// FUSE and CIFS, and the Go runtime sends signals to its own threads.
func Uninterrupted(try func() (bool, error)) (bool, error) {
	for {
		taken, err := try()
		if !errors.Is(err, syscall.EINTR) {
			return taken, err
		}
	}
}

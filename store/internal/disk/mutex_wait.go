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
	// mostPatience is how many times Dir.Wait a writer waits at most, while others write.
	mostPatience = 3
	// checkEvery is how often a waiter checks meanwhile whether others write.
	checkEvery = time.Second

	// Where the kernel cannot keep a waiter, it tries again after a pause
	// that doubles from the first of these to the second.
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// A patience is how long one call waits for the mutex: Dir.Wait, and again as
// long after each sign that the writers ahead are making progress. With
// hundreds of them a turn may take longer than one of them may be stuck.
type patience struct {
	dir     *Dir
	until   time.Time // the wait is given up
	last    time.Time // it is not extended beyond this
	changed time.Time // the store's modification time, as of the last check
	moved   time.Time // when a check last found that changed; first, when the wait began
}

func (d *Dir) newPatience() *patience {
	now := d.Now()
	return &patience{dir: d, until: now.Add(d.Wait), last: now.Add(mostPatience * d.Wait),
		changed: d.modified(), moved: now}
}

// modified is when a name in the store last changed, which each write does.
func (d *Dir) modified() time.Time {
	fi, err := os.Lstat(d.Path)
	if err != nil {
		return time.Time{} // there is none yet, or not any more
	}
	return fi.ModTime()
}

func (p *patience) over() bool { return !p.dir.Now().Before(p.until) }

// next is when to check the store again, or to give up.
func (p *patience) next() time.Duration { return min(checkEvery, p.until.Sub(p.dir.Now())) }

// extend gives the wait more time where somebody has written since the last check.
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

// spent says what a wait that is over was for.
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

// parked are the threads of this process that sleep in the kernel for a mutex,
// which neither a deadline nor a closed file ends. They are as many as a stuck
// writer can cost a server that lives on.
var parked = make(chan struct{}, 128)

// acquire waits for a lock in the kernel, which is fair and costs nothing while
// it lasts; where that cannot be done it tries again and again. False without
// an error: the wait was given up, or is for a file that was replaced.
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
		// The system could try to lock the file, but not wait for that.
	default:
	}
	return p.retry(ctx, lock)
}

// await waits in the kernel, which knows no deadline for that: a wait that is
// given up continues beside the program, and unlocks at once if it still gets
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
			_ = lock.Unlock() // nobody is left to report it to
		}
	}()
	return false, nil
}

// retry asks for a lock until it gets it. The pauses grow, since many who ask
// often keep each other, and the holder, from working.
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

// replaced returns how to ask whether the mutex is another file by now: a
// waiter on the one before would wait for nothing.
func (p *patience) replaced() func() bool {
	path := filepath.Join(p.dir.Path, mutexName)
	before, err := os.Lstat(path)
	return func() bool {
		now, lerr := os.Lstat(path)
		return err != nil || lerr != nil || !os.SameFile(before, now)
	}
}

// Uninterrupted tries to lock until a signal no longer cuts the call short.
// Local file systems restart it themselves; FUSE and CIFS do not, and Go sends
// its own threads signals.
func Uninterrupted(try func() (bool, error)) (bool, error) {
	for {
		taken, err := try()
		if !errors.Is(err, syscall.EINTR) {
			return taken, err
		}
	}
}

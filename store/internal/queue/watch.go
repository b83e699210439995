package queue

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

const (
	// PollEvery is how often a waiter reads the store though no change was
	// reported: a process that was killed changes no file, a lock grows stale by
	// itself, and not every file system reports changes.
	PollEvery = time.Second
	// settleTime is what one change is given to be followed by others. It comes
	// with as much again of jitter, so that not all waiters read at the same
	// moment.
	settleTime = 3 * time.Millisecond
)

// A Watch wakes what waits for the store to change: soon where the system
// reports changes, else after a while.
type Watch struct {
	watcher *fsnotify.Watcher // nil where there is none
	poll    time.Duration
}

// NewPoll is a watch where the system reports nothing.
func NewPoll(poll time.Duration) *Watch { return &Watch{poll: poll} }

// NewWatch watches the directories of locks and of tickets. One that cannot be
// watched (there is none, the system's watches are used up) is left to the
// poll.
func NewWatch(d *disk.Dir, poll time.Duration) *Watch {
	return WatchDirs(poll, d.Path, filepath.Join(d.Path, disk.WaitingName))
}

// WatchDirs watches these directories in the same way.
func WatchDirs(poll time.Duration, paths ...string) *Watch {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return NewPoll(poll)
	}
	for _, path := range paths {
		_ = w.Add(path)
	}
	return &Watch{watcher: w, poll: poll}
}

// Next returns when the file called on may have changed (any lock or ticket,
// where on is ""), when it is time to read the store anyway, or when ctx has
// ended.
func (w *Watch) Next(ctx context.Context, on string) {
	timer := time.NewTimer(w.poll)
	defer timer.Stop()
	var events chan fsnotify.Event
	var failures chan error // events were lost: something changed
	if w.watcher != nil {
		events, failures = w.watcher.Events, w.watcher.Errors
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
			return
		case e := <-events:
			if !matters(e, on) {
				continue
			}
		case <-failures:
		}
		if disk.Pause(ctx, settleTime+rand.N(settleTime)) == nil {
			w.drain()
		}
		return
	}
}

// drain forgets the changes that the next read will see.
func (w *Watch) drain() {
	for {
		select {
		case <-w.watcher.Events:
		case <-w.watcher.Errors:
		default:
			return
		}
	}
}

// matters reports whether a change is of the file called on or, where that is
// "", anything but the store's own bookkeeping.
func matters(e fsnotify.Event, on string) bool {
	name := filepath.Base(e.Name)
	switch {
	case e.Has(fsnotify.Chmod):
		return false
	case on != "":
		return name == on
	}
	return !strings.HasPrefix(name, ".") &&
		(strings.HasSuffix(name, disk.Extension) || strings.HasSuffix(name, ticketSuffix))
}

// Close stops watching.
func (w *Watch) Close() error {
	if w == nil || w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}

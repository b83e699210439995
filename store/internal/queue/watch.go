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
	// PollEvery is how often a waiter reads the store without a reported
	// change. A killed process changes no file, a lock becomes stale without a
	// change, and not every file system reports changes.
	PollEvery = time.Second
	// settleTime is how long to wait for further changes after one. As much
	// jitter is added, so that not all waiters read at the same moment.
	settleTime = 3 * time.Millisecond
)

// A Watch waits for the store to change. It wakes up promptly where the system
// reports changes, else periodically.
type Watch struct {
	watcher *fsnotify.Watcher // nil if unavailable
	poll    time.Duration
}

// NewPoll returns a Watch that only polls.
func NewPoll(poll time.Duration) *Watch { return &Watch{poll: poll} }

// NewWatch watches the directories of locks and tickets. A directory that
// cannot be watched, because it is missing or the system's watches are used up,
// is only polled.
func NewWatch(d *disk.Dir, poll time.Duration) *Watch {
	return WatchDirs(poll, d.Path, filepath.Join(d.Path, disk.WaitingName))
}

// WatchDirs is NewWatch for the given directories.
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

// Next returns when the named file may have changed (any lock or ticket if on
// is ""), when it is time to poll, or when ctx ends.
func (w *Watch) Next(ctx context.Context, on string) {
	timer := time.NewTimer(w.poll)
	defer timer.Stop()
	var events chan fsnotify.Event
	var failures chan error // events were lost, so something changed
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

// drain discards changes that the next read will see.
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

// matters reports whether an event is about the named file or, if on is "",
// about anything but the store's own bookkeeping.
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

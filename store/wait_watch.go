package store

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// pollEvery is how often a waiter looks though nothing was noticed: a
	// process that was killed changes no file, a lock grows stale by itself,
	// and not every file system tells.
	pollEvery = time.Second
	// settleTime is what one change is given to be followed by others. It
	// comes with as much again of jitter, so that not all who wait look at
	// the same moment.
	settleTime = 3 * time.Millisecond
)

// A watch wakes those who wait for the store to change: soon where the system
// tells of changes, else after a while.
type watch struct {
	watcher *fsnotify.Watcher // nil where there is none
	poll    time.Duration
}

// newWatch watches the directories of locks and of tickets. One that cannot be
// watched (there is none, the system's watches are used up) is left to the
// poll.
func (d *dir) newWatch() *watch {
	if d.pollOnly {
		return &watch{poll: d.poll}
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &watch{poll: d.poll}
	}
	for _, path := range []string{d.path, filepath.Join(d.path, waitingName)} {
		_ = w.Add(path)
	}
	return &watch{watcher: w, poll: d.poll}
}

// next returns when the file called on may have changed (any file that tells
// something, where on is ""), when it is time to look anyway, or when ctx has
// ended.
func (w *watch) next(ctx context.Context, on string) {
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
			if !telling(e, on) {
				continue
			}
		case <-failures:
		}
		if pause(ctx, settleTime+rand.N(settleTime)) == nil {
			w.drain()
		}
		return
	}
}

// drain forgets the changes that the look to come will see.
func (w *watch) drain() {
	for {
		select {
		case <-w.watcher.Events:
		case <-w.watcher.Errors:
		default:
			return
		}
	}
}

// telling reports whether a change is of the file called on or, where that is
// "", anything but the store's own bookkeeping.
func telling(e fsnotify.Event, on string) bool {
	name := filepath.Base(e.Name)
	switch {
	case e.Has(fsnotify.Chmod):
		return false
	case on != "":
		return name == on
	}
	return !strings.HasPrefix(name, ".") && (strings.HasSuffix(name, extension) || strings.HasSuffix(name, ticketSuffix))
}

func (w *watch) close() error {
	if w == nil || w.watcher == nil {
		return nil
	}
	return w.watcher.Close()
}

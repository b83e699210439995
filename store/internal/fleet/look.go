package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

const (
	// lookTime limits the duration of a look.
	lookTime = 30 * time.Second
	// breaker is how long the network is left alone after a failed look.
	breaker = time.Minute
)

// Look fetches the ref, unless another process of this clone has done so since the call
// began. An urgent look does not wait after a failed one. If the look fails, Look returns
// the view of the last successful one together with the error.
func (f *Fleet) Look(ctx context.Context, wait time.Duration, urgent bool) (*View, error) {
	start := f.dir.Now()
	t, err := f.enter(ctx, start.Add(wait))
	if err != nil {
		return nil, err
	}
	if !t.state.Looked.After(start) {
		if err = t.mayAsk(urgent); err == nil {
			_, err = t.look(ctx, wait)
		}
	}
	view, viewErr := t.fleet.view(ctx, t.self, &t.state)
	return view, errors.Join(err, viewErr, t.leave())
}

// A turn is the work of one process while it holds fleet.lock.
type turn struct {
	fleet *Fleet
	self  Self
	state state
	leave func() error
	began time.Time // start of the current look or push; becomes state.Looked if it succeeds
	// renamed means that this clone turned out to be a copy and took a new id.
	renamed bool
}

// enter waits for fleet.lock and loads the state.
func (f *Fleet) enter(ctx context.Context, until time.Time) (*turn, error) {
	began := f.dir.Now()
	lock, err := f.acquire(ctx, until)
	if err != nil {
		return nil, err
	}
	if lock == nil {
		return nil, f.kept(began)
	}
	t := &turn{fleet: f, leave: lock.Unlock}
	if err = t.begin(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return t, nil
}

// begin establishes this clone's identity. A new clone or a copy takes an id. A copy
// discards what it knows of the ref until its own first look, because the state it was
// copied with describes the original's locks.
func (t *turn) begin() error {
	f := t.fleet
	if err := t.askedBefore(); err != nil {
		return err
	}
	self, known, err := readSelf(f.folder)
	if err != nil {
		return err
	}
	t.self, t.state = self, f.lastSeen()
	if known && !self.copied {
		return nil
	}
	if self.copied {
		t.renamed, t.state = true, state{Remote: f.Remote, Ref: f.Ref, Seen: t.state.Tip.Commit != "" || t.state.Seen}
		if err := f.save(tipName, t.state); err != nil {
			return err
		}
	} else if self.Directory, _, err = f.folder.Origin("."); err != nil {
		return err
	}
	t.self = newSelf(self.Copied, self.Directory)
	return f.save(selfName, t.self)
}

// mayAsk returns an error if the network has failed recently, unless the call is urgent.
func (t *turn) mayAsk(urgent bool) error {
	if urgent || !resting(t.state.Failed, t.fleet.dir.Now()) {
		return nil
	}
	e := t.failedBefore()
	if t.state.Broken == nil {
		e = e.WithHint("it is asked again a minute after it did not answer; agent-locks fleet sync asks now")
	}
	return e
}

// failedBefore returns the error of the last look, which failed.
func (t *turn) failedBefore() *fault.Error {
	if t.state.Broken != nil {
		return t.broken()
	}
	return t.unreachable(t.state.Words)
}

func (t *turn) unreachable(words string) *fault.Error {
	if remote.OtherFormat(words) {
		return t.otherFormat(words)
	}
	return fault.New(fault.FleetUnreachable, "the remote %q does not answer: %s", t.fleet.Remote, words).
		WithHint("try again when it does; `local` claims without the other clones")
}

// otherFormat returns the error for a remote that uses another object id format than this
// repository. git cannot transfer objects between the two.
func (t *turn) otherFormat(words string) *fault.Error {
	ours, theirs := "sha1", "sha256"
	if t.fleet.repo.IDSize() > 20 {
		ours, theirs = theirs, ours
	}
	return fault.New(fault.FleetUnreachable,
		"the remote %q has object ids of the format %s, and this repository of %s: %s", t.fleet.Remote, theirs, ours, words).
		WithHint("clone the remote again, or name another one with agent-locks fleet on --remote")
}

// look fetches the tip and returns its relation to the known one.
func (t *turn) look(ctx context.Context, wait time.Duration) (format.Relation, error) {
	ctx, cancel := within(ctx, max(time.Second, min(wait, lookTime)))
	defer cancel()
	relation, err := t.lookOnce(ctx)
	if errors.Is(err, remote.ErrMissing) || err != nil && !errors.As(err, new(*Broken)) && remote.Damaged(err) {
		if err := t.fleet.repo.Remake(ctx); err != nil {
			return 0, err
		}
		relation, err = t.lookOnce(ctx)
	}
	if err == nil {
		return relation, nil
	}
	if why := gaveUp(ctx); why != nil {
		err = t.late(why)
	} else {
		err = t.failed(err)
	}
	if errors.Is(err, fault.StoreUnwritable) { // the state still calls the last good look the last one
		err = errors.Join(err, t.fleet.markUnsaid())
	}
	return 0, err
}

// gaveUp returns why the caller has given up on the remote, or nil.
func gaveUp(ctx context.Context) *fault.Error {
	why, _ := errors.AsType[*fault.Error](context.Cause(ctx))
	return why
}

// late records a remote that the caller has given up on as a failed look.
func (t *turn) late(why *fault.Error) error {
	t.state.Failed, t.state.Words = t.fleet.dir.Now(), "no answer in time"
	if err := t.fleet.save(tipName, t.state); err != nil {
		return err
	}
	return why
}

// within sets a timeout with a readable error as its cause.
func within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, fmt.Errorf("no answer within %.0f s", d.Seconds()))
}

// failed records a failed look for callers that only read from disk.
func (t *turn) failed(err error) error {
	if ours, ok := errors.AsType[*fault.Error](err); ok {
		return ours // an error of the store, for example
	}
	broken, isBroken := errors.AsType[*Broken](err)
	if !isBroken && (errors.Is(err, remote.ErrTooLarge) || remote.Malformed(err)) {
		broken, isBroken = &Broken{Why: err.Error()}, true
	}
	t.state.Failed = t.fleet.dir.Now()
	if isBroken {
		t.state.Broken = broken
	} else {
		t.state.Words = err.Error()
	}
	if err := t.fleet.save(tipName, t.state); err != nil {
		return err
	}
	if isBroken {
		return t.broken()
	}
	e := t.unreachable(t.state.Words)
	if e.Err = err; errors.Is(err, remote.ErrNameless) {
		e = e.WithHint("a proxy or a login page may have answered; if the repository is empty now, agent-locks fleet " +
			"reset accepts that")
	}
	return e
}

func (t *turn) broken() *fault.Error {
	b := t.state.Broken
	which := ""
	if b.Commit != "" {
		which = fmt.Sprintf(" (%q", b.Commit)
		if b.Committer != "" {
			which += ", by " + b.Committer
		}
		which += ")"
	}
	e := fault.New(fault.FleetBroken, "%q on the remote %q cannot be read%s: %s", t.fleet.Ref, t.fleet.Remote, which,
		b.Why).
		WithHint(fmt.Sprintf("what is shown is from the last good look; agent-locks fleet reset replaces it; where that "+
			"fails, delete it, and the next claim makes it again: git push %s :%s", t.fleet.Remote, t.fleet.Ref))
	e.Err = b
	return e
}

// lookOnce fetches the ref and, if the tip has moved, reads and installs it.
func (t *turn) lookOnce(ctx context.Context) (format.Relation, error) {
	t.began = t.fleet.dir.Now()
	commit := ""
	err := t.ask(func() (err error) {
		commit, err = t.fleet.repo.Fetch(ctx)
		if err == nil && commit == "" && (t.state.Tip.Commit != "" || t.state.Seen) { // it existed before
			err = t.fleet.repo.Vouch(ctx)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	if commit == t.state.Tip.Commit || commit != "" && commit == t.state.Lease {
		return format.Same, t.seen()
	}
	snap := &snapshot{}
	if commit != "" {
		if snap, err = t.fleet.read(ctx, &t.self, &t.state, commit); err != nil {
			return 0, err
		}
	}
	relation := format.Relate(t.state.Tip, snap.tip)
	if relation == format.Behind {
		t.state.Behind = snap.tip.Seq
		return relation, t.fleet.save(tipName, t.state)
	}
	return relation, t.accept(ctx, snap, relation)
}

// seen records that the ref still has the known tip.
func (t *turn) seen() error {
	t.state.Looked, t.state.Failed, t.state.Words = t.began, time.Time{}, ""
	t.state.Broken, t.state.Behind = nil, 0
	return t.fleet.save(tipName, t.state)
}

// accept makes a snapshot the known state. If the ref was lost, the live locks of other
// clones are kept until their clones, or this one, have published them again.
func (t *turn) accept(ctx context.Context, snap *snapshot, relation format.Relation) error {
	next := t.state
	next.Tip, next.Root, next.Mine, next.Ended, next.Remarks = snap.tip, snap.raw, snap.mine, snap.ended, snap.remarks
	next.Looked, next.Failed, next.Words, next.Broken, next.Behind, next.Lease = t.began, time.Time{}, "", nil, 0, ""
	next.Seen = false
	next.Changed = t.fleet.dir.Now()
	next.Carried = slices.DeleteFunc(slices.Clone(t.state.Carried), func(clone string) bool {
		return snap.root.Find(format.ModeDir, clone) != ""
	})
	if relation == format.Lost {
		next.Lost, next.Uncut = t.fleet.dir.Now(), false
		if err := t.carry(ctx, snap, &next); err != nil {
			return err
		}
	}
	if err := t.install(ctx, snap, &next); err != nil {
		return err
	}
	t.state = next
	return t.fleet.repo.Tidy(ctx, false)
}

// carry keeps the live locks of clones that are missing from the new history.
func (t *turn) carry(ctx context.Context, snap *snapshot, next *state) error {
	locks, _, err := locksIn(ctx, t.fleet.dir, t.fleet.folder)
	if err != nil {
		return err
	}
	if snap.files == nil {
		snap.files = map[string][]lockText{}
	}
	next.Carried = nil
	for _, l := range locks {
		if snap.root.Find(format.ModeDir, l.Clone) != "" || l.Clone == t.self.Clone || !live(l, t.fleet.Now()) {
			continue
		}
		data, err := format.Render(l.Lock, true)
		if err != nil {
			return err
		}
		snap.files[l.Clone] = append(snap.files[l.Clone], lockText{l.Lock.ID, data})
		if !slices.Contains(next.Carried, l.Clone) {
			next.Carried = append(next.Carried, l.Clone)
		}
	}
	return nil
}

// leastMinutes is the minimum staleness threshold for locks of other clones.
const leastMinutes = 60

// live reports whether a lock of another clone may still be in use, according to its own
// stamps.
func live(l Lock, now time.Time) bool {
	minutes := max(leastMinutes, l.Lock.Published.StaleAfter, l.Lock.LeaseMinutes)
	return l.Lock.Finished.IsZero() && now.Sub(l.Lock.Updated.Time) <= time.Duration(minutes*float64(time.Minute))
}

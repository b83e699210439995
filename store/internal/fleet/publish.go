package fleet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

const (
	// swapTime is the minimum time for each swap, however little of its time the caller
	// has left.
	swapTime = 10 * time.Second
	// sameAnswer is how often the host may refuse a push although no other clone was
	// faster, or not answer it. A single refusal may be due to a lock file left behind
	// there.
	sameAnswer = 3
	// If other clones have changed the ref within busyFor, a view older than optimism is
	// refreshed before a swap.
	optimism = time.Minute
	busyFor  = 10 * time.Minute
	// courtesy limits the pause of a clone that has just published.
	courtesy = 2 * time.Second
)

// A Request is one call to publish.
type Request struct {
	Judge  Judge
	Claims []Key // claims that must be published; without any, Publish just updates this clone's directory
	Wait   time.Duration
	Fresh  bool // look before anything else
	Urgent bool // look even soon after a failed look
	// Last, if not nil, is called with the final view once everything is published,
	// before another process of this clone has its turn.
	Last func(*View) error
}

// A Result is the result of a Request.
type Result struct {
	View    *View // as of the end
	Pushes  int   // number of swaps tried
	Back    int   // locks of other clones that were put back after the ref was lost
	Renamed bool  // this clone is a copy and took a new id; what it had published belongs to the original
}

// A publishing is a call of Publish in progress.
type publishing struct {
	Request
	fleet    *Fleet
	start    time.Time
	until    time.Time
	identity func() (string, error)
	result   Result
	refusals int // by the host, although no other clone was faster
	silences int
	answer   remote.Answer // of the last push
	words    string        // what git and the host said about it
	push     time.Duration // how long it took
}

// Publish makes this clone's locks in the ref what the judge wants, and asks the judge
// again each time another clone was faster. If r.Claims is not empty, it succeeds only if
// all of them are published.
//
// It returns the judge's error if that was about a tip that is not older than this call.
// Other errors are FleetUnreachable, FleetRefused, FleetBroken, and FleetBusy when r.Wait
// is over. After an error other clones may still see a claim, until the next call
// publishes without it.
func (f *Fleet) Publish(ctx context.Context, r Request) (Result, error) {
	start := f.dir.Now()
	p := &publishing{Request: r, fleet: f, start: start, until: start.Add(r.Wait), identity: f.identify(ctx)}
	err := p.run(ctx)
	return p.result, err
}

// identify starts asking git for the committer, and returns a function that waits for the
// answer.
func (f *Fleet) identify(ctx context.Context) func() (string, error) {
	type answer struct {
		who string
		err error
	}
	c := make(chan answer, 1)
	go func() {
		who, err := f.repo.Identity(ctx)
		c <- answer{who, err}
	}()
	return func() (string, error) {
		a := <-c
		c <- a
		return a.who, a.err
	}
}

// run tries until there is a result. A pause between two tries lets other clones have
// their turn. It does not grow: some clone always wins, so backing off further would only
// lengthen the tail.
func (p *publishing) run(ctx context.Context) error {
	for {
		done, err := p.attempt(ctx)
		if done || err != nil {
			return err
		}
		if !p.fleet.dir.Now().Before(p.until) {
			return p.timeUp()
		}
		if err := disk.Pause(ctx, rand.N(2*max(p.push, time.Millisecond))); err != nil {
			return err
		}
	}
}

// timeUp returns the error for a call whose time is over, according to the last push.
func (p *publishing) timeUp() error {
	waited := p.fleet.dir.Now().Sub(p.start).Round(time.Second)
	what := fmt.Sprintf("other clones were faster each time for %s", waited)
	switch {
	case p.answer == remote.NoAnswer:
		return p.silent()
	case p.refusals > 0:
		what = fmt.Sprintf("the remote %q has not taken it within %s", p.fleet.Remote, max(time.Second, waited))
	case waited == 0:
		what = "another clone was faster"
	}
	return fault.New(fault.FleetBusy, "%s: %s", what, p.words).
		WithHint("try again, or wait for longer; what was tried may show elsewhere until the next sync")
}

// silent returns the error for a remote that answers looks, but not pushes.
func (p *publishing) silent() error {
	return fault.New(fault.FleetUnreachable, "the remote %q does not accept the push: %s", p.fleet.Remote, p.words).
		WithHint("check that you may push there; `local` claims without the other clones")
}

// attempt tries once, while holding fleet.lock.
func (p *publishing) attempt(ctx context.Context) (done bool, err error) {
	t, err := p.fleet.enter(ctx, p.until)
	if err != nil {
		return false, err
	}
	p.result.Renamed = p.result.Renamed || t.renamed
	defer func() {
		if done || err != nil {
			var viewErr error
			p.result.View, viewErr = t.fleet.view(ctx, t.self, &t.state)
			err = errors.Join(err, viewErr)
		}
		if done && err == nil && p.Last != nil {
			err = p.Last(p.result.View)
		}
		err = errors.Join(err, t.leave())
	}()
	if quiet := t.state.Quiet.Sub(p.fleet.dir.Now()); quiet > 0 {
		if err := disk.Pause(ctx, min(quiet, courtesy)); err != nil {
			return false, err
		}
	}
	if err := t.mayAsk(p.Urgent); err != nil {
		return false, err
	}
	// The time was spent waiting for another process of this clone, whose look failed.
	if now := p.fleet.dir.Now(); p.until.Sub(now) < swapTime && t.state.Failed.After(p.start) {
		return false, t.failedBefore()
	}
	if p.mustLook(t) {
		if err := p.lookAgain(ctx, t); err != nil {
			return false, err
		}
	}
	return p.try(ctx, t)
}

// mustLook reports whether the known tip is too unreliable to build a swap on. If it is
// merely out of date, the host rejects the swap.
func (p *publishing) mustLook(t *turn) bool {
	s := &t.state
	tracked, err := p.fleet.repo.Tracked()
	age := p.fleet.dir.Now().Sub(s.Looked)
	switch {
	case s.Lease != "":
		return false
	case s.Looked.IsZero(), s.Failed.After(s.Looked), s.Broken != nil, s.Behind > 0:
		return true
	case err != nil, s.Tip.Commit != "" && tracked != s.Tip.Commit:
		return true // the bare repository was remade
	case (p.Fresh || s.newer()) && s.Looked.Before(p.start), age < 0:
		return true // a newer format, which the call would be refused for, may be gone
	}
	return age > optimism && s.Looked.Sub(s.Changed) < busyFor
}

// lookAgain looks in the course of publishing.
func (p *publishing) lookAgain(ctx context.Context, t *turn) error {
	before := t.self.Clone
	relation, err := t.look(ctx, max(swapTime, p.until.Sub(p.fleet.dir.Now())))
	p.result.Renamed = p.result.Renamed || t.self.Clone != before
	if err == nil && relation == format.Behind {
		err = fault.New(fault.FleetBroken, "%q on the remote %q is at %d, and was at %d before", t.fleet.Ref,
			t.fleet.Remote, t.state.Behind, t.state.Tip.Seq).
			WithHint("a replica that lags catches up; if the host was restored from a backup, agent-locks fleet reset " +
				"accepts it")
	}
	return err
}

// try judges and swaps once.
func (p *publishing) try(ctx context.Context, t *turn) (done bool, err error) {
	if p.stand(t) {
		return true, nil
	}
	plan, err := p.judge(ctx, t)
	if err != nil {
		return false, err
	}
	if t.state.newer() {
		return false, fault.New(fault.FleetRefused, "%q is in format %d; this agent-locks writes %d", t.fleet.Ref,
			t.state.Tip.Format, format.Version).
			WithHint("update agent-locks; if no clone runs a newer version, agent-locks fleet reset replaces the ref, " +
				"and keeps live locks")
	}
	next := t.self.next()
	d, err := t.makeDraft(ctx, plan, next.token())
	if err != nil {
		return false, err
	}
	if err := p.planned(d); err != nil {
		return false, err
	}
	if d.same && !plan.Purge {
		return true, t.noteJudged()
	}
	if err := t.fleet.save(selfName, next); err != nil { // before anybody can see the token
		return false, err
	}
	t.self = next
	return p.swap(ctx, t, plan, d)
}

// noteJudged records that all locks were judged on the known tip and are published.
func (t *turn) noteJudged() error {
	if bytes.Equal(t.state.Judged, t.state.Root) {
		return nil
	}
	t.state.Judged = t.state.Root
	return t.fleet.save(tipName, t.state)
}

// stand reports whether all claims are published in the known tip.
func (p *publishing) stand(t *turn) bool {
	return len(p.Claims) > 0 && !slices.ContainsFunc(p.Claims, func(k Key) bool {
		standing, ok := t.state.Mine[k.ID]
		return !ok || standing.Nonce != k.Nonce || standing.Terms != k.Terms
	})
}

// judge calls the caller's judge. If the judge refuses on a tip from before this call, it
// is asked again on the current tip.
func (p *publishing) judge(ctx context.Context, t *turn) (Plan, error) {
	for {
		fresh := !t.state.Looked.Before(p.start)
		view, err := t.fleet.view(ctx, t.self, &t.state)
		if err != nil {
			return Plan{}, err
		}
		judged := t.state.judgedAgainst(t.self.Clone, t.fleet.repo.IDSize())
		for i := range view.Locks {
			view.Locks[i].Judged = judged(view.Locks[i].Clone)
		}
		plan, err := p.Judge(ctx, view)
		if err == nil || fresh {
			return plan, err
		}
		if err := p.lookAgain(ctx, t); err != nil {
			return Plan{}, err
		}
	}
}

// planned checks that the judge's plan includes the claims.
func (p *publishing) planned(d draft) error {
	for _, k := range p.Claims {
		if standing, ok := d.mine[k.ID]; !ok || standing.Nonce != k.Nonce {
			return fmt.Errorf("the claim %q was not refused, and is not to be published", k.ID)
		}
	}
	return nil
}

package fleet

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

// tidyEvery is the number of commits after which a clone that fetches nothing tidies its
// bare repository.
const tidyEvery = 256

// header returns the header of the next commit, and whether that commit drops the
// history.
func (t *turn) header() (h format.Header, cut bool) {
	h = format.Header{Format: format.Version, Epoch: t.state.Tip.Epoch, Seq: t.state.Tip.Seq + 1,
		Chain: t.state.Tip.Chain + 1, Nonce: crand.Text()}
	if t.state.Tip.Commit == "" || h.Seq > format.MaxSeq { // nobody would accept a higher Seq
		h.Epoch, h.Seq, h.Chain = strings.ToLower(crand.Text()), 1, 1
		return h, false
	}
	if t.state.Tip.Chain >= t.fleet.Chain && !t.state.Uncut {
		h.Chain = 1
		return h, true
	}
	return h, false
}

// swap commits and pushes a draft, and finds out what happened to it.
func (p *publishing) swap(ctx context.Context, t *turn, plan Plan, d draft) (done bool, err error) {
	h, cut := t.header()
	if plan.Purge && t.state.Tip.Commit != "" && !t.state.Uncut {
		cut, h.Chain = true, 1
	}
	commit, raw, err := p.commit(t, d, h, cut)
	if err != nil {
		return false, err
	}
	lease := t.state.Tip.Commit
	if t.state.Lease != "" {
		lease = t.state.Lease
	}
	pushCtx, cancel := within(ctx, max(swapTime, p.until.Sub(p.fleet.dir.Now())))
	defer cancel()
	t.began = p.fleet.dir.Now()
	err = t.ask(func() error {
		p.answer, p.words = p.fleet.repo.Push(pushCtx, lease, commit)
		return nil
	})
	if err != nil {
		return false, err
	}
	p.push = p.fleet.dir.Now().Sub(t.began)
	p.result.Pushes++
	if p.answer == remote.Swapped {
		return true, p.won(ctx, t, plan, d, format.Tip{Commit: commit, Header: h}, raw)
	}
	if why := gaveUp(ctx); why != nil {
		return false, t.late(why)
	}
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	return p.lost(ctx, t, commit, cut)
}

// commit writes the tree and the commit object.
func (p *publishing) commit(t *turn, d draft, h format.Header, cut bool) (id string, raw []byte, err error) {
	who, err := p.identity()
	if err != nil {
		return "", nil, err
	}
	if raw, err = d.root.Bytes(); err != nil {
		return "", nil, err
	}
	if len(raw) > format.MaxTree {
		return "", nil, fault.New(fault.FleetRefused, "%q has %d entries, more than other clones read", t.fleet.Ref,
			len(d.root)).
			WithHint("somebody has filled it: agent-locks fleet purge empties it for everybody")
	}
	tree, err := p.fleet.repo.Write(remote.Tree, raw)
	if err != nil {
		return "", nil, err
	}
	parent := t.state.Tip.Commit
	if cut {
		parent = ""
	}
	name := t.fleet.Label
	if name == "" {
		name = t.self.Clone
	}
	c := format.Commit{Tree: tree, Committer: who, Message: format.Message(h, fmt.Sprintf("agent-locks: %d of %s",
		len(d.mine), name))}
	id, err = p.fleet.repo.Write(remote.Commit, []byte(c.Object(parent, p.fleet.Now().Unix())))
	return id, raw, err
}

// won records the pushed tip. If that fails, the next look finds the tip.
func (p *publishing) won(ctx context.Context, t *turn, plan Plan, d draft, tip format.Tip, raw []byte) error {
	p.result.Back += d.back
	s := t.state
	now := p.fleet.dir.Now()
	s.Tip, s.Root, s.Judged, s.Mine, s.Lease, s.Carried = tip, raw, raw, d.mine, "", nil
	s.Swapped = now
	s.Looked, s.Failed, s.Words, s.Broken, s.Behind, s.Push = t.began, time.Time{}, "", nil, 0, p.push
	s.Ended = slices.DeleteFunc(slices.Clone(s.Ended), func(e Ended) bool { return plan.Purge || heard(plan.Heard, e) })
	if len(p.Claims) == 0 && now.Sub(s.Changed) < optimism && p.push > 0 {
		s.Quiet = now.Add(rand.N(min(2*p.push, courtesy)))
	}
	s.Remarks = maps.Clone(s.Remarks)
	if delete(s.Remarks, t.self.Clone); plan.Purge {
		s.Remarks = nil
	}
	t.state = s
	if err := p.fleet.repo.Track(tip.Commit); err != nil {
		return err
	}
	changes := p.gone(t, plan)
	if len(changes) == 0 {
		if err := t.fleet.save(tipName, s); err != nil {
			return err
		}
		return p.fleet.repo.Tidy(ctx, tip.Seq%tidyEvery == 0)
	}
	_, err := t.fleet.dir.Change(ctx, func(*disk.Tx) error {
		for _, c := range changes {
			if err := t.drop(c); err != nil {
				return err
			}
		}
		return t.fleet.save(tipName, s)
	})
	return err
}

// gone lists the files of other clones' locks that this swap has ended.
func (p *publishing) gone(t *turn, plan Plan) []change {
	var changes []change
	for _, e := range plan.Ends {
		changes = append(changes, change{clone: e.Clone, remove: []string{e.ID + format.Extension}})
	}
	if plan.Purge {
		names, _ := os.ReadDir(t.fleet.folder.Path) // the next look removes what remains
		for _, n := range names {
			if !format.ValidClone(n.Name()) {
				continue
			}
			files, _ := os.ReadDir(t.fleet.folder.File(n.Name()))
			c := change{clone: n.Name(), whole: true}
			for _, f := range files {
				c.remove = append(c.remove, f.Name())
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// lost finds out what happened to a push that was rejected or not answered. This clone's
// directory in the current tree tells, whatever commits have followed.
func (p *publishing) lost(ctx context.Context, t *turn, commit string, cut bool) (done bool, err error) {
	before := t.state.Tip.Commit
	if err := p.lookAgain(ctx, t); err != nil {
		if ours, ok := errors.AsType[*fault.Error](err); ok && ours.Code == fault.FleetUnreachable {
			return false, ours.
				WithHint("what was tried may show elsewhere until the next sync; try again, or claim with `local`")
		}
		return false, err
	}
	switch {
	case p.stand(t):
		return true, nil
	case t.state.Tip.Commit == commit:
		return true, t.noteJudged()
	case t.state.Tip.Commit != before:
		p.refusals, p.silences = 0, 0
		return false, nil
	case p.answer == remote.NoAnswer:
		if remote.OtherFormat(p.words) {
			return false, t.otherFormat(p.words)
		}
		if p.silences++; p.silences >= sameAnswer {
			return false, p.silent()
		}
		return false, nil
	case cut: // some hosts never drop a history
		t.state.Uncut = true
		return false, t.fleet.save(tipName, t.state)
	}
	if p.refusals++; p.refusals >= sameAnswer {
		return false, fault.New(fault.FleetRefused, "the remote %q does not take %q: %s", t.fleet.Remote, t.fleet.Ref,
			p.words).
			WithHint("set `agentlocks.fleetRef` to a ref that the host accepts, as in refs/heads/agent-locks")
	}
	return false, nil
}

// Reset accepts what is on the remote in place of what was there before. A tip that is
// unreadable or in a newer format is replaced by the next Publish; an older tip than the
// known one is accepted as it is. The live locks of other clones are kept, as after any
// loss of the ref.
func (f *Fleet) Reset(ctx context.Context, wait time.Duration) (*View, error) {
	t, err := f.enter(ctx, f.dir.Now().Add(wait))
	if err != nil {
		return nil, err
	}
	defer t.leave() // the kernel releases the lock in any case
	_, err = t.look(ctx, wait)
	empty := errors.Is(err, remote.ErrNameless) // if the answer was not the host's, the swap will fail
	if err != nil && t.state.Broken == nil && !empty {
		return nil, err
	}
	if t.state.Broken == nil && t.state.Behind == 0 && !empty && !t.state.newer() {
		return t.fleet.view(ctx, t.self, &t.state)
	}
	lease := ""
	if t.state.newer() {
		lease = t.state.Tip.Commit
	}
	if t.state.Broken != nil {
		leadCtx, cancel := within(ctx, lookTime)
		defer cancel()
		err := t.ask(func() (err error) {
			lease, err = f.repo.Leads(leadCtx)
			return err
		})
		if err != nil {
			return nil, t.failed(err)
		}
	}
	if err := t.accept(ctx, &snapshot{}, format.Lost); err != nil {
		return nil, err
	}
	if t.state.Lease = lease; lease == "" {
		_, err = t.look(ctx, wait)
	} else {
		err = t.fleet.save(tipName, t.state)
	}
	if err != nil {
		return nil, err
	}
	return t.fleet.view(ctx, t.self, &t.state)
}

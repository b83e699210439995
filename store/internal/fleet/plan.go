package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A Key identifies a claim to publish: the lock, the nonce of the judged change, and the
// terms that others judge it by. Each judged change has its own nonce, since the lock may
// have been in the ref before the change.
type Key struct {
	ID, Nonce, Terms string
}

// A Plan is what this clone wants in the ref on top of a given tip.
type Plan struct {
	// Locks are all locks that this clone publishes. Published.Nonce is that of the
	// change by which a lock was judged, "" if it was not judged.
	Locks []lockfile.Lock
	Ends  []End    // locks of other clones to end
	Heard []string // ids of View.Ended that this clone has taken note of
	Purge bool     // remove the locks of all clones
	// Always swaps even if nothing changes, to find out whether the host accepts a push.
	Always bool
}

// An End ends a lock of another clone.
type End struct {
	Clone, ID, By string
}

// A Judge returns what this clone wants, given the other clones' locks in the view. An
// error refuses the call's own claim. The plan must not include a lock that excludes one
// in the view, unless it is in the ref already and comes first.
type Judge func(context.Context, *View) (Plan, error)

// keptEnded is how long an ended lock is kept for its owner.
const keptEnded = 30 * 24 * time.Hour

// A draft is a plan as git objects.
type draft struct {
	mine map[string]Standing
	root format.Tree
	same bool // nothing changes
	back int  // number of other clones' locks that are put back
}

// makeDraft builds a plan's trees on top of the known tip, with the given token.
func (t *turn) makeDraft(ctx context.Context, p Plan, token string) (draft, error) {
	if p.Purge {
		return draft{}, nil
	}
	root, err := t.state.rootTree(t.fleet.repo.IDSize())
	if err != nil {
		return draft{}, err
	}
	d := draft{root: root}
	own, err := t.directory(p.Locks, token, &d)
	if err != nil {
		return draft{}, err
	}
	d.same = !p.Always && sameLocks(d.mine, t.state.Mine) && t.state.Remarks[t.self.Clone].Count() == 0 &&
		len(p.Ends)+len(p.Heard)+len(t.state.Carried) == 0 && (own != "" || !root.Has(t.self.Clone))
	d.root = d.root.With(format.ModeDir, t.self.Clone, own)
	if err := t.addCarried(ctx, &d); err != nil {
		return draft{}, err
	}
	if err := t.end(ctx, p, &d); err != nil {
		return draft{}, err
	}
	if len(d.mine) > 0 && !visible(root, d.root, t.self.Clone) {
		return draft{}, fault.New(fault.FleetRefused,
			"%d clones have locks in %q; others would not see those of one more", format.MaxClones, t.fleet.Ref).
			WithHint("end the locks of clones that are gone: reap what is stale")
	}
	return d, nil
}

// visible reports whether others see a clone's locks in the next tree. A clone that joins
// although the maximum is reached would not be seen, or would hide another clone.
func visible(known, next format.Tree, clone string) bool {
	seen, _ := next.Clones("")
	joins := known.Find(format.ModeDir, clone) == ""
	return seen.Find(format.ModeDir, clone) != "" && (!joins || next.Crowd() <= format.MaxClones)
}

// sameLocks reports whether the wanted locks are in the ref already.
func sameLocks(wanted, there map[string]Standing) bool {
	if len(wanted) != len(there) {
		return false
	}
	for id, s := range wanted {
		if there[id].Blob != s.Blob || there[id].Terms == "" { // others do not see it
			return false
		}
	}
	return true
}

// directory writes this clone's directory and returns its id, "" if it has no locks:
// clones that are gone should not take up room.
func (t *turn) directory(locks []lockfile.Lock, token string, d *draft) (string, error) {
	d.mine = map[string]Standing{}
	var tree format.Tree
	size := 0
	for _, l := range locks {
		data, err := t.render(l)
		if err != nil {
			return "", err
		}
		if size += len(data); size > maxClone {
			return "", fault.New(fault.BadInput, "other clones would not see what this one publishes: its locks have more "+
				"than %d bytes", maxClone).
				WithHint("finish some locks; or agent-locks fleet on --share claims, if tasks and notes are published")
		}
		blob, err := t.fleet.repo.Write("blob", data)
		if err != nil {
			return "", err
		}
		d.mine[l.ID] = standingOf(l, blob)
		tree = tree.With(format.ModeFile, l.ID+format.Extension, blob)
	}
	if _, said := tree.Locks(); said.Count() > 0 {
		return "", fault.New(fault.BadInput, "other clones would not see what this one publishes: %s",
			said.MayBeLocks.Texts[0]).
			WithHint(fmt.Sprintf("finish some locks: a clone publishes at most %d, whose ids differ by more than "+
				"letter case", format.MaxLocks))
	}
	if len(tree) == 0 {
		return "", nil
	}
	return t.own(tree, token)
}

// own adds the owner's file with the token to a directory's tree, and writes it.
func (t *turn) own(tree format.Tree, token string) (string, error) {
	blob, err := t.fleet.repo.Write("blob", format.Owner{Token: token, Label: t.fleet.Label}.Text())
	if err != nil {
		return "", err
	}
	return t.writeTree(tree.With(format.ModeFile, format.OwnerName, blob))
}

func (t *turn) writeTree(tree format.Tree) (string, error) {
	if len(tree) == 0 {
		return "", nil
	}
	data, err := tree.Bytes()
	if err != nil {
		return "", err
	}
	return t.fleet.repo.Write("tree", data)
}

// render returns a lock's file for the others. It omits tasks and notes if they make the
// file too large.
func (t *turn) render(l lockfile.Lock) ([]byte, error) {
	l.Published.Label = t.fleet.Label
	data, err := format.Render(l, t.fleet.Everything)
	if err != nil && t.fleet.Everything {
		data, err = format.Render(l, false)
	}
	if err != nil {
		return nil, fault.New(fault.BadInput, "lock %q cannot be published: %v", l.ID, err).
			WithHint("claim less in one lock")
	}
	return data, nil
}

// addCarried puts back the other clones' locks after the ref was lost. It omits the
// token, so that their clones recognize the directories as their own. It omits nonces, so
// that they judge each lock again, since a clone that did not know a lock may have
// claimed the same meanwhile.
func (t *turn) addCarried(ctx context.Context, d *draft) error {
	for _, clone := range t.state.Carried {
		locks, _, err := locksOf(ctx, t.fleet.dir, clone)
		if err != nil {
			return err
		}
		var tree format.Tree
		for _, l := range locks {
			l.Lock.Published.Nonce = ""
			data, err := format.Render(l.Lock, true)
			if err != nil {
				return err
			}
			blob, err := t.fleet.repo.Write("blob", data)
			if err != nil {
				return err
			}
			tree = tree.With(format.ModeFile, l.Lock.ID+format.Extension, blob)
			d.back++
		}
		id, err := t.writeTree(tree)
		if err != nil {
			return err
		}
		d.root = d.root.With(format.ModeDir, clone, id)
	}
	return nil
}

// end moves the locks to end to ended/, and drops those that their owner has taken note
// of.
func (t *turn) end(ctx context.Context, p Plan, d *draft) error {
	if len(p.Ends)+len(p.Heard) == 0 {
		return nil
	}
	reader := t.fleet.repo.Objects(ctx)
	defer reader.Close() // whatever it was still writing
	e := ender{turn: t, reader: reader}
	ended, err := e.readable(d.root.Find(format.ModeDir, format.EndedName))
	if err != nil {
		return err
	}
	for _, id := range p.Heard {
		if ended, err = e.without(ended, t.self.Clone, id); err != nil {
			return err
		}
	}
	for _, end := range p.Ends {
		if ended, err = e.move(d, ended, end); err != nil {
			return err
		}
	}
	id, err := t.writeTree(ended)
	d.root = d.root.With(format.ModeDir, format.EndedName, id)
	return err
}

// heard reports whether an ended lock is among the ids.
func heard(ids []string, e Ended) bool { return slices.Contains(ids, e.ID) }

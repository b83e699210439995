package fleet

import (
	"errors"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

// An ender moves locks of other clones to ended/.
type ender struct {
	turn   *turn
	reader *remote.Reader
}

// treeOf reads a tree of the known tip. It returns nil for an empty id.
func (e ender) treeOf(id string) (format.Tree, error) {
	if id == "" {
		return nil, nil
	}
	data, err := e.reader.Read(remote.Tree, id, format.MaxTree)
	if err != nil {
		return nil, contentOf(err)
	}
	tree, err := format.ParseTree(data, e.turn.fleet.repo.IDSize())
	if err != nil {
		return nil, content{err}
	}
	return tree, nil
}

// readable is like treeOf, but returns nil for malformed content. The next tree then
// omits it.
func (e ender) readable(id string) (format.Tree, error) {
	tree, err := e.treeOf(id)
	if _, bad := errors.AsType[content](err); bad {
		return nil, nil
	}
	return tree, err
}

// put sets a file in a directory of a tree, or removes it if blob is empty. A directory
// is removed once it contains nothing but the owner's file. Unreadable entries count as
// files, since they may be locks.
func (e ender) put(parent format.Tree, dir, name, blob string) (format.Tree, error) {
	tree, err := e.readable(parent.Find(format.ModeDir, dir))
	if err != nil {
		return nil, err
	}
	tree = tree.With(format.ModeFile, name, blob)
	if len(tree.With(format.ModeFile, format.OwnerName, "")) == 0 {
		tree = nil
	}
	id, err := e.turn.writeTree(tree)
	return parent.With(format.ModeDir, dir, id), err
}

func (e ender) without(ended format.Tree, clone, id string) (format.Tree, error) {
	return e.put(ended, clone, id+format.Extension, "")
}

// move ends a lock as it is in the tip. The same swap drops entries of other clones that
// their owners have not taken note of for a month.
func (e ender) move(d *draft, ended format.Tree, end End) (format.Tree, error) {
	name := end.ID + format.Extension
	dir, err := e.treeOf(d.root.Find(format.ModeDir, end.Clone))
	if err != nil {
		return nil, err
	}
	blob := dir.Find(format.ModeFile, name)
	if blob == "" {
		return nil, fault.New(fault.LockNotFound, "clone %q has no lock %q any more", end.Clone, end.ID)
	}
	data, err := e.reader.Read(remote.Blob, blob, format.MaxLock)
	if err != nil {
		return nil, err
	}
	l, _, err := format.Receive(end.ID, data)
	if err != nil {
		return nil, fault.New(fault.FleetBroken, "lock %q of clone %q cannot be read: %v", end.ID, end.Clone, err)
	}
	if blob, err = e.done(l, end.By); err != nil {
		return nil, err
	}
	if d.root, err = e.put(d.root, end.Clone, name, ""); err != nil {
		return nil, err
	}
	if ended, err = e.put(ended, end.Clone, name, blob); err != nil {
		return nil, err
	}
	return e.forget(ended)
}

// done writes a lock as ended now.
func (e ender) done(l lockfile.Lock, by string) (string, error) {
	now, err := lockfile.ParseStamp(lockfile.FormatStamp(e.turn.fleet.Now()))
	if err != nil {
		return "", err
	}
	l.Status, l.Finished, l.FinishedBy = lockfile.Done, now, by
	data, err := format.Render(l, true)
	if err != nil {
		return "", err
	}
	return e.turn.fleet.repo.Write("blob", data)
}

// forget drops ended locks that have waited for their owner for too long.
func (e ender) forget(ended format.Tree) (format.Tree, error) {
	clones, _ := ended.Clones("")
	for _, clone := range clones {
		dir, err := e.readable(clone.ID)
		if err != nil {
			return nil, err
		}
		locks, _ := dir.Locks()
		for _, entry := range locks {
			data, err := e.reader.Read(remote.Blob, entry.ID, format.MaxLock)
			err = contentOf(err)
			if _, bad := errors.AsType[content](err); err != nil && !bad {
				return nil, err
			}
			l, _, err := format.Receive(entry.Name, data)
			if err == nil && e.turn.fleet.Now().Sub(l.Finished.Time) <= keptEnded {
				continue
			}
			if ended, err = e.without(ended, clone.Name, entry.Name); err != nil {
				return nil, err
			}
		}
	}
	return ended, nil
}

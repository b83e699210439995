package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

// maxClone limits the total size of a clone's lock files, because a tree may list one
// small object a thousand times.
const maxClone = 4 << 20

// A snapshot is the content of a tip, as far as it differs from what is known.
type snapshot struct {
	tip   format.Tip
	root  format.Tree
	raw   []byte // encoding of root
	mine  map[string]Standing
	ended []Ended
	// files are the locks of clones that have changed. kept are the clones that have not.
	// remarks are about what was ignored, by clone.
	files   map[string][]lockText
	kept    map[string]bool
	remarks map[string]format.Remarks
}

type lockText struct {
	id   string
	data []byte
}

// A content is an error about the content of the ref, as opposed to one of reading it.
type content struct{ error }

// contentOf marks errors about content as such.
func contentOf(err error) error {
	if errors.Is(err, remote.ErrKind) || errors.Is(err, remote.ErrTooLarge) {
		return content{err}
	}
	return err
}

// A survey reads one tip.
type survey struct {
	reader  *remote.Reader
	size    int // of an object id, in bytes
	self    Self
	before  format.Tree // the known root
	remarks map[string]format.Remarks
	state   *state
}

// read reads a tip. The error is a *Broken if the tip is unusable.
func (f *Fleet) read(ctx context.Context, self *Self, s *state, commit string) (*snapshot, error) {
	reader := f.repo.Objects(ctx)
	defer reader.Close() // whatever it was still writing
	v := &survey{reader: reader, size: f.repo.IDSize(), self: *self, remarks: map[string]format.Remarks{}, state: s}
	v.before, _ = s.rootTree(v.size) // an unreadable tree is read again
	snap, err := v.top(commit)
	if err != nil {
		return nil, err
	}
	if err := f.recognise(v, snap, self); err != nil {
		return nil, err
	}
	v.self = *self
	return snap, v.fill(snap)
}

// Error makes a Broken the error of the read that found it.
func (b *Broken) Error() string { return b.Why }

// top reads the commit and its tree.
func (v *survey) top(commit string) (*snapshot, error) {
	broken := &Broken{Commit: commit}
	data, err := v.reader.Read(remote.Commit, commit, format.MaxMessage)
	var c format.Commit
	if err = contentOf(err); err == nil {
		if c, err = format.ParseCommit(string(data)); err != nil {
			err = content{err}
		}
	}
	snap := &snapshot{files: map[string][]lockText{}, kept: map[string]bool{}, remarks: v.remarks,
		mine: map[string]Standing{}}
	snap.tip.Commit, broken.Committer = commit, c.Committer
	if err == nil {
		if snap.tip.Header, err = format.ParseHeader(c.Message); err != nil {
			err = content{err}
		}
	}
	if err == nil {
		snap.raw, err = v.reader.Read(remote.Tree, c.Tree, format.MaxTree)
		err = contentOf(err)
	}
	if err == nil {
		if snap.root, err = format.ParseTree(snap.raw, v.size); err != nil {
			err = content{err}
		}
	}
	if bad, ok := errors.AsType[content](err); ok {
		broken.Why = bad.Error()
		return nil, broken
	}
	return snap, err
}

// recognise checks that the directory under this clone's id is its own. If it was written
// by a copy, or by the original of this one, this clone takes a new id and leaves the
// directory alone.
func (f *Fleet) recognise(v *survey, snap *snapshot, self *Self) error {
	dir := snap.root.Find(format.ModeDir, self.Clone)
	if dir == "" || dir == v.before.Find(format.ModeDir, self.Clone) {
		return nil
	}
	tree, err := v.readTree(dir)
	var owner format.Owner
	if err == nil {
		if blob := tree.Find(format.ModeFile, format.OwnerName); blob != "" {
			var data []byte
			data, err = v.reader.Read(remote.Blob, blob, format.MaxMessage)
			owner = format.ParseOwner(data)
		}
	}
	err = contentOf(err)
	if _, bad := errors.AsType[content](err); err != nil && !bad {
		return err
	}
	if err == nil && self.owns(owner.Token) {
		return nil
	}
	*self = newSelf(f.Now().UTC(), self.Directory)
	return f.save(selfName, self)
}

func (v *survey) readTree(id string) (format.Tree, error) {
	data, err := v.reader.Read(remote.Tree, id, format.MaxTree)
	if err != nil {
		return nil, err
	}
	tree, err := format.ParseTree(data, v.size)
	if err != nil {
		return nil, content{err}
	}
	return tree, nil
}

// fill reads the clones' directories.
func (v *survey) fill(snap *snapshot) error {
	clones, said := snap.root.Clones(v.self.Clone)
	v.note("", said)
	for _, e := range clones {
		same := e.ID == v.before.Find(format.ModeDir, e.Name)
		var err error
		switch {
		case e.Name == v.self.Clone && same && v.state.Mine != nil:
			snap.mine = v.state.Mine
			v.note(e.Name, v.state.Remarks[e.Name])
		case e.Name == v.self.Clone:
			snap.mine, err = v.standing(e)
		case same:
			snap.kept[e.Name] = true
			v.note(e.Name, v.state.Remarks[e.Name])
		default:
			snap.files[e.Name], err = v.clone(e)
		}
		if err != nil {
			return err
		}
	}
	if seen, _ := snap.root.Clones(""); seen.Find(format.ModeDir, v.self.Clone) == "" { // others do not see it
		mine := map[string]Standing{}
		for id, s := range snap.mine {
			mine[id] = Standing{Blob: s.Blob}
		}
		snap.mine = mine
	}
	var err error
	snap.ended, err = v.endedOf(snap.root)
	return err
}

// note keeps the remarks on a clone's directory, or those on everything else under "".
func (v *survey) note(clone string, said format.Remarks) {
	if said.Count() > 0 {
		v.remarks[clone] = said
	}
}

// locks returns the entries of a directory of locks. If the directory is unreadable, it
// returns a remark instead.
func (v *survey) locks(id string) (locks format.Tree, said format.Remarks, err error) {
	tree, err := v.readTree(id)
	err = contentOf(err)
	if bad, ok := errors.AsType[content](err); ok {
		said.MayBeLocks.Add("its locks cannot be read: %v", bad)
		return nil, said, nil
	}
	if err != nil {
		return nil, said, err
	}
	locks, said = tree.Locks()
	return locks, said, nil
}

// lock reads a lock file. bad is what is wrong with its content; err is an error of
// reading it.
func (v *survey) lock(e format.Entry) (l lockfile.Lock, data []byte, bad, err error) {
	data, err = v.reader.Read(remote.Blob, e.ID, format.MaxLock)
	err = contentOf(err)
	if bad, ok := errors.AsType[content](err); ok {
		return lockfile.Lock{}, nil, bad, nil
	}
	if err != nil {
		return lockfile.Lock{}, nil, nil, err
	}
	l, data, bad = format.Receive(e.Name, data)
	return l, data, bad, nil
}

// taken reads the lock files in a clone's directory. It calls take for each that other
// clones accept, and ignore for each that they ignore.
func (v *survey) taken(dir format.Entry, take func(format.Entry, lockfile.Lock, []byte),
	ignore func(format.Entry)) error {
	locks, said, err := v.locks(dir.ID)
	if err != nil {
		return err
	}
	size := 0
	for _, e := range locks {
		l, data, bad, err := v.lock(e)
		if err != nil {
			return err
		}
		if size += len(data); bad == nil && size > maxClone {
			bad = fmt.Errorf("its clone's locks have more than %d bytes", maxClone)
		}
		if bad == nil {
			take(e, l, data)
			continue
		}
		ignore(e)
		said.MayBeLocks.Add("%q is ignored: %v", e.Name, bad)
	}
	v.note(dir.Name, said)
	return nil
}

// clone reads the lock files of another clone.
func (v *survey) clone(dir format.Entry) (files []lockText, err error) {
	return files, v.taken(dir, func(e format.Entry, _ lockfile.Lock, data []byte) {
		files = append(files, lockText{e.Name, data})
	}, func(format.Entry) {})
}

// standing reads this clone's locks as others see them. A lock that they ignore has no
// nonce, so it gets replaced or withdrawn.
func (v *survey) standing(dir format.Entry) (map[string]Standing, error) {
	mine := map[string]Standing{}
	return mine, v.taken(dir, func(e format.Entry, l lockfile.Lock, _ []byte) { mine[e.Name] = standingOf(l, e.ID) },
		func(e format.Entry) { mine[e.Name] = Standing{Blob: e.ID} })
}

// endedOf reads which of this clone's locks others have ended. Remarks on these are
// harmless, since an ended lock cannot hide an active one.
func (v *survey) endedOf(root format.Tree) (ended []Ended, err error) {
	id := root.Find(format.ModeDir, format.EndedName)
	if id == "" {
		return nil, nil
	}
	if id == v.before.Find(format.ModeDir, format.EndedName) {
		v.note(format.EndedName, v.state.Remarks[format.EndedName])
		return v.state.Ended, nil
	}
	clones, err := v.readTree(id)
	err = contentOf(err)
	if bad, ok := errors.AsType[content](err); ok {
		var said format.Remarks
		said.Strays.Add("what was ended cannot be read: %v", bad)
		v.note(format.EndedName, said)
		return nil, nil
	}
	dir := clones.Find(format.ModeDir, v.self.Clone)
	if err != nil || dir == "" {
		return nil, err
	}
	err = v.taken(format.Entry{Mode: format.ModeDir, Name: format.EndedName, ID: dir},
		func(e format.Entry, l lockfile.Lock, _ []byte) {
			ended = append(ended, Ended{ID: e.Name, By: l.FinishedBy, At: l.Finished.String(), Updated: l.Updated.Time})
		}, func(format.Entry) {})
	v.note(format.EndedName, v.remarks[format.EndedName].Harmless())
	return ended, err
}

package fleet

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A change lists the changes to one clone's directory that install a snapshot.
type change struct {
	clone  string
	twins  []string // names to remove first, since they collide with files to write if letter case is ignored
	write  []lockText
	remove []string // names
	whole  bool     // remove the directory, too
}

// install updates the files of other clones' locks to a snapshot, and then saves its tip.
// It adds files before it removes others, so that a concurrent reader sees too many locks
// rather than too few.
func (t *turn) install(ctx context.Context, snap *snapshot, next *state) error {
	changes, err := t.changes(ctx, snap, next)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		return t.fleet.save(tipName, next)
	}
	_, err = t.fleet.dir.Change(ctx, func(tx *disk.Tx) error {
		for _, c := range changes {
			if err := t.drop(change{clone: c.clone, remove: c.twins}); err != nil {
				return err
			}
			if err := t.add(tx, c); err != nil {
				return err
			}
		}
		for _, c := range changes {
			if err := t.drop(c); err != nil {
				return err
			}
		}
		return t.fleet.save(tipName, next)
	})
	return err
}

// changes compares a snapshot with the files on disk.
func (t *turn) changes(ctx context.Context, snap *snapshot, next *state) ([]change, error) {
	names, err := t.fleet.dir.NamesIn(ctx, t.fleet.folder)
	if err != nil {
		return nil, err
	}
	var changes []change
	for clone := range snap.files {
		if !slices.Contains(names, clone) {
			names = append(names, clone)
		}
	}
	slices.Sort(names)
	for _, clone := range names {
		files, changed := snap.files[clone]
		if !format.ValidClone(clone) || snap.kept[clone] || !changed && slices.Contains(next.Carried, clone) {
			continue
		}
		c, err := t.compare(ctx, clone, files)
		if err != nil {
			return nil, err
		}
		if c.whole = len(files) == 0; c.whole || len(c.write)+len(c.twins)+len(c.remove) > 0 {
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// compare returns the changes to one directory.
func (t *turn) compare(ctx context.Context, clone string, files []lockText) (change, error) {
	c := change{clone: clone}
	folder, err := t.fleet.dir.OpenFolder(filepath.Join(Name, clone))
	if err != nil {
		return c, err
	}
	if folder == nil {
		c.write = files
		return c, nil
	}
	defer folder.Close() // only read from
	names, err := t.fleet.dir.NamesIn(ctx, folder)
	if err != nil {
		return c, err
	}
	there, wanted, folded := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, name := range names {
		there[name] = true
	}
	for _, f := range files {
		name := f.id + format.Extension
		wanted[name], folded[strings.ToLower(name)] = true, true
		if data, err := folder.ReadFile(name); err != nil || !bytes.Equal(data, f.data) || !there[name] {
			c.write = append(c.write, f) // replaces an unreadable file
		}
	}
	for _, name := range names {
		switch {
		case wanted[name]:
		case folded[strings.ToLower(name)]:
			c.twins = append(c.twins, name)
		default:
			c.remove = append(c.remove, name)
		}
	}
	return c, nil
}

func (t *turn) add(tx *disk.Tx, c change) error {
	if len(c.write) == 0 {
		return nil
	}
	folder, err := tx.EnsureFolder(filepath.Join(Name, c.clone))
	if err != nil {
		return err
	}
	for _, f := range c.write {
		if err := tx.Publish(f.data, folder, f.id+format.Extension); err != nil {
			return errors.Join(disk.Unusable("write", folder.File(f.id+format.Extension), err), folder.Close())
		}
	}
	return folder.Close()
}

func (t *turn) drop(c change) error {
	folder, err := t.fleet.dir.OpenFolder(filepath.Join(Name, c.clone))
	if folder == nil || err != nil {
		return err
	}
	for _, name := range c.remove {
		if err := folder.Unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(disk.Unusable("remove", folder.File(name), err), folder.Close())
		}
	}
	err = folder.Close()
	if err == nil && c.whole {
		if err = os.Remove(folder.Path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}

package state

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// Past reads the past versions of an entry that are kept, oldest first, with up
// to text bytes of each value. A file with the present version's number is a
// leftover of a killed process, and is skipped.
func Past(ctx context.Context, d *disk.Dir, name string, present int64, text int) (l Listing, err error) {
	folders, _ := pastPlace(name, 0).folders()
	in, err := descend(d, folders)
	if in == nil || err != nil {
		return Listing{}, err
	}
	r := reader{ctx: ctx, dir: d, wish: Wish{Text: text}}
	versions, err := pastVersions(in)
	var files []named
	for _, v := range versions {
		if v < present {
			files = append(files, named{name, pastFile(v)})
		}
	}
	if err == nil {
		err = r.add(&l, in, files)
	}
	l.Entries = slices.DeleteFunc(l.Entries, func(e Entry) bool {
		other := in.File(pastFile(e.Says.Version)) != e.Path
		if other {
			l.Bad = append(l.Bad, otherVersion(e))
		}
		return other
	})
	return l, errors.Join(err, in.Close())
}

func pastFile(version int64) string { return strconv.FormatInt(version, 10) + disk.Extension }

// pastVersions returns the versions in a directory, in ascending order.
func pastVersions(past *disk.Folder) ([]int64, error) {
	names, err := past.Names()
	var versions []int64
	for _, name := range names {
		number, _ := strings.CutSuffix(name, disk.Extension)
		if v, err := strconv.ParseInt(number, 10, 64); err == nil && v > 0 && pastFile(v) == name {
			versions = append(versions, v)
		}
	}
	slices.Sort(versions)
	return versions, err
}

// supersede writes the next version of an entry and keeps the present one among
// the past versions, replacing any leftover of a killed process there.
func supersede(tx *disk.Tx, in *disk.Folder, file string, before *Entry, next []byte) error {
	folders, as := pastPlace(before.Says.Name, before.Says.Version).folders()
	past, err := ensure(tx, folders)
	if err != nil {
		return err
	}
	err = tx.Supersede(next, in, file, before.file.Raw(), past, as)
	tx.Warn("close", past.Path, past.Close())
	return err
}

// trim removes all but the newest KeptPast past versions. Failures are
// warnings, because the preceding write has taken effect.
func trim(tx *disk.Tx, name string) {
	folders, _ := pastPlace(name, 0).folders()
	past, err := descend(tx.Dir, folders)
	if past == nil || err != nil {
		tx.Warn("open", name, err)
		return
	}
	versions, err := pastVersions(past)
	tx.Warn("read", past.Path, err)
	for _, v := range versions[:max(0, len(versions)-KeptPast)] {
		if err := past.Unlink(pastFile(v)); !errors.Is(err, fs.ErrNotExist) {
			tx.Warn("remove", past.File(pastFile(v)), err)
		}
	}
	tx.Warn("close", past.Path, past.Close())
}

// An Outdated is a past version, and when it was replaced.
type Outdated struct {
	Entry Entry
	Since lockfile.Stamp
}

// OutdatedBefore returns the past versions that were replaced before then. A
// version counts as replaced by the next one that still exists.
func OutdatedBefore(ctx context.Context, d *disk.Dir, then time.Time) (out []Outdated, bad []disk.BadFile, err error) {
	l, err := List(ctx, d, Wish{})
	bad = l.Bad
	for _, e := range l.Entries {
		if err != nil {
			break
		}
		var past Listing
		past, err = Past(ctx, d, e.Says.Name, e.Says.Version, 0)
		bad = append(bad, past.Bad...)
		for i, p := range past.Entries {
			next := append(past.Entries, e)[i+1]
			if next.Says.Updated.Before(then) {
				out = append(out, Outdated{p, next.Says.Updated})
			}
		}
	}
	return out, bad, err
}

// Forget permanently removes a past version.
func Forget(tx *disk.Tx, o Outdated) error {
	folders, file := pastPlace(o.Entry.Says.Name, o.Entry.Says.Version).folders()
	past, err := descend(tx.Dir, folders)
	if past == nil || err != nil {
		return err
	}
	if err := past.Unlink(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(disk.Unusable("remove", past.File(file), err), past.Close())
	}
	tx.SyncFolder(past)
	return past.Close()
}

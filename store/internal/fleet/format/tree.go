package format

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Modes of the entries that count.
const (
	ModeDir  = "40000"
	ModeFile = "100644"

	modeSubmodule = "160000"
)

// An Entry is an entry of a git tree.
type Entry struct {
	Mode, Name, ID string
}

// A Tree is a git tree, in git's order.
type Tree []Entry

// ParseTree parses a tree object with object ids of idSize bytes.
func ParseTree(raw []byte, idSize int) (Tree, error) {
	var tree Tree
	for text := string(raw); text != ""; {
		mode, rest, ok := strings.Cut(text, " ")
		name, rest, ok2 := strings.Cut(rest, "\x00")
		if !ok || !ok2 || len(rest) < idSize {
			return nil, errors.New("it has a tree that cannot be read")
		}
		tree = append(tree, Entry{mode, name, hex.EncodeToString([]byte(rest[:idSize]))})
		text = rest[idSize:]
	}
	return tree, nil
}

// Bytes encodes the tree object.
func (t Tree) Bytes() ([]byte, error) {
	var out []byte
	for _, e := range t {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			return nil, fmt.Errorf("%q is not an object id", e.ID)
		}
		out = append(out, e.Mode+" "+e.Name+"\x00"...)
		out = append(out, id...)
	}
	return out, nil
}

// Find returns the id of the entry with the given name and mode, or "".
func (t Tree) Find(mode, name string) string {
	for _, e := range t {
		if e.Name == name && e.Mode == mode {
			return e.ID
		}
	}
	return ""
}

// Has reports whether there is an entry with the given name, of any mode.
func (t Tree) Has(name string) bool {
	return slices.ContainsFunc(t, func(e Entry) bool { return e.Name == name })
}

// With returns a copy of the tree with an entry set, or removed if id is empty.
func (t Tree) With(mode, name, id string) Tree {
	out := slices.DeleteFunc(slices.Clone(t), func(e Entry) bool { return e.Name == name })
	if id != "" {
		out = append(out, Entry{mode, name, id})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.order(), b.order()) })
	return out
}

// order returns git's sort key: a directory sorts as if its name ended in a slash.
func (e Entry) order() string {
	if e.Mode == ModeDir {
		return e.Name + "/"
	}
	return e.Name
}

// Clones returns the directories of clones, always including that of mine, and remarks on
// everything else, except for the directory of ended locks.
func (t Tree) Clones(mine string) (clones Tree, said Remarks) {
	for _, e := range t {
		switch {
		case e.Name == EndedName && e.Mode == ModeDir:
		case !ValidClone(e.Name) || e.Mode != ModeDir:
			said.besideClones(e)
		case clones.Find(e.Mode, e.Name) != "":
			said.MayBeLocks.Add("the clone %q is there twice", e.Name)
		case e.Name != mine && len(clones) >= MaxClones:
			said.MayBeLocks.Add("the clone %q is one more than %d", e.Name, MaxClones)
		default:
			clones = append(clones, e)
		}
	}
	return clones, said
}

// besideClones adds a remark on an entry beside the clones' directories. Only what may be
// a lock, or a clone's renamed directory, counts as such; a README that somebody has put
// there must not make every answer incomplete.
func (r *Remarks) besideClones(e Entry) {
	const text = "%q (mode %s) is not a clone's directory"
	name, mode := clip(e.Name), clip(e.Mode)
	if isDirectory(e.Mode) || ValidClone(e.Name) || namesLock(e.Name) {
		r.MayBeLocks.Add(text+", and may hold locks", name, mode)
	} else {
		r.Strays.Add(text, name, mode)
	}
}

// isDirectory reports whether mode, however it is written, is that of a directory, or of
// a submodule in place of one.
func isDirectory(mode string) bool {
	mode = strings.TrimLeft(mode, "0")
	return mode == ModeDir || mode == modeSubmodule
}

// namesLock reports whether a name starts like those of this program's locks: with a
// stamp and a dash.
func namesLock(name string) bool {
	_, stamped := lockfile.ClaimedAt(strings.ToUpper(name))
	return stamped
}

// Crowd returns the number of clones' directories, even beyond the maximum.
func (t Tree) Crowd() (n int) {
	for _, e := range t {
		if ValidClone(e.Name) && e.Mode == ModeDir {
			n++
		}
	}
	return n
}

// Locks returns the lock files in a clone's directory, by id, and remarks on everything
// else. A clone writes only locks and .owner there, so anything else may be a lock. If
// ids differ only by letter case just one counts, since not every file system can hold
// both: the one spelled the way this program does, or else the first.
func (t Tree) Locks() (locks Tree, said Remarks) {
	at := map[string]int{} // by the id in lower case
	for _, e := range t {
		id, isLock := strings.CutSuffix(e.Name, Extension)
		lower := strings.ToLower(id)
		twin, isTwin := at[lower]
		switch {
		case e.Name == OwnerName && e.Mode == ModeFile:
		case e.Name == OwnerName && !isDirectory(e.Mode):
			said.Strays.Add("%q has the mode %s, not %s", OwnerName, clip(e.Mode), ModeFile)
		case !isLock || lockfile.ValidID(id) != nil:
			said.MayBeLocks.Add("%q is not a lock's name", clip(e.Name))
		case e.Mode != ModeFile:
			said.MayBeLocks.Add("%q has the mode %s, not %s", clip(e.Name), clip(e.Mode), ModeFile)
		case isTwin:
			entry := Entry{e.Mode, id, e.ID}
			if isOurs(id) && !isOurs(locks[twin].Name) {
				entry, locks[twin] = locks[twin], entry
			}
			said.MayBeLocks.Add("%q differs from another name only by letter case", clip(entry.Name+Extension))
		case len(locks) >= MaxLocks:
			said.MayBeLocks.Add("%q is one more than %d", clip(e.Name), MaxLocks)
		default:
			at[lower] = len(locks)
			locks = append(locks, Entry{e.Mode, id, e.ID})
		}
	}
	return locks, said
}

// isOurs reports whether an id is spelled the way this program does: a stamp, and a slug
// in lower case.
func isOurs(id string) bool {
	_, stamped := lockfile.ClaimedAt(id)
	return stamped && lockfile.SlugOf(id) == strings.ToLower(lockfile.SlugOf(id))
}

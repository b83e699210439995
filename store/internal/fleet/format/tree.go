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

// An Entry is one name in a git tree.
type Entry struct {
	Mode, Name, ID string
}

// A Tree is a git tree, in git's order.
type Tree []Entry

// ParseTree reads a tree object whose ids have so many bytes.
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

// Bytes are the tree object's content.
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

// Find is the id of the entry of that name and mode, "" where there is none.
func (t Tree) Find(mode, name string) string {
	for _, e := range t {
		if e.Name == name && e.Mode == mode {
			return e.ID
		}
	}
	return ""
}

// Has reports whether anything has that name.
func (t Tree) Has(name string) bool {
	return slices.ContainsFunc(t, func(e Entry) bool { return e.Name == name })
}

// With is the tree with an entry put in its place, or without one of that name
// where the id is empty.
func (t Tree) With(mode, name, id string) Tree {
	out := slices.DeleteFunc(slices.Clone(t), func(e Entry) bool { return e.Name == name })
	if id != "" {
		out = append(out, Entry{mode, name, id})
	}
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.order(), b.order()) })
	return out
}

// order is how git sorts: a directory as if its name ended in a slash.
func (e Entry) order() string {
	if e.Mode == ModeDir {
		return e.Name + "/"
	}
	return e.Name
}

// Clones are the directories of clones in a tree, mine always among them, and what
// there is to say of all else. The tree of ended locks is not spoken of.
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

// besideClones says of an entry beside the clones' directories what it may be: people
// put a README there, and that is to make no answer incomplete for ever. A directory
// may be a clone's that was renamed.
func (r *Remarks) besideClones(e Entry) {
	const text = "%q (mode %s) is not a clone's directory"
	name, mode := clip(e.Name), clip(e.Mode)
	if isDirectory(e.Mode) || ValidClone(e.Name) || namesLock(e.Name) {
		r.MayBeLocks.Add(text+", and may hold locks", name, mode)
	} else {
		r.Strays.Add(text, name, mode)
	}
}

// isDirectory reports whether a mode is that of a directory, or of a submodule in the
// place of one, however it is written.
func isDirectory(mode string) bool {
	mode = strings.TrimLeft(mode, "0")
	return mode == ModeDir || mode == modeSubmodule
}

// namesLock reports whether a name begins as those of this program's locks do: with a
// stamp, and a dash.
func namesLock(name string) bool {
	_, stamped := lockfile.ClaimedAt(strings.ToUpper(name))
	return stamped
}

// Crowd is how many clones have a directory, also beyond the bound.
func (t Tree) Crowd() (n int) {
	for _, e := range t {
		if ValidClone(e.Name) && e.Mode == ModeDir {
			n++
		}
	}
	return n
}

// Locks are the lock files in a clone's directory, by id, and what there is to say of
// all else: a clone puts nothing there but locks and the file .owner, so that it may be
// a lock. Of ids that differ by letter case only one counts, since not every file system
// can hold both: the one that is spelled as this program spells its own, else the first.
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

// isOurs reports whether an id is spelled as this program spells those that it gives:
// a stamp, and a slug in lower case.
func isOurs(id string) bool {
	_, stamped := lockfile.ClaimedAt(id)
	return stamped && lockfile.SlugOf(id) == strings.ToLower(lockfile.SlugOf(id))
}

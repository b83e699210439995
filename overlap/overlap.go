// Package overlap decides whether two scopes name a common path. It is pure:
// no I/O and no clock; what it must know of the file system it is told.
package overlap

// A Kind is what a plain entry is in the caller's worktree.
type Kind int

const (
	Unknown Kind = iota // absent, or nobody looked: the name decides
	File
	Dir
)

// A Context says how entries are read.
type Context struct {
	FoldCase bool     // core.ignorecase
	Inexact  bool     // the config could not be read: results say Exact false
	Windows  bool     // every backslash is a separator
	Prefix   string   // the caller's directory inside the worktree, slash-separated, "" at its root
	Roots    []string // absolute, symlink-free roots of all worktrees, for absolute entries

	// Resolve makes the symlinks of an absolute path's existing part plain, so
	// that it can be compared with Roots; nil: the path is taken as it is.
	Resolve func(abs string) string
	// Kind tells what a plain path, relative to the root, is; nil: Unknown.
	Kind func(path string) Kind
}

// An Entry is one parsed entry of a scope, ready to be compared many times.
type Entry struct{ text string }

// String is the entry as it is to be stored and shown.
func (e *Entry) String() string { return e.text }

// An Error is a refused entry.
type Error struct {
	Entry  string
	Offset int    // byte offset of the fault
	Reason string // lower case, one line
	Hint   string // the way out
}

func (e *Error) Error() string { return e.Reason }

// Parse reads one entry as a caller gave it, and refuses with an *Error.
func Parse(entry string, c Context) (*Entry, error) { panic("not yet") }

// Stored reads one entry as a lock file has it. It never fails: an entry that
// Parse would refuse is compared by literal prefix, and says Exact false.
func Stored(entry string, c Context) *Entry { panic("not yet") }

// A Result says whether some path is covered by two entries.
type Result struct {
	Overlap bool
	Example string // a path that both cover, where Overlap
	Exact   bool   // false: decided by literal prefixes
}

// Overlaps is symmetric.
func (e *Entry) Overlaps(o *Entry) Result { panic("not yet") }

// Covers reports whether the entry covers a path (relative to the root,
// slash-separated, taken literally).
func (e *Entry) Covers(path string) bool { panic("not yet") }

// A Scope is a list of entries.
type Scope []*Entry

// A Pair is two entries that meet.
type Pair struct {
	Yours   string `json:"yours"`
	Theirs  string `json:"theirs"`
	Example string `json:"example"`
	Exact   bool   `json:"exact"`
}

// Overlaps lists every pair of entries that meet; nil where none does.
func (s Scope) Overlaps(theirs Scope) []Pair { panic("not yet") }

// Covers reports whether some entry covers the path.
func (s Scope) Covers(path string) bool { panic("not yet") }

package overlap

// A Kind is what a plain entry is in the caller's worktree.
type Kind int

const (
	Unknown Kind = iota // absent or not asked: the name decides
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
	NoRoots  bool     // the roots could not be listed: a stored absolute entry may name anything

	// Resolve resolves the symlinks of an absolute path, down to the one of Roots
	// that it lies in and not under it; nil: the path stays as it is. It is called
	// once for an entry, twice for one that has backslashes.
	Resolve func(abs string) string
	// Kind returns what a plain path, relative to the root, is; nil: Unknown. It is
	// called at most once for an entry, as late as possible, and several times for
	// one that begins with @. It must be safe for concurrent use where the entries
	// are.
	Kind func(path string) Kind
	// Budget is shared by all entries of a call; nil: each pair has its own only.
	Budget *Budget
}

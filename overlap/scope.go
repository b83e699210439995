package overlap

import (
	"cmp"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// Limits of a scope.
const (
	MaxEntries = 256  // entries of one scope
	MaxBytes   = 4096 // bytes of one entry
)

// A Scope is a list of entries.
type Scope []*Entry

// A Pair is two entries that overlap.
type Pair struct {
	Yours   string `json:"yours"`
	Theirs  string `json:"theirs"`
	Example string `json:"example"`
	Exact   bool   `json:"exact"`
}

// Overlaps lists every pair of entries that overlap, in the order of the scopes, or nil.
func (s Scope) Overlaps(theirs Scope) []Pair {
	var pairs []Pair
	p := products.Get().(*product)
	defer products.Put(p)
	for _, y := range s {
		for _, t := range theirs {
			if r := y.overlaps(t, p); r.Overlap {
				pairs = append(pairs, Pair{Yours: y.text, Theirs: t.text, Example: r.Example, Exact: r.Exact})
			}
		}
	}
	return pairs
}

// Covers reports whether some entry covers the path.
func (s Scope) Covers(path string) bool {
	for _, e := range s {
		if e.Matches(path) {
			return true
		}
	}
	return false
}

// CoversExactly reports whether some entry certainly covers the path: not only
// in a generous reading, or by its head (Result.Exact).
func (s Scope) CoversExactly(path string) bool {
	_, exactly := s.Covering(path)
	return exactly
}

// Covering returns Covers and CoversExactly, at the cost of one.
func (s Scope) Covering(path string) (covers, exactly bool) {
	for _, e := range s {
		yes, exact := e.covers(path)
		if covers = covers || yes; yes && exact {
			return true, true
		}
	}
	return covers, false
}

// A Kind is what a plain entry is in the caller's worktree.
type Kind int

const (
	Unknown Kind = iota // absent or not looked up: decided by the name
	File
	Dir
)

// A Context determines how entries are parsed.
type Context struct {
	FoldCase bool     // core.ignorecase
	Inexact  bool     // the config could not be read: results say Exact false
	Windows  bool     // every backslash is a separator
	Prefix   string   // the caller's directory inside the worktree, slash-separated, "" at its root
	Roots    []string // absolute, symlink-free roots of all worktrees, for absolute entries
	NoRoots  bool     // the roots could not be listed: a stored absolute entry may name anything
	Afar     bool     // stored on another machine: what is outside the repository here may be inside it there

	// Resolve resolves the symlinks of an absolute path, down to the root in
	// Roots that contains it but not below. nil: paths are not changed. It is
	// called once per entry.
	Resolve func(abs string) string
	// Kind looks up what a plain path, relative to the root, is; nil: Unknown.
	// It is called at most once per entry, as late as possible, but several
	// times for one that begins with @. If entries are used concurrently, it
	// must be safe for that.
	Kind   func(path string) Kind
	stored bool // the entry is from a lock

	// Budget is shared by all entries of a call; nil: each pair has its own.
	Budget *Budget
}

// A Budget bounds the total cost of the entries that share it, however many
// there are. It is counted in steps: a byte parsed, a state compiled or
// followed, a pair of states searched. Once it is spent, undecided comparisons
// are decided by literal prefixes. Following one path through an entry (Covers)
// does not use the budget. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// callBudget is less than half a second of work: twice what a thousand locks
// need, unless they were made to be slow.
const callBudget = 1 << 25

// NewBudget returns the budget for one call.
func NewBudget() *Budget {
	b := &Budget{}
	b.Refill()
	return b
}

// Refill restores the budget, for a call that compares again.
func (b *Budget) Refill() {
	if b != nil {
		b.left.Store(callBudget)
	}
}

// spend uses steps of the budget; a nil budget is unlimited.
func (b *Budget) spend(steps int) {
	if b != nil {
		b.left.Add(-int64(steps))
	}
}

func (b *Budget) spent() bool { return b != nil && b.left.Load() <= 0 }

// An Error describes why an entry is refused.
type Error struct {
	Entry  string
	Offset int    // byte offset of the fault
	Reason string // lower case, one line, without the entry
	Hint   string // the way out
	// HintAfar is the hint for a caller without a directory on this machine, which
	// cannot use "./".
	HintAfar string
	Outside  bool // the entry names nothing in the repository
}

func (e *Error) Error() string { return "scope entry " + quote(e.Entry) + " " + e.Reason }

// quote quotes a text so that the part between the quotes can be copied: %q
// would double the backslashes of app/\[id\]. It shortens long texts.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r == '"' || !unicode.IsPrint(r) }) || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	return `"` + s + `"`
}

// A fault is an Error without its entry.
type fault struct {
	offset       int
	reason, hint string
	hintAfar     string // Error.HintAfar, if it differs
	outside      bool   // the entry names nothing in the repository
	anywhere     bool   // nothing is known about what the entry was meant to name
	meant        string // what the entry may have been meant to say, if not its text
}

func (f *fault) of(entry string) *Error {
	return &Error{Entry: entry, Offset: f.offset, Reason: f.reason, Hint: f.hint, HintAfar: cmp.Or(f.hintAfar, f.hint),
		Outside: f.outside}
}

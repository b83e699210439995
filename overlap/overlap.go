package overlap

import (
	"strings"
	"sync"
)

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

	// Resolve makes the symlinks of an absolute path plain, down to the one of
	// Roots that it lies in and not beneath it; nil: it is taken as it is. It
	// is asked once for an entry.
	Resolve func(abs string) string
	// Kind tells what a plain path, relative to the root, is; nil: Unknown. It
	// is asked at most once for an entry, as late as possible, and so must be
	// safe for concurrent use where the entries are.
	Kind func(path string) Kind
	// Budget is shared by all entries of a call; nil: each pair has its own only.
	Budget *Budget
}

// An Entry is one parsed entry of a scope, ready to be compared many times. It
// is safe for concurrent use.
type Entry struct {
	text string

	// What every covered path begins with, each of its names ended by a slash,
	// in the form that is compared (head) and as typed (shown).
	head, shown string
	// What every covered path ends with, where the entry is a pattern that
	// covers files only; else "".
	tail string

	plain    bool   // a name without any pattern in it
	pattern  string // what seq is parsed from, where it is not kept
	seq      seq    // the glob reading
	literal  string // the text as a path, where the glob reading may miss it
	floating bool   // matches at any depth
	refused  bool   // compared by head only
	unfolded bool   // the budget was spent before its classes were folded
	exact    bool
	fold     bool
	budget   *Budget
	also     *Entry                 // another reading of the same text, which covers as well, with a doubt
	kind     func(path string) Kind // what a plain entry is, where nobody asked yet

	compiling sync.Mutex // guards what follows
	is        Kind       // Dir for a pattern, too, that ends in a slash
	prog      program
	lead      int // head[:lead] are literal leading directories

	sampled sync.Once // guards what follows
	example string    // a path that the entry covers
	vague   bool      // none was found in time: it is the text
}

// Dir is the literal directory, relative to the root, in which all that the entry
// covers lies; "" is the root.
func (e *Entry) Dir() string {
	head := e.shown
	if e.plain {
		head = e.path()
	}
	return head[:max(strings.LastIndexByte(head, '/'), 0)]
}

// Everything reports whether the entry covers all that a repository may hold.
func (e *Entry) Everything() bool {
	for _, path := range []string{"\u00a7", ".\u00a7/\u00a7.\u00a7", "\u00a7\u00a7/\u00a7/.\u00a7"} {
		if !e.Covers(path) {
			return false
		}
	}
	return true
}

// String is the entry as it is to be stored and shown.
func (e *Entry) String() string { return e.text }

// A Result says whether some path is covered by two entries.
type Result struct {
	Overlap bool
	Example string // a path that both cover, where Overlap
	Exact   bool   // false: decided by literal prefixes, or read generously
}

// Overlaps reports whether some path is covered by both entries, which must
// have been read with the same case folding. It is symmetric down to the
// example, and every entry overlaps itself.
func (e *Entry) Overlaps(o *Entry) Result {
	p := products.Get().(*product)
	defer products.Put(p)
	return e.overlaps(o, p)
}

func (e *Entry) overlaps(o *Entry, p *product) Result {
	r := e.overlapsOne(o, p)
	if r.Overlap || e.also == nil && o.also == nil {
		return r
	}
	if o.text < e.text {
		e, o = o, e
	}
	for _, x := range []*Entry{e, e.also} {
		for _, y := range []*Entry{o, o.also} {
			if x == nil || y == nil {
				continue
			}
			if other := x.overlapsOne(y, p); other.Overlap {
				return other
			}
		}
	}
	return r
}

// overlapsOne compares one reading of each entry.
func (e *Entry) overlapsOne(o *Entry, p *product) Result {
	exact := e.exact && o.exact
	if e.text == o.text {
		path := e.sample()
		return Result{Overlap: true, Example: path, Exact: exact && !e.vague}
	}
	if !prefixed(e.head, o.head) || tailsApart(e, o) {
		return Result{Exact: exact}
	}
	if e.refused || o.refused {
		return Result{Overlap: true, Example: guess(e, o)}
	}
	if e.plain && o.plain {
		// The longer name lies beneath the shorter one, which is therefore a
		// directory, whatever it looks like.
		return Result{Overlap: true, Example: guess(e, o), Exact: exact}
	}
	if o.text < e.text {
		e, o = o, e
	}
	path, verdict := p.search(e, o)
	switch verdict {
	case meet:
		return Result{Overlap: true, Example: path, Exact: exact && normal(path)}
	case apart:
		return Result{Exact: exact}
	default:
		return Result{Overlap: true, Example: guess(e, o)}
	}
}

// Covers reports whether the entry covers one path (relative to the root,
// slash-separated, taken literally). It is Overlaps with an entry that names
// this path and is known to be a file: a file where the entry has a leading
// directory is in its way, and so is covered.
func (e *Entry) Covers(path string) bool {
	covers, _ := e.covers(path)
	return covers
}

func (e *Entry) covers(path string) (covers, exact bool) {
	covers, exact = e.coversOne(path)
	if !covers && e.also != nil {
		if covers, _ = e.also.coversOne(path); covers {
			return true, false
		}
	}
	return covers, exact
}

// coversOne is covers by one reading of the entry.
func (e *Entry) coversOne(path string) (covers, exact bool) {
	path = strings.TrimSuffix(path, "/")
	if !valid(path) {
		return false, true
	}
	path = comparable(path, e.fold) + "/"
	switch {
	case !strings.HasPrefix(path, e.head):
		return strings.HasPrefix(e.head, path), e.exact
	case e.plain || path == e.head:
		return true, e.exact
	case e.tail != "" && !strings.Contains(path, e.tail+"/"):
		return false, e.exact
	case e.refused || e.unfolded || !e.compile():
		return true, false
	}
	rest := path[len(e.head):]
	p := products.Get().(*product)
	defer products.Put(p)
	w := &p.walkA
	w.begin(&e.prog, placeAfter(e.head))
	if strings.HasSuffix(e.head, "/") {
		w.enter()
	}
	w.budget = pathBudget(rest)
	// A walk is bounded by itself, and takes nothing off the call's budget: what
	// one path is told must not depend on how many were asked before.
	if !w.through(rest, len(rest)-1) {
		return true, false // over budget, and the head fits
	}
	return w.accepts(), e.exact
}

// over reports whether the entry can be compared with others by its head only,
// since the budget is spent.
func (e *Entry) over() bool { return e.unfolded || e.budget.spent() }

// prefixed reports whether one text begins with the other.
func prefixed(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// tailsApart reports whether both entries cover files only, whose names end in
// different ways, and neither leads through a name that the other covers.
func tailsApart(a, b *Entry) bool {
	return a.tail != "" && b.tail != "" &&
		!strings.HasSuffix(a.tail, b.tail) && !strings.HasSuffix(b.tail, a.tail) &&
		!strings.Contains(b.head, a.tail+"/") && !strings.Contains(a.head, b.tail+"/")
}

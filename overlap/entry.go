package overlap

import (
	"slices"
	"strings"
	"sync"
)

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
	grouped  bool   // alternatives may leave nothing of it
	floating bool   // matches at any depth
	refused  bool   // compared by head only
	foreign  bool   // names nothing in the repository
	custom   bool   // foreign: names something that is not a file, or was meant to
	unfolded bool   // the budget was spent before its classes were folded
	exact    bool
	fold     bool
	budget   *Budget
	kind     func(path string) Kind // what a plain entry is, where that was not asked yet

	compiling sync.Mutex // guards what follows
	is        Kind       // Dir for a pattern, too, that ends in a slash
	prog      program
	lead      int // head[:lead] are literal leading directories

	sampled sync.Once // guards what follows
	example string    // a path that the entry covers
	vague   bool      // none was found in time: it is the text
}

// String is the entry as it is to be stored and shown.
func (e *Entry) String() string { return e.text }

// Name is the name, relative to the root, of an entry that is not a pattern; else "".
func (e *Entry) Name() string {
	if !e.plain {
		return ""
	}
	return e.plainName()
}

// Floating reports whether the entry matches at any depth.
func (e *Entry) Floating() bool { return e.floating }

// Directory is the literal directory, relative to the root, in which all that the entry
// covers lies; "" is the root.
func (e *Entry) Directory() string {
	head := e.shown
	switch {
	case e.foreign:
		return ""
	case e.plain:
		head = e.plainName()
	}
	return head[:max(strings.LastIndexByte(head, '/'), 0)]
}

// anything is paths that only an entry covers which covers every path.
var anything = []string{"\u00a7", ".\u00a7/\u00a7.\u00a7", "\u00a7\u00a7/\u00a7/.\u00a7"}

// Within is a path, relative to the root, that the entry is or that holds all that
// it covers. It has only letters, digits, spaces and ._- in it, in ASCII, so that
// it means the same to git as a path and as a pattern; "" where no such path says
// more than the root. A file that stands where it has a directory is not within.
func (e *Entry) Within() string {
	path := e.Directory()
	if e.plain && !e.foreign {
		path = e.plainName()
	}
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if strings.ContainsFunc(name, func(r rune) bool {
			letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
			return !letter && !strings.ContainsRune(" ._-", r)
		}) {
			break
		}
		names = append(names, name)
	}
	return strings.Join(names, "/")
}

// Everything reports whether the entry covers all that a repository may hold.
func (e *Entry) Everything() bool {
	return !slices.ContainsFunc(anything, func(path string) bool { return !e.Matches(path) })
}

// CoversWhole reports whether the scope covers all that a path is, beyond doubt: the
// file or, of a directory, whatever it may hold. A directory that an entry only
// leads through is not.
func (s Scope) CoversWhole(path string) bool {
	path = strings.TrimSuffix(path, "/") + "/"
	return !slices.ContainsFunc(anything, func(below string) bool { return !s.CoversExactly(path + below) })
}

// plainName is a plain entry's name.
func (e *Entry) plainName() string { return strings.TrimSuffix(e.shown, "/") }

// literally makes the entry a plain one.
func (e *Entry) literally(path string) {
	e.plain = true
	e.begins(path + "/")
}

// begins sets the head.
func (e *Entry) begins(head string) {
	e.shown, e.head = head, head
	if e.fold {
		e.head = comparable(head, true)
	}
}

// ends sets the tail, the last text of the pattern s, if s covers files only.
func (e *Entry) ends(text string, s seq) {
	if e.is == Dir || tailEmpty.before(s) != tailFile {
		return
	}
	if e.tail = text; e.fold {
		e.tail = comparable(text, true)
	}
}

// Matches reports whether the entry covers one path (relative to the root,
// slash-separated, taken literally). It is Compare with an entry that names
// this path and is known to be a file: a file where the entry has a leading
// directory blocks it, and so is covered.
func (e *Entry) Matches(path string) bool {
	covers, _ := e.covers(path)
	return covers
}

func (e *Entry) covers(path string) (covers, exact bool) {
	if e.foreign {
		return false, true
	}
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
	// A walk has a bound of its own and takes nothing off the call's budget: the
	// answer for one path must not depend on how many were asked about before.
	if !w.through(rest, len(rest)-1) {
		return true, false // over budget, and the head fits
	}
	return w.accepts(), e.exact
}

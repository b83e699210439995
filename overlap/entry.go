package overlap

import (
	"slices"
	"strings"
	"sync"
)

// An Entry is one parsed entry of a scope, ready for repeated comparison. It is
// safe for concurrent use.
type Entry struct {
	text string

	// The common start of all covered paths, with a slash after each name: in
	// the form used for comparison (head), and as typed (shown).
	head, shown string
	// The common end of all covered paths if the entry is a pattern that covers
	// only files; else "".
	tail string

	plain    bool   // a name without any pattern
	pattern  string // the text of seq, if that was not kept
	seq      seq    // the glob reading
	literal  string // the text read as a path, if the glob reading may not cover it
	grouped  bool   // alternatives may leave nothing of it
	floating bool   // matches at any depth
	refused  bool   // compared by head only
	foreign  bool   // names nothing in the repository
	custom   bool   // foreign: names something that is not a file, or was meant to
	unfolded bool   // the budget was spent before its classes were case-folded
	exact    bool
	fold     bool
	budget   *Budget
	kind     func(path string) Kind // looks up what a plain entry is, if that is not known yet

	compiling sync.Mutex // guards the fields below
	is        Kind       // also Dir for a pattern that ends in a slash
	prog      program
	lead      int // head[:lead] are literal leading directories

	sampled sync.Once // guards the fields below
	example string    // a path that the entry covers
	vague   bool      // none was found in time: example is the text
}

// String returns the entry as it is to be stored and shown.
func (e *Entry) String() string { return e.text }

// Name returns the name, relative to the root, of an entry that is not a
// pattern; else "".
func (e *Entry) Name() string {
	if !e.plain {
		return ""
	}
	return e.plainName()
}

// Floating reports whether the entry matches at any depth.
func (e *Entry) Floating() bool { return e.floating }

// Directory returns the literal directory, relative to the root, that contains
// everything the entry covers; "" is the root.
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

// anything has paths that are all covered only by an entry that covers every path.
var anything = []string{"\u00a7", ".\u00a7/\u00a7.\u00a7", "\u00a7\u00a7/\u00a7/.\u00a7"}

// Within returns a path, relative to the root, that the entry equals or that
// contains everything it covers. It consists of ASCII letters, digits, spaces
// and ._- only, so that git interprets it the same as a path and as a pattern;
// it is "" if no such path is narrower than the root. A file in the place of
// one of the entry's directories is not within it.
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

// Everything reports whether the entry covers everything that a repository may contain.
func (e *Entry) Everything() bool {
	return !slices.ContainsFunc(anything, func(path string) bool { return !e.Matches(path) })
}

// CoversWhole reports whether the scope certainly covers all of a path: the
// file, or everything that the directory may contain. A directory through which
// an entry merely leads is not covered.
func (s Scope) CoversWhole(path string) bool {
	path = strings.TrimSuffix(path, "/") + "/"
	return !slices.ContainsFunc(anything, func(below string) bool { return !s.CoversExactly(path + below) })
}

// plainName returns a plain entry's name.
func (e *Entry) plainName() string { return strings.TrimSuffix(e.shown, "/") }

// literally makes the entry plain.
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

// ends sets the tail to the last text of the pattern s, if s covers only files.
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
// this path and is known to be a file. A file in the place of one of the
// entry's leading directories blocks it, and so is covered.
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
	// A walk has its own bound and does not use the call's budget: the answer
	// for one path must not depend on how many others were checked before.
	if !w.through(rest, len(rest)-1) {
		return true, false // over budget, and the head matches
	}
	return w.accepts(), e.exact
}

package overlap

import "strings"

// Matches reports whether the entry covers one path (relative to the root,
// slash-separated, taken literally). It is Compare with an entry that names
// this path and is known to be a file: a file where the entry has a leading
// directory blocks it, and so is covered.
func (e *Entry) Matches(path string) bool {
	covers, _ := e.covers(path)
	return covers
}

func (e *Entry) covers(path string) (covers, exact bool) {
	covers, exact = e.coversOne(path)
	for other := e.also; !covers && other != nil; other = other.also {
		if covers, _ = other.coversOne(path); covers {
			exact = false
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
	// A walk has a bound of its own and takes nothing off the call's budget: the
	// answer for one path must not depend on how many were asked about before.
	if !w.through(rest, len(rest)-1) {
		return true, false // over budget, and the head fits
	}
	return w.accepts(), e.exact
}

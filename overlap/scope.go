package overlap

// The bounds of a scope.
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

// Overlaps lists every pair of entries that overlap, in the order of the scopes;
// nil where none does.
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

// CoversExactly reports whether some entry covers the path beyond doubt: not
// only as it was read generously, or compared by its head (Result.Exact).
func (s Scope) CoversExactly(path string) bool {
	_, exactly := s.Covering(path)
	return exactly
}

// Covering is Covers and CoversExactly at once, at the price of one.
func (s Scope) Covering(path string) (covers, exactly bool) {
	for _, e := range s {
		yes, exact := e.covers(path)
		if covers = covers || yes; yes && exact {
			return true, true
		}
	}
	return covers, false
}

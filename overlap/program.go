package overlap

// A code says what a state of an automaton does with the next rune.
type code uint8

const (
	codeEnd    code = iota // accepts: the covered name is complete
	codeWithin             // accepts, and everything under it as well
	codeRune               // takes one rune
	codeAny                // takes any rune but a slash
	codeAll                // takes any rune
	codeSet                // takes a rune of a set
	codeSplit              // continues at out and at alt
	codeStart              // continues at out, only at the start of a segment
	codeLater              // continues at out, only at the start of a segment that is not the first
)

// A state has no pointers, so that memory full of them need not be searched
// for any.
type state struct {
	code     code
	r, typed rune // codeRune: as compared, and as typed; codeSet: r counts the sets
	out, alt int32
	// least is no more than the number of runes up to the end.
	least int32
}

// The two accepting states have the same places in every program.
const (
	end    int32 = 0
	within int32 = 1
)

// A program is a nondeterministic automaton over paths each of whose names is
// ended by a slash, the last one too; an entry's begins after its head.
type program struct {
	states []state
	sets   []*class
	start  int32
}

func (p *program) takes(s *state, r rune) bool {
	switch s.code {
	case codeRune:
		return r == s.r
	case codeAny:
		return r != '/'
	case codeAll, codeWithin:
		return true
	case codeSet:
		return p.sets[s.r].contains(r)
	}
	return false
}

// set is the runes that a state takes; nil where they are no set.
func (p *program) set(s *state) *class {
	if s.code == codeSet {
		return p.sets[s.r]
	}
	return nil
}

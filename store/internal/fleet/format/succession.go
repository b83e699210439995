package format

// A Relation is what a tip that was found is to the one that is known.
type Relation int

const (
	Same      Relation = iota // it did not move
	Successor                 // it follows, by a chain or after the chain was cut
	Behind                    // a replica that lags, or a host that was restored
	Lost                      // the ref was deleted, or replaced: another history
)

// A Tip is a commit that the ref leads to; the zero Tip stands for no ref.
type Tip struct {
	Commit string `json:"commit"`
	Header
}

// Relate decides what to think of the tip found where another one is known.
// A zero known tip is that of a clone that has never seen the ref.
func Relate(known, found Tip) Relation {
	switch {
	case known.Commit == found.Commit:
		return Same
	case known.Commit == "":
		return Successor
	case found.Commit == "" || found.Epoch != known.Epoch || found.Seq == known.Seq:
		return Lost
	case found.Seq < known.Seq:
		return Behind
	default:
		return Successor
	}
}

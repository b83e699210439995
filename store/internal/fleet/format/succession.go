package format

// A Relation is the relation of a found tip to the known one.
type Relation int

const (
	Same      Relation = iota // it did not move
	Successor                 // it follows, directly or after the history was dropped
	Behind                    // a replica lags, or the host was restored from a backup
	Lost                      // the ref was deleted, or replaced by another history
)

// A Tip is the commit of a ref. The zero Tip stands for no ref.
type Tip struct {
	Commit string `json:"commit"`
	Header
}

// Relate returns the relation of the found tip to the known one. A zero known tip is that
// of a clone that has never seen the ref.
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

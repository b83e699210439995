package format

import (
	"fmt"
	"slices"
)

// Remarks describe what was ignored in a directory, by kind.
type Remarks struct {
	// MayBeLocks are possible locks, or directories of locks, that were renamed,
	// misplaced or damaged. It is unknown what they cover.
	MayBeLocks Listing `json:"may_be_locks"`
	// Strays are certainly not locks, like a README beside the clones' directories.
	Strays Listing `json:"strays"`
}

// Count returns the number of remarks of both kinds.
func (r Remarks) Count() int { return r.MayBeLocks.Count + r.Strays.Count }

// Harmless returns the same remarks, all as strays. It is for a directory that contains
// no active locks.
func (r Remarks) Harmless() Remarks {
	return Remarks{Strays: Listing{r.Count(), slices.Concat(r.Strays.Texts, r.MayBeLocks.Texts)}}
}

// Texts returns the kept texts, those of possible locks first.
func (r Remarks) Texts() []string { return slices.Concat(r.MayBeLocks.Texts, r.Strays.Texts) }

// Include adds the remarks on another directory. Each text is prefixed with whose.
func (r *Remarks) Include(whose string, of Remarks) {
	r.MayBeLocks.include(whose, of.MayBeLocks)
	r.Strays.include(whose, of.Strays)
}

// A Listing counts remarks and keeps the text of the first few, since a thousand would
// fill an answer.
type Listing struct {
	Count int      `json:"count"`
	Texts []string `json:"texts,omitempty"`
}

const keptTexts = 10

// Add adds a remark.
func (l *Listing) Add(form string, args ...any) {
	if l.Count++; len(l.Texts) < keptTexts {
		l.Texts = append(l.Texts, fmt.Sprintf(form, args...))
	}
}

// include adds another listing. It keeps all of its texts, each prefixed with whose, and
// adds a line for the number of those that were not kept.
func (l *Listing) include(whose string, of Listing) {
	l.Count += of.Count
	for _, text := range of.Texts {
		l.Texts = append(l.Texts, whose+text)
	}
	if more := of.Count - len(of.Texts); more > 0 {
		l.Texts = append(l.Texts, fmt.Sprintf("%sand %d more", whose, more))
	}
}

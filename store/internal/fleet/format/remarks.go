package format

import (
	"fmt"
	"slices"
)

// Remarks are about what was not taken of one directory. Each is of the kind that
// its listing is.
type Remarks struct {
	// MayBeLocks are locks, or directories of locks, that somebody may have renamed,
	// misplaced or damaged. Nobody knows what they cover.
	MayBeLocks Listing `json:"may_be_locks"`
	// Strays are nobody's lock, as a README beside the clones' directories is not.
	Strays Listing `json:"strays"`
}

// Count is how many there are of both kinds.
func (r Remarks) Count() int { return r.MayBeLocks.Count + r.Strays.Count }

// Harmless are the same remarks, of a directory that holds nobody's active lock.
func (r Remarks) Harmless() Remarks {
	return Remarks{Strays: Listing{r.Count(), slices.Concat(r.Strays.Texts, r.MayBeLocks.Texts)}}
}

// Texts are those that are kept, of what may be locks first.
func (r Remarks) Texts() []string { return slices.Concat(r.MayBeLocks.Texts, r.Strays.Texts) }

// Include adds the remarks on one of several directories, after a word on which it is.
func (r *Remarks) Include(whose string, of Remarks) {
	r.MayBeLocks.include(whose, of.MayBeLocks)
	r.Strays.include(whose, of.Strays)
}

// A Listing counts remarks, and keeps the first few: a thousand would fill an answer.
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

// include adds another listing's remarks, after a word on whose they are. All that it
// has kept are kept, and a line says how many it has not.
func (l *Listing) include(whose string, of Listing) {
	l.Count += of.Count
	for _, text := range of.Texts {
		l.Texts = append(l.Texts, whose+text)
	}
	if more := of.Count - len(of.Texts); more > 0 {
		l.Texts = append(l.Texts, fmt.Sprintf("%sand %d more", whose, more))
	}
}

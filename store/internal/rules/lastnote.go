package rules

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/agent-locks/agent-locks/lockfile"
)

// records matches the notes that the program itself writes to record what was
// done to a lock. A reopening with a reason counts as somebody's words. It is
// compiled on first use, which takes longer than compiling all other patterns
// of most commands.
var records = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` +
		`(?:Scope (?:widened|narrowed)|Lease (?:set|shortened|lengthened)|Handed over|\d+ tasks? added) at ` + stamp + `|` +
		`Reopened at ` + stamp + `(?:, [^:\n]*)?$|` +
		`Reaped for inactivity at ` + stamp + `|` +
		`Finished (?:with force by |by its parent |by a caller without an agent id in )|` +
		`Committed past the guard \(|` +
		`Edited outside the claim: )`)
})

const stamp = `\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\b`

// LastNote returns the newest note that somebody wrote, or "". It may have
// several lines. Notes recorded by the program are skipped.
func LastNote(l *lockfile.Lock) string {
	return lastNote(l, func(string) bool { return true })
}

// HolderNote returns the newest note that names no other author: what a
// finished lock says about its work, even if others added their thanks later.
// If there is none, it returns LastNote.
func HolderNote(l *lockfile.Lock) string {
	own := lastNote(l, func(note string) bool { from, _ := WrittenBy(note); return from == nil })
	return cmp.Or(own, LastNote(l))
}

func lastNote(l *lockfile.Lock, want func(note string) bool) string {
	for i := len(l.Notes) - 1; i >= 0; i-- {
		if !records().MatchString(l.Notes[i]) && want(l.Notes[i]) {
			return l.Notes[i]
		}
	}
	return ""
}

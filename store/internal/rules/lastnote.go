package rules

import (
	"cmp"
	"regexp"
	"sync"

	"github.com/agent-locks/agent-locks/lockfile"
)

// records matches the notes that this program writes itself, to record what was
// done to a lock. A reopening with a reason is somebody's words. It is compiled when
// a note is first read: that takes longer than most commands need for all their patterns.
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

// LastNote is the newest note that somebody wrote, which may have several lines;
// "" if there is none. What the program recorded hides no words of people.
func LastNote(l *lockfile.Lock) string {
	return lastNote(l, func(string) bool { return true })
}

// HolderNote is the newest note that names nobody else as its author: what a lock
// that has ended says of its work, even if others thanked for it later. Without one it
// is LastNote.
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

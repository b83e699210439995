package rules

import (
	"cmp"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// The reasons why somebody else's lock is reported but does not block.
const (
	ReasonStale  = "stale"          // its holder has been silent for too long
	ReasonShared = "shared"         // it is a reader's claim
	ReasonOlder  = "yours_is_older" // a lock of the caller's own that has been live for longer covers the file as well
)

// Reasons are those, and first that it blocks.
func Reasons() []string { return []string{"", ReasonStale, ReasonShared, ReasonOlder} }

// A FileClaim is an active lock as the rule for files sees it.
type FileClaim struct {
	Lock   *lockfile.Lock
	Scope  overlap.Scope
	Own    bool // the caller's (design, section 7, Mine)
	Parent bool // held by the agent that started the caller
	Stale  bool
	// Elsewhere: it is another clone's. Unshared: it is the caller's, and other clones
	// are not to see it; so it comes before none of theirs.
	Elsewhere, Unshared bool
}

// older reports whether a claim has been live for longer than another one: one
// that was stale, or had ended, has lost its precedence over those that were
// made meanwhile. Claims of one second go by their ids, so that of two which
// overlap exactly one yields.
func (c *FileClaim) older(o *FileClaim) bool {
	cameBack := func(l *lockfile.Lock) int { // one that came back yields to one made in that second
		if l.LiveSince.IsZero() {
			return 0
		}
		return 1
	}
	return cmp.Or(
		c.Lock.LiveFrom().Compare(o.Lock.LiveFrom().Time),
		cmp.Compare(cameBack(c.Lock), cameBack(o.Lock)),
		strings.Compare(c.Lock.ID, o.Lock.ID),
	) < 0
}

// eldestOf is the older of two claims; the first may be nil.
func eldestOf(c, o *FileClaim) *FileClaim {
	if c == nil || o.older(c) {
		return o
	}
	return c
}

// A Judgement is what the rule says about files.
type Judgement struct {
	Found     map[Finding][]string // the files of each
	Unclaimed []string             // no claim of one's own covers them beyond doubt
}

// A Finding is that somebody else's claim covers a file.
type Finding struct {
	Claim  int    // its place in the list
	Reason string // why it does not block; "" where it does
	Exact  bool   // that it covers the file is beyond doubt
}

// Judge is the guard's rule (design, section 12): who else holds these files?
// The commit guard and the agent hooks share it. Files come as git names them,
// and are reported as locks name them.
func Judge(files []string, claims []FileClaim) Judgement {
	j := Judgement{Found: map[Finding][]string{}}
	for _, file := range files {
		name := lockfile.Recordable(file)
		var others []Finding // without their reasons
		// Of the caller's own that are live; the latter of those that others may see.
		var eldest, eldestShared *FileClaim
		claimed := false
		for i := range claims {
			c := &claims[i]
			switch {
			case c.Own && c.Lock.Mode == lockfile.Shared: // it only reads
			case c.Own: // a claim of one's own that may cover the file gives no leave
				if _, exactly := Covering(c.Scope, file); exactly {
					claimed = true
					if !c.Stale {
						eldest = eldestOf(eldest, c)
					}
					if !c.Stale && !c.Unshared {
						eldestShared = eldestOf(eldestShared, c)
					}
				}
			case !c.Parent:
				if covers, exactly := Covering(c.Scope, file); covers {
					others = append(others, Finding{Claim: i, Exact: exactly})
				}
			}
		}
		if !claimed {
			j.Unclaimed = append(j.Unclaimed, name)
		}
		for _, f := range others {
			theirs, own := &claims[f.Claim], eldest
			if theirs.Elsewhere {
				own = eldestShared
			}
			f.Reason = exemption(theirs, own)
			j.Found[f] = append(j.Found[f], name)
		}
	}
	return j
}

// Covering asks whether a scope covers a file, by git's name of it and by the
// one that a lock file can hold: it may have been claimed as what answers call
// it.
func Covering(scope overlap.Scope, file string) (covers, exactly bool) {
	covers, exactly = scope.Covering(file)
	if name := lockfile.Recordable(file); name != file && !exactly {
		also, as := scope.Covering(name)
		covers, exactly = covers || also, as
	}
	return covers, exactly
}

// CoversWhole asks the same of all that a path is: of a directory, of whatever it
// may hold.
func CoversWhole(scope overlap.Scope, path string) bool {
	return scope.CoversWhole(path) || scope.CoversWhole(lockfile.Recordable(path))
}

// exemption is why a lock that covers a file does not block; "" where it does.
func exemption(theirs, own *FileClaim) string {
	switch {
	case theirs.Stale:
		return ReasonStale
	case theirs.Lock.Mode == lockfile.Shared:
		return ReasonShared
	case own != nil && own.older(theirs):
		return ReasonOlder
	}
	return ""
}

// Uncovered are the files that none of the scopes covers beyond doubt.
func Uncovered(files []string, scopes []overlap.Scope) []string {
	var out []string
	for _, file := range files {
		covered := false
		for _, scope := range scopes {
			if _, exactly := Covering(scope, file); exactly {
				covered = true
				break
			}
		}
		if !covered {
			out = append(out, file)
		}
	}
	return out
}

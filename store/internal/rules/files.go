package rules

import (
	"cmp"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// Reasons why another agent's lock is reported but does not block.
const (
	ReasonStale  = "stale"          // its holder has been silent for too long
	ReasonShared = "shared"         // it is a shared claim, for reading
	ReasonOlder  = "yours_is_older" // a lock of the caller's that has been live for longer covers the file, too
)

// Reasons returns all reasons, beginning with "", which means that the lock
// blocks.
func Reasons() []string { return []string{"", ReasonStale, ReasonShared, ReasonOlder} }

// A FileClaim is an active lock in the form that Judge needs.
type FileClaim struct {
	Lock   *lockfile.Lock
	Scope  overlap.Scope
	Own    bool // it is the caller's (design, section 7, Mine)
	Parent bool // held by the agent that started the caller
	Stale  bool
	// Elsewhere marks a claim in another clone. Unshared marks a claim of the
	// caller's that other clones do not see, which therefore has no precedence
	// over theirs.
	Elsewhere, Unshared bool
}

// Older reports whether a has been live for longer than b. A claim that was
// stale or had ended loses its precedence over those made meanwhile. Claims of
// the same second are ordered by their ids, so that exactly one of two
// overlapping claims yields.
func Older(a, b *lockfile.Lock) bool {
	cameBack := func(l *lockfile.Lock) int { // one that came back yields to one made in the same second
		if l.LiveSince.IsZero() {
			return 0
		}
		return 1
	}
	return cmp.Or(
		a.LiveFrom().Compare(b.LiveFrom().Time),
		cmp.Compare(cameBack(a), cameBack(b)),
		strings.Compare(a.ID, b.ID),
	) < 0
}

// eldestOf returns the older of two claims. c may be nil.
func eldestOf(c, o *FileClaim) *FileClaim {
	if c == nil || Older(o.Lock, c.Lock) {
		return o
	}
	return c
}

// A Judgement is the result of Judge.
type Judgement struct {
	Found     map[Finding][]string // the files of each finding
	Unclaimed []string             // files that no claim of the caller's certainly covers
}

// A Finding reports that another agent's claim covers a file.
type Finding struct {
	Claim  int    // index in the list of claims
	Reason string // why it does not block; "" if it does
	Exact  bool   // the claim certainly covers the file
}

// Judge finds out who else holds the given files. It is the rule of the guard
// (design, section 12), and the commit guard and the agent hooks share it.
// Files are given as git names them and reported as locks name them.
func Judge(files []string, claims []FileClaim) Judgement {
	j := Judgement{Found: map[Finding][]string{}}
	for _, file := range files {
		name := lockfile.Recordable(file)
		var others []Finding // Reason is set below
		// The caller's oldest live claim, and the oldest that other clones see.
		var eldest, eldestShared *FileClaim
		claimed := false
		for i := range claims {
			c := &claims[i]
			switch {
			case c.Own && c.Lock.Mode == lockfile.Shared: // only reads
			case c.Own: // a claim that may cover the file, but not certainly, grants nothing
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

// Covering reports whether a scope covers a file, either by git's name for it
// or by its name in lock files: it may have been claimed as answers spell it.
func Covering(scope overlap.Scope, file string) (covers, exactly bool) {
	covers, exactly = scope.Covering(file)
	if name := lockfile.Recordable(file); name != file && !exactly {
		also, as := scope.Covering(name)
		covers, exactly = covers || also, as
	}
	return covers, exactly
}

// CoversWhole is like Covering for all that a path contains: for a directory,
// everything that could be in it.
func CoversWhole(scope overlap.Scope, path string) bool {
	return scope.CoversWhole(path) || scope.CoversWhole(lockfile.Recordable(path))
}

// exemption returns the reason why a lock that covers a file does not block, or
// "" if it does.
func exemption(theirs, own *FileClaim) string {
	switch {
	case theirs.Stale:
		return ReasonStale
	case theirs.Lock.Mode == lockfile.Shared:
		return ReasonShared
	case own != nil && Older(own.Lock, theirs.Lock):
		return ReasonOlder
	}
	return ""
}

// Uncovered returns the files that none of the scopes certainly covers.
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

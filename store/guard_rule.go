package store

import (
	"cmp"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// The reasons why somebody else's lock is told of but does not block.
const (
	reasonStale  = "stale"          // its holder has been silent for too long
	reasonShared = "shared"         // it is a reader's claim
	reasonOlder  = "yours_is_older" // an older active lock of the caller's own covers the file as well
)

// A stake is an active lock as the guard's rule sees it.
type stake struct {
	entry  disk.Entry
	scope  overlap.Scope
	own    bool // the caller's (design, section 7, Mine)
	parent bool // held by whoever started the caller
	stale  bool
}

// older reports whether a stake was claimed before another one. Claims of one
// second go by their ids, so that of two which meet exactly one gives way.
func (s *stake) older(o *stake) bool {
	return cmp.Or(s.entry.Lock.Created.Compare(o.entry.Lock.Created.Time), strings.Compare(s.entry.Lock.ID, o.entry.Lock.ID)) < 0
}

// A judgement is what the rule says about files.
type judgement struct {
	found     map[grip][]string // the files of each
	unclaimed []string          // no stake of one's own covers them beyond doubt
}

// A grip is that somebody else's stake covers a file.
type grip struct {
	stake  int    // its place in the list
	reason string // why it does not block; "" where it does
	exact  bool   // that it covers the file is beyond doubt
}

// judge is the guard's rule (design, section 12): who else holds these files?
// The commit guard and the agent hooks share it. It is pure. Files come as git
// names them, and are told as locks do.
func judge(files []string, stakes []stake) judgement {
	j := judgement{found: map[grip][]string{}}
	for _, file := range files {
		name := recordable(file)
		var others []grip // but for the reason
		var eldest *stake
		for i := range stakes {
			s := &stakes[i]
			switch {
			case s.own: // a claim of one's own that may cover the file gives no leave
				if eldest == nil || s.older(eldest) {
					if _, exactly := covering(s.scope, file, name); exactly {
						eldest = s
					}
				}
			case !s.parent:
				if covers, exactly := covering(s.scope, file, name); covers {
					others = append(others, grip{stake: i, exact: exactly})
				}
			}
		}
		if eldest == nil {
			j.unclaimed = append(j.unclaimed, name)
		}
		for _, g := range others {
			g.reason = mercy(&stakes[g.stake], eldest)
			j.found[g] = append(j.found[g], name)
		}
	}
	return j
}

// covering asks whether a scope covers a file, by git's name of it and by the one
// that a lock file can hold: it may have been claimed as what answers call it.
func covering(scope overlap.Scope, file, name string) (covers, exactly bool) {
	covers, exactly = scope.Covering(file)
	if name != file && !exactly {
		also, as := scope.Covering(name)
		covers, exactly = covers || also, as
	}
	return covers, exactly
}

// mercy is why a lock that covers a file does not block; "" where it does.
func mercy(theirs, own *stake) string {
	switch {
	case theirs.stale:
		return reasonStale
	case theirs.entry.Lock.Mode == lockfile.Shared:
		return reasonShared
	case own != nil && own.older(theirs):
		return reasonOlder
	}
	return ""
}

// stakes are the active locks as the rule sees them for a caller.
func (c *call) stakes(who caller, entries []disk.Entry, minutes float64) []stake {
	out := make([]stake, len(entries))
	for i, e := range entries {
		out[i] = stake{
			entry:  e,
			scope:  c.storedScope(e),
			own:    c.mine(who.agent, &e.Lock),
			parent: sameAgent(who.parent, e.Lock.AgentID),
			stale:  c.stale(e, minutes),
		}
	}
	return out
}

// holds lists what a judgement found, in the order of the stakes.
func (c *call) holds(j judgement, stakes []stake, minutes float64) (blocked, warned []Hold) {
	blocked, warned = []Hold{}, []Hold{}
	for i, s := range stakes {
		for _, reason := range []string{"", reasonStale, reasonShared, reasonOlder} {
			for _, exact := range []bool{true, false} {
				files := j.found[grip{i, reason, exact}]
				if len(files) == 0 {
					continue
				}
				same := c.sameWorktree(&s.entry.Lock)
				h := Hold{Summary: c.summary(s.entry, minutes), Files: files, Reason: reason, Exact: exact}
				h.SameWorktree = &same
				h.LastNote = firstRunes(s.entry.Lock.LastNote(), lastNoteRunes)
				if reason == "" {
					blocked = append(blocked, h)
				} else {
					warned = append(warned, h)
				}
			}
		}
	}
	return blocked, warned
}

package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// The reasons why somebody else's lock is told of but does not block.
const (
	reasonStale  = "stale"          // its holder has been silent for too long
	reasonShared = "shared"         // it is a reader's claim
	reasonOlder  = "yours_is_older" // an older active lock of the caller's own covers the file as well
)

// A stake is an active lock as the guard's rule sees it.
type stake struct {
	entry
	scope  overlap.Scope
	own    bool // the caller's (design, section 7, Mine)
	parent bool // held by whoever started the caller
	stale  bool
}

// A judgement is what the rule says about files. It lists the files of each
// stake that stands against the commit, by the stake's place in the list.
type judgement struct {
	blocked   map[int][]string
	warned    map[int]map[string][]string // by reason
	unclaimed []string                    // no stake of one's own covers them
}

// judge is the guard's rule (design, section 12): who else holds these files?
// The commit guard and the agent hooks share it. It is pure.
func judge(files []string, stakes []stake) judgement {
	j := judgement{blocked: map[int][]string{}, warned: map[int]map[string][]string{}}
	for _, file := range files {
		var others []int
		var eldest *stake
		for i := range stakes {
			s := &stakes[i]
			switch {
			case s.parent && !s.own || !s.scope.Covers(file):
			case !s.own:
				others = append(others, i)
			case eldest == nil || s.Created.Before(eldest.Created.Time):
				eldest = s
			}
		}
		if eldest == nil {
			j.unclaimed = append(j.unclaimed, file)
		}
		for _, i := range others {
			j.add(i, file, mercy(&stakes[i], eldest))
		}
	}
	return j
}

// mercy is why a lock that covers a file does not block; "" where it does.
func mercy(theirs, own *stake) string {
	switch {
	case theirs.stale:
		return reasonStale
	case theirs.Mode == lockfile.Shared:
		return reasonShared
	case own != nil && own.Created.Before(theirs.Created.Time):
		return reasonOlder
	}
	return ""
}

func (j *judgement) add(i int, file, reason string) {
	if reason == "" {
		j.blocked[i] = append(j.blocked[i], file)
		return
	}
	if j.warned[i] == nil {
		j.warned[i] = map[string][]string{}
	}
	j.warned[i][reason] = append(j.warned[i][reason], file)
}

// stakes are the active locks as the rule sees them for a caller.
func (c *call) stakes(who caller, entries []entry, minutes float64) []stake {
	out := make([]stake, len(entries))
	for i, e := range entries {
		out[i] = stake{
			entry:  e,
			scope:  c.storedScope(e),
			own:    c.mine(who.agent, &e.Lock),
			parent: sameAgent(who.parent, e.AgentID),
			stale:  c.stale(e, minutes),
		}
	}
	return out
}

// A caller is who asks; nil where nobody knows.
type caller struct{ agent, parent *string }

func (c *call) who(agent, parent *string) (who caller, err error) {
	if who.agent, err = c.agent(agent); err != nil {
		return who, err
	}
	who.parent, err = c.parent(parent)
	return who, err
}

// holds lists what a judgement found, in the order of the stakes.
func (c *call) holds(j judgement, stakes []stake, minutes float64) (blocked, warned []Hold) {
	blocked, warned = []Hold{}, []Hold{}
	hold := func(s stake, files []string, reason string) Hold {
		h := Hold{Summary: c.summary(s.entry, minutes), Files: files, Reason: reason}
		same := c.sameWorktree(&s.Lock)
		h.SameWorktree = &same
		h.LastNote = firstRunes(s.LastNote(), lastNoteRunes)
		return h
	}
	for i, s := range stakes {
		if files := j.blocked[i]; len(files) > 0 {
			blocked = append(blocked, hold(s, files, ""))
		}
		for _, reason := range []string{reasonStale, reasonShared, reasonOlder} {
			if files := j.warned[i][reason]; len(files) > 0 {
				warned = append(warned, hold(s, files, reason))
			}
		}
	}
	return blocked, warned
}

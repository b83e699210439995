package session

import (
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// How a session starts and ends, in the words of Claude Code.
const (
	SourceResume  = "resume"
	SourceClear   = "clear"
	SourceCompact = "compact"
	ReasonClear   = "clear"
	ReasonResume  = "resume" // the client went to another conversation
)

// shortly is how soon after a session was cleared the next one begins: the
// client starts the hooks of both at once, or nearly.
const shortly = 2 * time.Minute

// Predecessor is the session that a new one continues, where that is
// certain: it starts from the source in the worktree, and exactly one session can
// be meant.
//
//   - clear: the one that was cleared just before, and had started or ended there;
//   - resume: the only one that was ever there and is not continued, if it has
//     ended, and started there. A client that keeps the id of what it resumes has a record already.
//
// Any other source begins something new (startup), continues beside what it comes
// from (fork), or keeps its id (compact). One that has not ended is never it.
func (rs Records) Predecessor(key, source, place string, now time.Time) (Record, bool) {
	var found []Record
	for i := range rs {
		r := &rs[i]
		if r.Key == key || !r.was(place) || rs.continued(r) {
			continue
		}
		switch source {
		case SourceClear:
			if age := now.Sub(r.Ended); !r.Ended.IsZero() && r.Reason == ReasonClear && age.Abs() <= shortly {
				found = append(found, *r)
			}
		case SourceResume:
			found = append(found, *r)
		}
	}
	if len(found) != 1 || source == SourceResume &&
		(found[0].Ended.IsZero() || found[0].Reason == ReasonResume || found[0].Place != place) {
		return Record{}, false
	}
	return found[0], true
}

// Contested reports whether the holder of a lock is a session that was cleared
// when another one was in the same worktree. Which of the next ones continues
// which work is not known, unless one of the two was continued.
func (rs Records) Contested(agent, parent *string) bool {
	for i := range rs {
		r := &rs[i]
		if !rules.SameAgent(agent, &r.AgentID) && !rules.SameAgent(parent, &r.AgentID) || r.Reason != ReasonClear ||
			rs.continued(r) {
			continue
		}
		if slices.ContainsFunc(rs, func(o Record) bool {
			there := o.was(r.Place) || r.EndedIn != "" && o.was(r.EndedIn)
			return o.AgentID != r.AgentID && there && o.Reason == ReasonClear &&
				o.Ended.Sub(r.Ended).Abs() <= shortly && !rs.continued(&o)
		}) {
			return true
		}
	}
	return false
}

// InUse reports whether another live session goes by the name that a hook gave.
func (rs Records) InUse(key, agent string) bool {
	return slices.ContainsFunc(rs, func(o Record) bool {
		return o.Key != key && o.AgentID == agent && !o.Chosen && o.Ended.IsZero()
	})
}

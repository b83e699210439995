package session

import (
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// Sources and reasons of a session's start and end, as Claude Code names them.
const (
	SourceResume  = "resume"
	SourceClear   = "clear"
	SourceCompact = "compact"
	ReasonClear   = "clear"
	ReasonResume  = "resume" // the client switched to another conversation
)

// shortly is the longest time between clearing a session and starting its
// successor. The client runs the hooks of both almost at once.
const shortly = 2 * time.Minute

// Predecessor returns the session that a new one continues, if that is certain:
// the new session starts from source in the worktree place, and exactly one
// session qualifies.
//
//   - clear: it was cleared just before, and had started or ended there.
//   - resume: it is the only session that was ever there and is not yet
//     continued, it has ended, and it had started there. A client that keeps
//     the id of the session that it resumes already has a record.
//
// Any other source begins something new (startup), continues alongside its
// origin (fork), or keeps its id (compact). A session that has not ended never
// qualifies.
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

// Contested reports whether a lock's holder is a session that was cleared at
// about the same time as another one in the same worktree. Then it is not known
// which new session continues which, unless one of the two has already been
// continued.
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

// InUse reports whether another live session was given this agent id by a hook.
func (rs Records) InUse(key, agent string) bool {
	return slices.ContainsFunc(rs, func(o Record) bool {
		return o.Key != key && o.AgentID == agent && !o.Chosen && o.Ended.IsZero()
	})
}

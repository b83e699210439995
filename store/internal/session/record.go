// Package session is what the store remembers of the sessions of agents'
// clients, so that one which continues under another id keeps its agent id.
//
//	agents-locks/sessions/<key>.json
//
// A record is written whole, under the store's mutex, and swept by age. Reading
// needs no mutex; what cannot be read as a record counts as none.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Record is one session as its client's events reported it.
type Record struct {
	AgentID       string  `json:"agent_id"`
	ParentAgentID *string `json:"parent_agent_id,omitempty"`
	// Chosen: AgentID was chosen where the session was started. Others may have it, too.
	Chosen  bool      `json:"chosen,omitempty"`
	Place   string    `json:"place"` // the worktree that it started in: git's name of it, else its path
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	EndedIn string    `json:"ended_in,omitempty"` // the worktree that it had gone to by then, if another
	Reason  string    `json:"reason,omitempty"`   // why it ended, in the client's words
	// Continues is the key of the session that this one is the same agent as.
	Continues string `json:"continues,omitempty"`
	// Left is the name that it had before and left to another live session.
	Left string `json:"left,omitempty"`
	// Subagents are the agents within it that the client reported, the last last.
	Subagents []string `json:"subagents,omitempty"`

	Key string `json:"-"`
}

// Key is the name under which a session's record is found: short and plain,
// whatever the client's id is.
func Key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// maxSubagents bounds a record; the oldest are forgotten.
const maxSubagents = 200

// Tell adds a subagent.
func (r *Record) Tell(subagent string) {
	if !slices.Contains(r.Subagents, subagent) {
		r.Subagents = append(r.Subagents, subagent)
	}
	r.Subagents = r.Subagents[max(0, len(r.Subagents)-maxSubagents):]
}

// valid reports whether a record says what ours say: the file is within
// everybody's reach, and its texts go into answers.
func (r *Record) valid() bool {
	ids := append([]string{r.AgentID}, r.Subagents...)
	if r.ParentAgentID != nil {
		ids = append(ids, *r.ParentAgentID)
	}
	if r.Left != "" {
		ids = append(ids, r.Left)
	}
	return len(r.Subagents) <= maxSubagents && !slices.ContainsFunc(ids, func(id string) bool {
		clean, err := lockfile.CleanAgent(id)
		return err != nil || clean != id
	})
}

// Records are all sessions that the store remembers.
type Records []Record

// Find is the record with that key.
func (rs Records) Find(key string) (Record, bool) {
	i := slices.IndexFunc(rs, func(r Record) bool { return r.Key == key })
	if i < 0 {
		return Record{}, false
	}
	return rs[i], true
}

// was reports whether a session started or ended in a worktree.
func (r *Record) was(place string) bool { return r.Place == place || r.EndedIn == place }

func (rs Records) continued(r *Record) bool {
	return slices.ContainsFunc(rs, func(o Record) bool { return o.Continues == r.Key })
}

// Ended reports whether the sessions that an agent was are on record, and have
// all ended; where none is, those of its parent: a subagent ends with its session.
func (rs Records) Ended(agent, parent *string) (ended, known bool) {
	for _, agent := range []*string{agent, parent} {
		live := false
		for i := range rs {
			if rules.SameAgent(agent, &rs[i].AgentID) {
				known, live = true, live || rs[i].Ended.IsZero()
			}
		}
		if known {
			return !live, true
		}
	}
	return false, false
}

// Live are the sessions in a worktree that started after a point in time and have
// not ended.
func (rs Records) Live(place string, since time.Time) Records {
	var out Records
	for i := range rs {
		if r := &rs[i]; r.Place == place && r.Ended.IsZero() && r.Started.After(since) {
			out = append(out, *r)
		}
	}
	return out
}

// Has reports whether another session that is remembered has an agent id.
func (rs Records) Has(key, agent string) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { return r.Key != key && r.AgentID == agent })
}

// Gave reports whether an agent id is known to have been given to another
// session by its hook, and so came to this one from a shell of that session.
func (rs Records) Gave(key, agent string) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { return r.Key != key && r.AgentID == agent && !r.Chosen })
}

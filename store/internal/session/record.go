// Package session records the sessions of agents' clients, so that a session
// that continues under another id keeps its agent id.
//
//	agents-locks/sessions/<key>.json
//
// Records are written whole, under the store's mutex, and removed by age.
// Reading needs no mutex. A file that is not a valid record is ignored.
package session

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Record is a session as reported by its client's events.
type Record struct {
	AgentID       string  `json:"agent_id"`
	ParentAgentID *string `json:"parent_agent_id,omitempty"`
	// Chosen is set if AgentID was configured where the session was started.
	// Other sessions may have the same id.
	Chosen  bool      `json:"chosen,omitempty"`
	Place   string    `json:"place"` // worktree where it started: git's name for it, or its path
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`
	EndedIn string    `json:"ended_in,omitempty"` // worktree where it ended, if another
	Reason  string    `json:"reason,omitempty"`   // why it ended, in the client's words
	// Continues is the key of the session that this one continues as the same
	// agent.
	Continues string `json:"continues,omitempty"`
	// Left is the agent id that it had before, and gave up to another live
	// session.
	Left string `json:"left,omitempty"`
	// Subagents are the session's subagents that the client reported, oldest
	// first.
	Subagents []string `json:"subagents,omitempty"`

	Key string `json:"-"`
}

// Key returns the name of a session's record, which is short and plain whatever
// the client's id is.
func Key(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

// maxSubagents limits the size of a record; the oldest subagents are dropped.
const maxSubagents = 200

// Tell adds a subagent.
func (r *Record) Tell(subagent string) {
	if !slices.Contains(r.Subagents, subagent) {
		r.Subagents = append(r.Subagents, subagent)
	}
	r.Subagents = r.Subagents[max(0, len(r.Subagents)-maxSubagents):]
}

// valid reports whether a record contains only what we would write. Anybody can
// edit the file, and its texts go into answers.
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

// Records are all sessions on record.
type Records []Record

// Find returns the record with the given key.
func (rs Records) Find(key string) (Record, bool) {
	i := slices.IndexFunc(rs, func(r Record) bool { return r.Key == key })
	if i < 0 {
		return Record{}, false
	}
	return rs[i], true
}

// was reports whether the session started or ended in a worktree.
func (r *Record) was(place string) bool { return r.Place == place || r.EndedIn == place }

func (rs Records) continued(r *Record) bool {
	return slices.ContainsFunc(rs, func(o Record) bool { return o.Continues == r.Key })
}

// Ended reports whether the sessions of an agent are on record (known) and have
// all ended. If the agent has none, it considers those of its parent, because a
// subagent ends with its session.
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

// Live returns the sessions that started in a worktree after since and have not
// ended.
func (rs Records) Live(place string, since time.Time) Records {
	var out Records
	for i := range rs {
		if r := &rs[i]; r.Place == place && r.Ended.IsZero() && r.Started.After(since) {
			out = append(out, *r)
		}
	}
	return out
}

// Has reports whether another session on record has this agent id.
func (rs Records) Has(key, agent string) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { return r.Key != key && r.AgentID == agent })
}

// Gave reports whether a hook is known to have given this agent id to another
// session, so that it came to this session from that one's shell.
func (rs Records) Gave(key, agent string) bool {
	return slices.ContainsFunc(rs, func(r Record) bool { return r.Key != key && r.AgentID == agent && !r.Chosen })
}

package store

import (
	"context"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A ListStateRequest lists the entries, or the versions of one.
type ListStateRequest struct {
	Target
	Prefix  string   `json:"prefix"` // whole parts of a name: api matches api and everything under api/
	Scope   []string `json:"scope"`  // only entries about files that overlap these
	Text    string   `json:"text"`   // in name or value, ignoring letter case
	History string   `json:"history"`
}

// A StateListing is the answer to a listing.
type StateListing struct {
	Entries    []StateSummary   `json:"entries"`            // sorted by name
	Namespaces []StateNamespace `json:"namespaces"`         // counts of all entries, even in a shortened answer
	Versions   []StateVersion   `json:"versions,omitempty"` // with History; newest first

	NamespacesLeftOut int `json:"namespacesLeftOut,omitempty"`
	VersionsLeftOut   int `json:"versionsLeftOut,omitempty"`
}

// A StateSummary is an entry as listings show it.
type StateSummary struct {
	Name         string   `json:"name"`
	Version      int64    `json:"version"`
	AgentID      *string  `json:"agent_id"`
	Updated      string   `json:"updated"`
	Scope        []string `json:"scope"`
	ScopeLeftOut int      `json:"scopeLeftOut,omitempty"`
	Bytes        int      `json:"bytes"`
	FirstLine    string   `json:"firstLine"`
}

// A StateNamespace counts the entries with the same first part of the name; ""
// stands for names with just one part.
type StateNamespace struct {
	Namespace string `json:"namespace"`
	Entries   int    `json:"entries"`
}

// A StateVersion is a version in the history of an entry.
type StateVersion struct {
	Version   int64   `json:"version"`
	Deleted   bool    `json:"deleted,omitempty"`
	AgentID   *string `json:"agent_id"`
	Updated   string  `json:"updated"`
	Bytes     int     `json:"bytes"`
	FirstLine string  `json:"firstLine"`
}

// ListState lists the entries of the shared state, or the versions of one.
func (s *Store) ListState(ctx context.Context, r ListStateRequest) (Answer[StateListing], error) {
	return answer(ctx, s, r.Target, func(c *call) (StateListing, error) {
		if r.History != "" {
			return stateHistory(c, r)
		}
		if err := checkPrefix(r.Prefix); err != nil {
			return StateListing{}, err
		}
		var scope overlap.Scope
		if len(r.Scope) > 0 {
			var err error
			if scope, err = c.paths.Asked(r.Scope); err != nil {
				return StateListing{}, err
			}
		}
		entries, err := listState(c, func(s *lockfile.State) bool { return within(s.Name, r.Prefix) && mentions(s, r.Text) })
		if scope != nil {
			entries = slices.DeleteFunc(entries, func(e state.Entry) bool { return len(scope.Overlaps(stateScope(c, e))) == 0 })
		}
		return listingOf(entries), err
	})
}

// mentions reports whether an entry contains a text, ignoring letter case.
func mentions(s *lockfile.State, text string) bool {
	text = strings.ToLower(text)
	return text == "" || strings.Contains(s.Name, text) || strings.Contains(strings.ToLower(s.Value), text)
}

func listingOf(entries []state.Entry) StateListing {
	out := StateListing{Entries: stateSummaries(entries), Namespaces: []StateNamespace{}}
	counts := map[string]int{}
	for _, e := range entries {
		namespace, _, several := strings.Cut(e.Says.Name, "/")
		if !several {
			namespace = ""
		}
		counts[namespace]++
	}
	for namespace, n := range counts {
		out.Namespaces = append(out.Namespaces, StateNamespace{namespace, n})
	}
	slices.SortFunc(out.Namespaces, func(a, b StateNamespace) int { return strings.Compare(a.Namespace, b.Namespace) })
	return out
}

func stateSummaries(entries []state.Entry) []StateSummary {
	out := make([]StateSummary, len(entries))
	for i, e := range entries {
		s := &e.Says
		out[i] = StateSummary{Name: s.Name, Version: s.Version, AgentID: s.AgentID, Updated: s.Updated.String(),
			Scope: orEmpty(s.Scope), Bytes: e.Bytes, FirstLine: firstLine(s.Value)}
	}
	return out
}

// stateHistory lists the versions of an entry that are kept, newest first.
func stateHistory(c *call, r ListStateRequest) (StateListing, error) {
	if r.Prefix != "" || r.Text != "" || len(r.Scope) > 0 {
		return StateListing{}, fault.Input("`history` is about one entry: `prefix`, `scope` and `text` have no effect on it").
			WithHint("omit them")
	}
	if err := checkStateName("history", r.History); err != nil {
		return StateListing{}, err
	}
	present, found, err := state.Get(c.ctx, c.dir, r.History)
	if err == nil && !found {
		err = rules.NoState(r.History, nil)
	}
	if err != nil {
		return StateListing{}, err
	}
	versions, err := pastOf(c, present, briefly)
	if err != nil {
		return StateListing{}, err
	}
	versions = append(versions, present)
	slices.Reverse(versions)
	out := listingOf(liveState(c, state.Listing{Entries: []state.Entry{present}}))
	for _, v := range versions {
		s := &v.Says
		out.Versions = append(out.Versions, StateVersion{Version: s.Version, Deleted: s.Deleted, AgentID: s.AgentID,
			Updated: s.Updated.String(), Bytes: v.Bytes, FirstLine: firstLine(s.Value)})
	}
	return out, nil
}

// pastOf returns the past versions of an entry, oldest first.
func pastOf(c *call, present state.Entry, text int) ([]state.Entry, error) {
	past, err := state.Past(c.ctx, c.dir, present.Says.Name, present.Says.Version, text)
	if err != nil {
		return nil, err
	}
	noteState(c, state.Listing{Bad: past.Bad})
	return past.Entries, nil
}

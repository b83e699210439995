package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// sessionPatience limits how long the start and the end of a session wait for
// the mutex. Clients give the hooks at an end a second and a half.
const sessionPatience = 500 * time.Millisecond

// A SessionRequest reports an event of a client's session.
type SessionRequest struct {
	Target
	Session
	Why string // how it starts (startup, resume, ...) or why it ends

	// OwnID is the agent id derived from the client's id, or nil. AgentID is
	// the id configured where the session was started, or else OwnID.
	OwnID, AgentID, ParentAgentID *string
}

// A Started is the identity of a session, and who else is at work.
type Started struct {
	AgentID       *string
	ParentAgentID *string
	Continues     bool      // it continues another session as the same agent
	Left          string    // its former id, under which another live session continues; "" if none
	Own           []Summary // locks that it holds
	Others        []Summary // others' locks; SameWorktree tells which were made here
	Beside        []string  // agents of other recent live sessions in this worktree
	// Files of its own claims changed elsewhere, as in Created.
	ChangedElsewhere        []ChangedElsewhere
	ChangedElsewhereLeftOut int
	State                   []StateSummary // entries of the shared state changed in the last day
}

// SessionStart records the start of a session and returns its identity. An
// agent that continues under another session id keeps its agent id if that is
// certain. If nothing can be written, the identity is the reported one.
func (s *Store) SessionStart(ctx context.Context, r SessionRequest) (Answer[Started], error) {
	return answer(ctx, s, r.Target, func(c *call) (Started, error) {
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return Started{}, err
		}
		me, records := begin(c, r, entries)
		out := Started{AgentID: r.AgentID, ParentAgentID: r.ParentAgentID}
		if me.AgentID != "" {
			out.AgentID, out.ParentAgentID, out.Continues = &me.AgentID, me.ParentAgentID, me.Continues != ""
			if records.InUse(me.Key, me.Left) {
				out.Left = me.Left
			}
		}
		atWork(c, itself(c, out.AgentID, r.Former), entries)
		describe(c, &out, r, nil, c.everybody(entries), records) // another session may have used its former name, too
		out.ChangedElsewhere, out.ChangedElsewhereLeftOut = changedInOwn(c, r.Target, out, entries)
		out.State = stateLately(c)
		return out, nil
	})
}

// begin writes the record of a starting session. The record is empty if there
// is none.
func begin(c *call, r SessionRequest, entries []disk.Entry) (session.Record, session.Records) {
	var records session.Records
	read := false
	me, err := remember(c, r, func(all session.Records) session.Record {
		records, read = all, true
		me := withOwnID(identify(c, r, r.Why, records, entries), r, records, entries)
		me.Started, me.Ended, me.Reason = c.store.Now().UTC(), time.Time{}, ""
		me.Place, me.EndedIn = c.place(), ""
		return me
	})
	if err != nil {
		c.warn("the session could not be recorded: %v", err)
		me, _, _ = remembered(c, r.Session, false)
	}
	if !read {
		if records, err = session.ReadAll(c.dir); err != nil {
			c.warn("other sessions cannot be read: %v", err)
		}
	}
	return me, records
}

// remember writes the record that with returns. with is called under the mutex,
// with the records of all sessions.
func remember(c *call, r SessionRequest, with func(session.Records) session.Record) (session.Record, error) {
	if r.ID == "" || r.AgentID == nil {
		return session.Record{}, nil // there is no identity to record
	}
	defer c.waitAtMost(sessionPatience)()
	return change(c, func(tx *disk.Tx) (session.Record, error) {
		session.Sweep(tx, c.holders())
		records, err := session.ReadAll(c.dir)
		if err != nil {
			return session.Record{}, err
		}
		me := with(records)
		return me, session.Write(tx, me)
	})
}

// holders returns a function that reports whether an agent holds an active
// lock, or is the parent of a holder. It reads the locks on its first call.
func (c *call) holders() func(agent string) bool {
	read := sync.OnceValues(func() (disk.Listing, error) { return c.dir.List(c.ctx, disk.ActiveOnly) })
	return func(agent string) bool {
		l, err := read()
		return err != nil || slices.ContainsFunc(l.Entries, func(e disk.Entry) bool {
			return rules.SameAgent(e.Lock.AgentID, &agent) || rules.SameAgent(e.Lock.ParentAgentID, &agent)
		})
	}
}

// identify returns the record of a session before its event. source is how the
// session starts, "" for any other event.
func identify(c *call, r SessionRequest, source string, records session.Records, entries []disk.Entry) session.Record {
	key, here := session.Key(r.ID), c.place()
	me, found := records.Find(key)
	me.Key = key
	if !found {
		me.Place = here
	}
	chosen := !rules.SameAgent(r.AgentID, r.OwnID)
	switch {
	case chosen && !records.Gave(key, *r.AgentID):
		me.AgentID, me.ParentAgentID, me.Chosen = *r.AgentID, r.ParentAgentID, true
	case found: // it keeps its identity
	default:
		me.AgentID, me.ParentAgentID = *r.AgentID, r.ParentAgentID
		if chosen && r.OwnID != nil { // AgentID is its parent's, from whose shell it was started
			me.AgentID, me.ParentAgentID = *r.OwnID, r.AgentID
		}
		if name, holds := formerly(c, r, me.AgentID, entries); holds { // it holds locks, so it is not a successor
			if source == session.SourceResume || source == session.SourceCompact {
				me.AgentID = name
			}
		} else if before, ok := records.Predecessor(key, source, here, c.store.Now()); ok &&
			(before.Chosen || !records.InUse(key, before.AgentID)) {
			me.AgentID, me.ParentAgentID, me.Chosen = before.AgentID, before.ParentAgentID, before.Chosen
			me.Continues, me.Subagents = before.Key, before.Subagents
		}
	}
	return me
}

// withOwnID gives a starting session a new id if another live session has the one
// that it would get: its own id or, if that is taken by a session or a lock,
// its own id with a number.
func withOwnID(me session.Record, r SessionRequest, records session.Records, entries []disk.Entry) session.Record {
	if me.Chosen || !records.InUse(me.Key, me.AgentID) {
		return me
	}
	own := me.AgentID
	if r.OwnID != nil {
		own = *r.OwnID
	}
	taken := func(name string) bool {
		return name == me.AgentID || records.Has(me.Key, name) ||
			slices.ContainsFunc(entries, func(e disk.Entry) bool { return rules.SameAgent(e.Lock.AgentID, &name) })
	}
	name := own
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", own, n)
	}
	me.Left, me.AgentID, me.Continues = me.AgentID, name, ""
	return me
}

// formerly returns the name under which a session without a record holds locks:
// its own or, if it has locks in this worktree only under the first release's
// name, that one. The session can finish only those.
func formerly(c *call, r SessionRequest, own string, entries []disk.Entry) (name string, holds bool) {
	here := c.here()
	name = own
	for _, e := range entries {
		if rules.SameAgent(e.Lock.AgentID, &own) {
			return own, true
		}
		if rules.SameAgent(e.Lock.AgentID, r.Former) && here.SameWorktree(&e.Lock) {
			name, holds = *r.Former, true
		}
	}
	return name, holds
}

// place returns what records call the caller's worktree.
func (c *call) place() string {
	here := c.here()
	if here.WorktreeName != "" {
		return here.WorktreeName
	}
	return lockfile.Recordable(c.repo.CommonDir)
}

// describe adds the locks to a Started, and the other live sessions in this
// worktree. Locks under the session's former name count as its own.
func describe(c *call, out *Started, r SessionRequest, former *string, entries []disk.Entry, records session.Records) {
	who := c.here()
	who.Agent, who.Parent, who.Former = out.AgentID, out.ParentAgentID, former
	minutes := c.foreignMinutes()
	whose := whose(c, who, func() session.Records { return records }, minutes)
	for _, e := range entries {
		s, same := summaryOf(c, e, minutes), who.SameWorktree(&e.Lock)
		s.SameWorktree = &same
		if who.Holds(&e.Lock) {
			out.Own = append(out.Own, s)
			continue
		}
		s.Whose, s.HolderEnded = whose(&e.Lock)
		out.Others = append(out.Others, s)
	}
	for _, o := range records.Live(c.place(), sessionCutoff(c, minutes)) {
		itself := o.Key == session.Key(r.ID) || rules.SameAgent(out.AgentID, &o.AgentID)
		if !itself && !slices.Contains(out.Beside, o.AgentID) {
			out.Beside = append(out.Beside, o.AgentID)
		}
	}
}

// itself returns a session as the holder of its locks.
func itself(c *call, agent, former *string) rules.Caller {
	who := c.here()
	who.Agent, who.Former = agent, former
	return who
}

// SubagentStart records the start of a subagent within a session, so that its
// locks can be distinguished from those of others there. It returns the
// session's ids.
func (s *Store) SubagentStart(ctx context.Context, r SessionRequest) (Answer[Started], error) {
	return answer(ctx, s, r.Target, func(c *call) (Started, error) {
		out := Started{AgentID: r.AgentID, ParentAgentID: r.ParentAgentID}
		subagent, err := lockfile.CleanAgent(r.Subagent)
		if err != nil {
			return out, nil // it cannot be distinguished from the session
		}
		me, err := remember(c, r, func(records session.Records) session.Record {
			me := identify(c, r, "", records, nil)
			if me.Started.IsZero() {
				me.Started = c.store.Now().UTC()
			}
			me.Tell(subagent)
			return me
		})
		switch {
		case err != nil:
			c.warn("the subagent could not be recorded: %v", err)
		case me.AgentID != "":
			out.AgentID, out.ParentAgentID = &me.AgentID, me.ParentAgentID
		}
		if entries, err := c.list(disk.ActiveOnly); err == nil { // unreadable locks do not matter here
			atWork(c, itself(c, out.AgentID, nil), entries)
		}
		return out, nil
	})
}

// SessionEnd records the end of a session and returns what it still holds.
func (s *Store) SessionEnd(ctx context.Context, r SessionRequest) (Answer[Started], error) {
	return answer(ctx, s, r.Target, func(c *call) (Started, error) {
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return Started{}, err
		}
		out, former := Started{AgentID: r.AgentID, ParentAgentID: r.ParentAgentID}, r.Former
		me, err := remember(c, r, func(records session.Records) session.Record {
			me := identify(c, r, "", records, entries)
			if _, found := records.Find(me.Key); !found && !me.Chosen {
				me.AgentID, _ = formerly(c, r, me.AgentID, entries)
			}
			former = formerOf(r.Session, me)
			if here := c.place(); here != me.Place {
				me.EndedIn = here
			}
			me.Ended, me.Reason = c.store.Now().UTC(), rules.FirstLine(r.Why, maxReason)
			return me
		})
		switch {
		case err != nil:
			c.warn("the end of the session could not be recorded: %v", err)
		case me.AgentID != "":
			out.AgentID, out.ParentAgentID = &me.AgentID, me.ParentAgentID
		}
		atWork(c, itself(c, out.AgentID, former), entries)
		describe(c, &out, r, former, entries, nil)
		return out, nil
	})
}

// maxReason limits a client's reason for the end of a session.
const maxReason = 40 // characters

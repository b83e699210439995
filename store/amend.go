package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// An amendment is a validated update in the form in which it is stored. Whether
// the lock permits it is decided under the mutex.
type amendment struct {
	who      rules.Caller
	force    bool
	task     string // "" if none
	done     bool
	note     string // "" if none
	tell     bool   // the note is addressed to the holder
	add      overlap.Scope
	remove   []removal
	addTasks []string
	lease    float64 // 0 keeps the lease
	handTo   string  // "" keeps the holder
	now      string  // stamp for the notes, taken under the mutex
}

// parseAmendment validates a request before any of it is applied.
func parseAmendment(c *call, r UpdateRequest) (a amendment, err error) {
	if a.who, err = c.caller(r.AgentID, nil); err != nil {
		return a, err
	}
	a.force, a.tell = r.Force, r.Tell
	if err := a.progress(r); err != nil {
		return a, err
	}
	if len(r.AddScope) > 0 {
		if a.add, err = c.paths.Parse(r.AddScope); err != nil {
			return a, err
		}
		c.paths.WarnEverything(a.add)
	}
	if a.remove, err = parseRemovals(c, r.RemoveScope); err != nil {
		return a, err
	}
	if err := a.unlessBoth(); err != nil {
		return a, err
	}
	if a.addTasks, err = lockfile.CleanTasks(r.AddTasks, nil); err != nil {
		return a, fault.Text("add_tasks", err)
	}
	if r.LeaseMinutes != nil {
		a.lease = *r.LeaseMinutes
		if err := rules.CheckLease(a.lease); err != nil {
			return a, err
		}
	}
	if r.HandTo != nil {
		if a.handTo, err = lockfile.CleanAgent(*r.HandTo); err != nil {
			return a, fault.Text("hand_to", err)
		}
	}
	if r.IfFree && len(a.add) == 0 {
		return a, fault.Input("`if_free` has no effect without `add_scope`").
			WithHint("name the entries to add with `add_scope`")
	}
	if a.task == "" && a.note == "" && !a.amends() {
		return a, fault.Input("nothing to update").
			WithHint("give a task, a note or a change of the claim; to keep the lock fresh use `lock_heartbeat`")
	}
	return a, nil
}

// amends reports whether the amendment changes the claim itself, rather than
// only recording progress.
func (a *amendment) amends() bool {
	return len(a.add) > 0 || len(a.remove) > 0 || len(a.addTasks) > 0 || a.lease > 0 || a.handTo != ""
}

// findToUpdate finds the lock to amend. Anybody may add notes and tasks to any
// lock, so for those alone a short name may refer to any lock.
func findToUpdate(c *call, r Ref, a amendment) (disk.Entry, error) {
	if a.task != "" || len(a.add) > 0 || len(a.remove) > 0 || a.lease > 0 || a.handTo != "" {
		return findOwnLock(c, r, a.who, disk.ActiveOnly)
	}
	return findLock(c, r)
}

func (a *amendment) progress(r UpdateRequest) error {
	if r.TaskText == nil && r.Done != nil {
		return fault.Input("`done` has no effect without `task_text`").
			WithHint("name the task that is done (or not) with `task_text`")
	}
	if r.TaskText != nil {
		a.task, a.done = strings.TrimSpace(*r.TaskText), r.Done == nil || *r.Done
		if a.task == "" {
			return fault.Input("`task_text` %q is empty", *r.TaskText).
				WithHint("give the exact text of one of the lock's tasks; see `lock_show`")
		}
	}
	note, err := cleanNote("note", r.Note)
	a.note = note
	return err
}

// unlessBoth refuses to add and remove the same entry, since it is unclear
// which of the two was meant.
func (a *amendment) unlessBoth() error {
	for _, e := range a.add {
		for _, r := range a.remove {
			if r.means(e.String()) {
				return fault.Input("`add_scope` and `remove_scope` both name %s", fault.InQuotes(r.text)).
					WithHint("name it in one of the two")
			}
		}
	}
	return nil
}

// A removal is an entry to remove from the scope, as the caller gave it and in
// each spelling in which it may be stored.
type removal struct {
	text      string
	spellings []string
}

func parseRemovals(c *call, entries []string) ([]removal, error) {
	var out []removal
	for _, text := range entries {
		text = strings.TrimSpace(text)
		if text == "" {
			return nil, fault.New(fault.BadScope, "the `remove_scope` entry %q is empty", text).
				WithHint("name an entry of the lock's scope")
		}
		r := removal{text, []string{text}}
		// Another tool may have stored an entry that no claim could have.
		if scope, err := c.paths.Parse([]string{text}); err == nil {
			stored := strings.TrimSuffix(scope[0].String(), "/")
			r.spellings = append(r.spellings, stored, stored+"/")
		}
		out = append(out, r)
	}
	return out, nil
}

func (r removal) means(entry string) bool { return slices.Contains(r.spellings, entry) }

// edit returns the change that the amendment makes to the lock, or the reason
// why it is not permitted.
func (a *amendment) edit(l *lockfile.Lock, now lockfile.Stamp) (lockfile.Edit, error) {
	var ed lockfile.Edit
	a.now = now.Raw
	if a.task != "" {
		i, err := taskIndex(l, a.task, a.done)
		if err != nil {
			return ed, err
		}
		ed.Tick = []lockfile.Tick{{Index: i, Done: a.done}}
	}
	if a.note != "" {
		ed.AddNotes = []string{a.who.From(l, a.tell) + a.note}
	}
	if err := a.editTasks(l, &ed); err != nil {
		return ed, err
	}
	if err := a.editScope(l, &ed); err != nil {
		return ed, err
	}
	if err := a.editLease(l, &ed); err != nil {
		return ed, err
	}
	return ed, a.editHolder(l, &ed)
}

func (a *amendment) editTasks(l *lockfile.Lock, ed *lockfile.Edit) error {
	if len(a.addTasks) == 0 {
		return nil
	}
	tasks, err := lockfile.CleanTasks(a.addTasks, l.Tasks)
	if err != nil {
		return fault.Text("add_tasks", err)
	}
	ed.AddTasks = tasks
	if a.who.Signature(l) != "" {
		said := "1 task"
		if len(tasks) > 1 {
			said = fmt.Sprintf("%d tasks", len(tasks))
		}
		ed.AddNotes = append(ed.AddNotes, a.signed(said+" added at "+a.now, "", l))
	}
	return nil
}

// editScope adds a note for each change of scope, so that the log is
// self-explanatory.
func (a *amendment) editScope(l *lockfile.Lock, ed *lockfile.Edit) error {
	scope := slices.Clone(l.Scope)
	var added, removed []string
	for _, e := range a.add {
		if text := e.String(); !slices.Contains(scope, text) {
			scope, added = append(scope, text), append(added, text)
		}
	}
	for _, r := range a.remove {
		i := slices.IndexFunc(scope, r.means)
		if i < 0 {
			return fault.New(fault.BadScope, "lock %q has no scope entry %s", l.ID, fault.InQuotes(r.text)).
				WithHint("its scope is: " + fault.Quoted(l.Scope))
		}
		removed = append(removed, scope[i])
		scope = slices.Delete(scope, i, i+1)
	}
	if len(scope) == 0 {
		return fault.New(fault.BadScope, "the last entry of lock %q cannot be removed", l.ID).
			WithHint("finish the lock instead")
	}
	if len(scope) > overlap.MaxEntries {
		return fault.New(fault.BadScope, "the scope would have %d entries, more than %d", len(scope), overlap.MaxEntries).
			WithHint("use globs, or make several claims")
	}
	if len(added) > 0 {
		by, _, err := a.who.MayEnd("widen it", l, a.force)
		if err != nil {
			return err
		}
		ed.AddNotes = append(ed.AddNotes,
			a.signed("Scope widened at "+a.now, by, l)+": "+strings.Join(added, ", "))
	}
	if len(removed) > 0 {
		by, _, err := a.who.MayEnd("narrow it", l, a.force)
		if err != nil {
			return err
		}
		ed.AddNotes = append(ed.AddNotes,
			a.signed("Scope narrowed at "+a.now, by, l)+": "+strings.Join(removed, ", "))
	}
	if len(added)+len(removed) > 0 {
		ed.Set = append(ed.Set, lockfile.KeyValue{Key: "scope", Value: scope})
	}
	return nil
}

// editLease adds a note if a caller other than the holder changes the lease.
func (a *amendment) editLease(l *lockfile.Lock, ed *lockfile.Edit) error {
	if a.lease == 0 || a.lease == l.LeaseMinutes {
		return nil
	}
	by, note := "", fmt.Sprintf("Lease set at %s to %s", a.now, rules.MinutesText(a.lease))
	switch {
	case a.lease < l.LeaseMinutes:
		var err error
		if by, _, err = a.who.MayEnd("shorten its lease", l, a.force); err != nil {
			return err
		}
		note = fmt.Sprintf("Lease shortened at %s from %s to %s",
			a.now, rules.MinutesText(l.LeaseMinutes), rules.MinutesText(a.lease))
	case l.LeaseMinutes > 0:
		note = fmt.Sprintf("Lease lengthened at %s from %s to %s",
			a.now, rules.MinutesText(l.LeaseMinutes), rules.MinutesText(a.lease))
	}
	if by != "" || a.who.Signature(l) != "" {
		ed.AddNotes = append(ed.AddNotes, a.signed(note, by, l))
	}
	ed.Set = append(ed.Set, lockfile.KeyValue{Key: "lease_minutes", Value: a.lease})
	return nil
}

func (a *amendment) editHolder(l *lockfile.Lock, ed *lockfile.Edit) error {
	if a.handTo == "" {
		return nil
	}
	if l.AgentID != nil && *l.AgentID == a.handTo {
		return fault.Input("lock %q is held by %q already", l.ID, a.handTo).WithHint("nothing to hand over; drop `hand_to`")
	}
	by, _, err := a.who.MayEnd("hand it over", l, a.force)
	if err != nil {
		return err
	}
	from := "an unknown holder"
	if l.AgentID != nil {
		from = rules.Spelled(*l.AgentID)
	}
	ed.AddNotes = append(ed.AddNotes,
		a.signed(fmt.Sprintf("Handed over at %s from %s to %s", a.now, from, a.handTo), by, l))
	ed.Set = append(ed.Set, lockfile.KeyValue{Key: "agent_id", Value: a.handTo})
	return nil
}

// signed names the caller in a note, unless it is the holder. by is the name
// from MayEnd, "" if MayEnd was not asked.
func (a *amendment) signed(note, by string, l *lockfile.Lock) string {
	if by == "" {
		by = a.who.Signature(l)
	}
	return joined(note, by)
}

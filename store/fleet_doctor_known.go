package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	skewed     = 2 * time.Minute    // a clock that is ahead by more is reported
	longChain  = 2 * 2000           // commits; normally the history is dropped after half of that
	lostLately = 7 * 24 * time.Hour // a loss is reported for that long, since it may happen again
)

// known examines what is known about the other clones.
func (x *fleetExam) known(v *fleet.View) {
	now := x.call.dir.Now()
	switch {
	case v.Broken != nil:
		x.add(SeverityProblem, "agent-locks fleet reset replaces it; what was seen last is kept",
			"%q cannot be read: %s", x.set.ref, v.Broken.Why)
	case v.Behind > 0:
		x.add(SeverityProblem, "a replica that lags catches up; if the host was restored from a backup, "+
			"agent-locks fleet reset accepts it", "%q is at change %d, and was at %d before", x.set.ref, v.Behind, v.Tip.Seq)
	}
	if v.Tip.Format > fleet.Format {
		x.add(SeverityProblem, "update agent-locks", "%q is in format %d, and this agent-locks writes %d", x.set.ref,
			v.Tip.Format, fleet.Format)
	}
	if !v.Lost.IsZero() && now.Sub(v.Lost) < lostLately {
		x.add(SeverityNote, "somebody may run git push --mirror or --prune, or a job cleans up refs: keep it off this one",
			"%q was found deleted or replaced %s ago; live locks were kept", x.set.ref,
			rules.Age(rules.SecondsBetween(v.Lost, now)))
	}
	if v.Tip.Chain > longChain {
		x.add(SeverityNote, "allow this ref to be forced on the host, or delete it there once: live locks are kept",
			"%q has %d commits, since the host keeps its history", x.set.ref, v.Tip.Chain)
	}
	const fix = "who publishes that has to fix it; if nobody can, agent-locks fleet purge empties the ref, and each " +
		"clone publishes its locks again; agent-locks fleet status names more"
	if odd := v.Remarks.MayBeLocks; odd.Count > 0 {
		x.add(SeverityProblem, fix, "what others have published may be locks, and cannot be read, %d times: %s", odd.Count,
			firstOf(odd.Texts))
	}
	if odd := v.Remarks.Strays; odd.Count > 0 {
		x.add(SeverityNote, fix, "what others have published is not a lock, and is ignored, %d times: %s", odd.Count,
			firstOf(odd.Texts))
	}
	x.clocks(v)
}

func firstOf(texts []string) string { return strings.Join(texts[:min(len(texts), maxNamed)], "; ") }

// clocks finds clocks of other clones that are ahead: those with a heartbeat later than
// when it was first seen here.
func (x *fleetExam) clocks(v *fleet.View) {
	ahead := map[string]time.Duration{}
	for _, l := range v.Locks {
		if by := l.Lock.Updated.Sub(l.Since); by > skewed {
			ahead[l.Clone] = max(ahead[l.Clone], by)
		}
	}
	for _, m := range membersOf(v.Locks) {
		if by := ahead[m.Clone]; by > 0 {
			x.add(SeverityNote, "set that clock, or this one", "the clock of clone %q is ahead of this one by %s",
				cmp.Or(m.Label, m.Clone), rules.Age(int64(by/time.Second)))
		}
	}
}

// own examines what this clone shares.
func (x *fleetExam) own(v *fleet.View) {
	read, err := x.call.dir.List(x.call.ctx, disk.ActiveOnly)
	if err != nil {
		return // another check reports it
	}
	var s FleetState
	s.addOwn(read.Entries, v)
	if copied := v.Self.Copied; !copied.IsZero() {
		original := slices.DeleteFunc(read.Entries, func(e disk.Entry) bool { return !e.Lock.Created.Before(copied) })
		if len(original) > 0 {
			x.add(SeverityNote, "finish them here: the original still has them",
				"this clone is a copy of another one, found at %s: %d of its locks are the original's, and are not shared",
				lockfile.FormatStamp(copied), len(original))
			return
		}
	}
	if len(s.Lost) > 0 {
		x.add(SeverityNote, "talk to the other clone, then finish or narrow them",
			"another clone came first for what these claim: %s", strings.Join(s.Lost, ", "))
	}
	sound := !slices.ContainsFunc(x.findings, func(f Finding) bool { return f.Severity == SeverityProblem })
	g, err := fleet.GlanceAt(x.call.dir, &x.call.tip)
	if err == nil && g.Why != "" && sound { // otherwise a problem above says why
		sound = false
		x.add(SeverityProblem, "agent-locks fleet sync tries again, and names the way out",
			"the last try to publish failed at %s: %s", lockfile.FormatStamp(g.Tried), g.Why)
	}
	if len(s.Unpublished) > 0 {
		x.add(SeverityNote, "agent-locks fleet sync publishes them", "other clones do not know these yet: %s",
			strings.Join(s.Unpublished, ", "))
		return
	}
	if !sound {
		return // it is not known what is published now
	}
	x.add(SeverityOK, "", "this clone is %q, and all that it shares is published; other clones with locks: %d",
		v.Self.Clone, len(membersOf(v.Locks)))
}

package store

import (
	"fmt"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// A FleetMember is another clone that has active locks.
type FleetMember struct {
	Clone    string `json:"clone"`
	Label    string `json:"label,omitempty"`
	Locks    int    `json:"locks"`
	LastSeen string `json:"last_seen"` // newest heartbeat of its locks, but no later than first seen here
}

// membersOf counts the other clones' active locks.
func membersOf(locks []fleet.Lock) []FleetMember {
	members := []FleetMember{}
	for _, l := range locks {
		if l.Lock.Status != lockfile.Active {
			continue
		}
		i := slices.IndexFunc(members, func(m FleetMember) bool { return m.Clone == l.Clone })
		if i < 0 {
			i, members = len(members), append(members, FleetMember{Clone: l.Clone})
		}
		m := &members[i]
		m.Locks++
		seen := lockfile.FormatStamp(earlier(l.Lock.Updated.Time, l.Since))
		if seen >= m.LastSeen { // stamps sort like times
			m.LastSeen, m.Label = seen, l.Lock.Published.Label
		}
	}
	return members
}

// addOwn adds how this clone's own active locks are shared.
func (s *FleetState) addOwn(entries []disk.Entry, v *fleet.View) {
	for _, e := range entries {
		id := e.Lock.ID
		_, stands := v.Mine[id]
		switch how := e.Lock.Published.Fleet; {
		case e.Done(), how == fleetClaiming:
		case how == fleetLocal:
			s.Local = append(s.Local, id)
		case ofOriginal(&e.Lock, v) && !stands:
			s.Copied = append(s.Copied, id)
		case how == fleetLost:
			s.Lost = append(s.Lost, id)
		case stands && how == fleetConfirmed:
			s.Confirmed = append(s.Confirmed, id)
		case !stands:
			s.Unpublished = append(s.Unpublished, id)
		}
	}
}

// ofOriginal reports whether a lock belongs to the clone that this one is a copy of, and
// was not judged there. It is not published from here.
func ofOriginal(l *lockfile.Lock, v *fleet.View) bool {
	return l.Created.Time.Before(v.Self.Copied) && l.Published.Nonce == "" && l.Published.Fleet == ""
}

// addLooks adds the results of the last looks.
func (s *FleetState) addLooks(v *fleet.View) {
	s.Epoch, s.Ignored, s.Unread = v.Tip.Epoch, v.Remarks.Texts(), v.Remarks.MayBeLocks.Count
	if !v.Looked.IsZero() {
		s.AsOf = lockfile.FormatStamp(v.Looked)
	}
	if !v.Lost.IsZero() {
		s.RefLost = lockfile.FormatStamp(v.Lost)
	}
	if v.Behind > 0 {
		s.SetBack = fmt.Sprintf("at change %d, and was at %d before", v.Behind, v.Tip.Seq)
	}
	switch {
	case v.Broken != nil:
		s.LastError = v.Broken.Why
	case v.Failed.After(v.Looked):
		s.LastError, s.FailedAt = v.Words, lockfile.FormatStamp(v.Failed)
	}
}

package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// FleetOn explains in four lines what sharing means.
func FleetOn(w io.Writer, s store.FleetState) {
	fmt.Fprintf(w, "on: %s accepts %s, and this clone is %s there\n", Plain(s.Remote), Plain(s.Ref), fleetName(s))
	fmt.Fprintf(w, "anyone who can read the repository can read %s, even deleted ones until the host cleans up\n",
		published(s.Share))
	fmt.Fprintln(w, "claims with --if-free or --wait now succeed only once the remote has accepted them; "+
		"--local skips that")
	fmt.Fprintf(w, "%s of %s known; `agent-locks fleet off` withdraws this clone\n",
		Count(s.Others, "lock"), Count(s.Clones, "other clone"))
}

// FleetStatus shows how this clone's locks stand with the other clones.
func FleetStatus(w io.Writer, s store.FleetState) {
	if !s.On {
		fmt.Fprintln(w, "off: this clone shares no locks")
		return
	}
	fmt.Fprintf(w, "on: %s, through %s on %s\n", fleetName(s), Plain(s.Ref), Plain(s.Remote))
	writeLooks(w, s)
	fmt.Fprintf(w, "published: %s (%s)\n", Count(len(s.Published), "lock"), published(s.Share))
	for _, own := range []struct {
		ids []string
		why string
	}{
		{s.Confirmed, "confirmed by the remote: %s\n"},
		{s.Unpublished, "unpublished: %s; agent-locks fleet sync tries now\n"},
		{s.Copied, "not published, from before this clone was copied: %s; finish them here, and claim again what you " +
			"work on\n"},
		{s.Lost, "lost, another clone came first: %s\n"},
		{s.Local, "local, for this clone alone: %s\n"},
	} {
		if len(own.ids) > 0 {
			fmt.Fprintf(w, own.why, listed(own.ids))
		}
	}
	fmt.Fprintf(w, "other clones: %s of %s; the ref has %s\n", Count(s.Others, "lock"), Count(s.Clones, "clone"),
		Count(int(s.Commits), "commit"))
	for _, m := range s.Members {
		fmt.Fprintf(w, "  %s  %s, last seen %s\n", memberName(m), Count(m.Locks, "lock"), Plain(m.LastSeen))
	}
	if s.Unread > 0 {
		fmt.Fprintf(w, "not read: %s; nobody knows what they cover\n", Count(s.Unread, "possible lock"))
	}
	for _, what := range s.Ignored {
		fmt.Fprintf(w, "ignored: %s\n", Short(what))
	}
}

// writeLooks says when the remote was last read, and what has failed since.
func writeLooks(w io.Writer, s store.FleetState) {
	asOf := "as of " + Plain(s.AsOf)
	if s.AsOf == "" {
		asOf = "no look at the remote has succeeded yet"
	}
	switch {
	case s.FailedAt != "":
		fmt.Fprintf(w, "%s; failed at %s: %s\n", asOf, Plain(s.FailedAt), Short(s.LastError))
	case s.LastError != "":
		fmt.Fprintf(w, "%s; what is there now cannot be read: %s\n", asOf, Short(s.LastError))
	default:
		fmt.Fprintln(w, asOf)
	}
	if s.SetBack != "" {
		fmt.Fprintf(w, "the ref was set back: it is %s; a replica that lags catches up, else agent-locks fleet reset "+
			"accepts it\n", Plain(s.SetBack))
	}
	if s.RefLost != "" {
		fmt.Fprintf(w, "the ref was found deleted or replaced at %s; live locks were kept\n", Plain(s.RefLost))
	}
}

// listed joins ids to a list that fits on a line.
func listed(ids []string) string {
	const most = 5
	text := Plain(strings.Join(ids[:min(most, len(ids))], ", "))
	if more := len(ids) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func memberName(m store.FleetMember) string {
	if m.Label == "" {
		return Plain(m.Clone)
	}
	return Short(m.Label) + " (" + Plain(m.Clone) + ")"
}

func fleetName(s store.FleetState) string {
	clone := Plain(s.Clone)
	if clone == "" {
		clone = "no id yet: the first sync draws one"
	}
	if s.Label == "" {
		return clone
	}
	return Plain(s.Label) + " (" + clone + ")"
}

func published(share string) string {
	text := "titles, scopes, agent ids, branches and times"
	if share == "all" {
		text += ", tasks and notes"
	}
	return text
}

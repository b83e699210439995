package render

import (
	"fmt"
	"io"

	"github.com/agent-locks/agent-locks/store"
)

// FleetOn says what sharing means, in four lines.
func FleetOn(w io.Writer, s store.FleetState) {
	fmt.Fprintf(w, "on: %s takes %s, and this clone is %s there\n", Plain(s.Remote), Plain(s.Ref), fleetName(s))
	fmt.Fprintf(w, "who can read the repository reads %s, deleted ones until the host cleans up\n", published(s.Share))
	fmt.Fprintln(w, "claims with --if-free or --wait now succeed only once the remote has taken them; --local "+
		"does without")
	fmt.Fprintf(w, "%s of %s known; `agent-locks fleet off` withdraws this clone\n",
		Count(s.Others, "lock"), Count(s.Clones, "other clone"))
}

// FleetStatus says how a clone stands with the others.
func FleetStatus(w io.Writer, s store.FleetState) {
	if !s.On {
		fmt.Fprintln(w, "off: this clone shares no locks")
		return
	}
	fmt.Fprintf(w, "on: %s, through %s on %s\n", fleetName(s), Plain(s.Ref), Plain(s.Remote))
	if s.AsOf == "" {
		fmt.Fprintln(w, "no look at the remote has succeeded yet")
		return
	}
	fmt.Fprintf(w, "%s published, %s of %s known, as of %s\n",
		Count(len(s.Published), "lock"), Count(s.Others, "lock"), Count(s.Clones, "other clone"), Plain(s.AsOf))
	fmt.Fprintf(w, "published: %s; %s in the chain\n", published(s.Share), Count(int(s.Commits), "commit"))
}

func fleetName(s store.FleetState) string {
	if s.Label == "" {
		return Plain(s.Clone)
	}
	return Plain(s.Label) + " (" + Plain(s.Clone) + ")"
}

func published(share string) string {
	text := "titles, scopes, agent ids, branches and times"
	if share == "all" {
		text += ", tasks and notes"
	}
	return text
}

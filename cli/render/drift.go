package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// Drift reports, for each lock, which files changed outside its scope.
func Drift(w io.Writer, drifts []store.LockDrift) {
	if len(drifts) == 0 {
		fmt.Fprintln(w, "no active lock of yours was made from this worktree")
	}
	for _, d := range drifts {
		writeDrift(w, d)
	}
}

func writeDrift(w io.Writer, d store.LockDrift) {
	switch d.Outcome {
	case store.NothingChanged:
		fmt.Fprintf(w, "%s: nothing changed\n", Plain(d.LockID))
	case store.Covered:
		fmt.Fprintf(w, "%s: covers all that changed (%s)\n", Plain(d.LockID), Count(len(d.Changed), "file"))
	default:
		fmt.Fprintf(w, "%s: %s changed outside its scope\n", Plain(d.LockID), Count(len(d.Outside), "file"))
	}
	holds := map[string][]store.Held{}
	for _, h := range d.HeldByOthers {
		holds[h.Path] = append(holds[h.Path], h)
	}
	var free []string
	for _, path := range d.Outside {
		fmt.Fprintf(w, "  %s\n", Plain(path))
		for _, h := range holds[path] {
			verb := ""
			if !h.Exact {
				verb = "may be "
			}
			fmt.Fprintf(w, "    %sheld by %s (%s): %s\n", verb, AgentName(h.AgentID), Plain(h.Title), Plain(h.LockID))
		}
		if len(holds[path]) == 0 {
			free = append(free, path)
		}
	}
	if len(free) > 0 {
		fmt.Fprintf(w, "next: agent-locks update %s %s\n", Plain(d.LockID), widening(free))
	}
}

// widening are the flags that add these files to a scope, spelt out where that
// is for the shell to read and not too long for people.
func widening(files []string) string {
	const most = 5
	if len(files) > most {
		return "--add-scope ..."
	}
	var flags []string
	for _, f := range files {
		flags = append(flags, "--add-scope "+Entries([]string{f}))
	}
	return strings.Join(flags, " ")
}

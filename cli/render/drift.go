package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// Drift reports for each lock which files changed outside its scope. some says
// that only the locks on certain files were asked for.
func Drift(w io.Writer, drifts []store.LockDrift, some bool, by Caller) {
	switch {
	case len(drifts) > 0:
	case some:
		fmt.Fprintln(w, "no active lock of yours that was made from this worktree overlaps that")
	default:
		fmt.Fprintln(w, "no active lock of yours on files was made from this worktree")
	}
	for _, d := range drifts {
		writeDrift(w, d, by)
	}
}

func writeDrift(w io.Writer, d store.LockDrift, by Caller) {
	switch d.Outcome {
	case store.NothingChanged:
		fmt.Fprintf(w, "%s: nothing changed\n", Plain(d.LockID))
	case store.Covered:
		fmt.Fprintf(w, "%s: covers all that changed (%s)\n",
			Plain(d.LockID), Count(max(len(d.Changed), d.ChangedFiles), "file"))
	default:
		fmt.Fprintf(w, "%s: %s changed outside its scope\n",
			Plain(d.LockID), Count(max(len(d.Outside), d.OutsideFiles), "file"))
	}
	var free []string
	written := make([]bool, len(d.HeldByOthers))
	for _, line := range d.Outside {
		fmt.Fprintf(w, "  %s\n", Plain(line))
		held := false
		for i, h := range d.HeldByOthers {
			if within(h.Path, line) && !written[i] {
				writeHeld(w, h, line)
				written[i] = true
			}
			held = held || within(h.Path, line) || within(line, h.Path)
		}
		if !held && place(line) != "./" { // which would claim everything
			free = append(free, store.ScopeEntry(place(line)))
		}
	}
	for i, h := range d.HeldByOthers { // those in a directory that no line covers
		if !written[i] {
			writeHeld(w, h, "")
		}
	}
	if len(free) > 0 && !d.NotYours {
		flags, more := widening(free)
		fmt.Fprintf(w, "next: agent-locks update %s%s%s\n", Plain(d.LockID), flags, by.flags())
		if more > 0 {
			fmt.Fprintf(w, "and %d more: run drift again after that\n", more)
		}
	}
}

// place returns the file or directory that a line of drift stands for.
func place(line string) string {
	if dir, many := store.SummedDirectory(line); many {
		return dir
	}
	return line
}

// within reports whether the file or directory of one line is inside the other's.
func within(line, other string) bool {
	if line == other {
		return true
	}
	dir, many := store.SummedDirectory(other)
	return many && (dir == "./" || strings.HasPrefix(place(line), dir))
}

// writeHeld names the holder of a place, and the place unless line already does.
func writeHeld(w io.Writer, h store.Held, line string) {
	text := "held"
	if !h.Exact {
		text = "may be held"
	}
	if h.Path != line {
		text = Plain(h.Path) + " " + text
	}
	fmt.Fprintf(w, "    %s by %s (%s): %s\n", text, AgentName(h.AgentID), Short(h.Title), Plain(h.LockID))
}

// widening returns flags that add entries to a scope, and the number of entries
// that are too many to list.
func widening(entries []string) (flags string, more int) {
	shown := entries[:min(len(entries), shownWords)]
	for _, entry := range shown {
		flags += " --add-scope " + shell.Word(entry)
	}
	return flags, len(entries) - len(shown)
}

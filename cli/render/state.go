package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// The shared state. Its texts are other people's, and may contain anything.

// StateText writes the value of an entry: byte for byte unless stdout is a terminal.
func StateText(w io.Writer, e store.StateEntry, screen Screen) {
	if screen.Width == 0 {
		fmt.Fprint(w, e.Text)
		return
	}
	if text := PlainLines(e.Text); text != "" {
		fmt.Fprintln(w, strings.TrimSuffix(text, "\n"))
	}
}

// StateWritten shows the result of a write in the given mode.
func StateWritten(mode string) func(io.Writer, store.StateWritten) {
	return func(w io.Writer, s store.StateWritten) {
		switch {
		case mode == store.StateDelete:
			fmt.Fprintf(w, "deleted %s, as version %d\n", Plain(s.Name), s.Version)
		case s.Value != nil:
			fmt.Fprintln(w, *s.Value)
		default:
			fmt.Fprintf(w, "%s is at version %d\n", Plain(s.Name), s.Version)
		}
	}
}

// StatesDeleted lists the entries that were deleted or, in a dry run, would be.
func StatesDeleted(w io.Writer, gone []store.StateWritten, dryRun bool) {
	for _, s := range gone {
		if dryRun {
			fmt.Fprintf(w, "would delete %s, which is at version %d\n", Plain(s.Name), s.Version)
		} else {
			StateWritten(store.StateDelete)(w, s)
		}
	}
	switch {
	case len(gone) == 0:
		fmt.Fprintln(w, "no entry has this prefix")
	case dryRun:
		fmt.Fprintln(w, "nothing is deleted without --yes")
	}
}

// StateConflict writes the current text that a refused write would have replaced.
func StateConflict(w io.Writer, c store.StateConflict) {
	if c.Code != store.VersionConflict || c.Version == 0 || c.Deleted {
		return
	}
	const most = 4 << 10
	fmt.Fprintf(w, "version %d of %s:\n", c.Version, Plain(c.Name))
	text := c.Text
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + Ellipsis
	}
	for line := range strings.Lines(PlainLines(text)) {
		fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// StateList shows entries as a table, and the number of entries in each namespace.
func StateList(w io.Writer, l store.StateListing, screen Screen) {
	if len(l.Entries) == 0 {
		fmt.Fprintln(w, "no entries found")
		return
	}
	cell := func(of func(store.StateSummary) string) []string {
		text := make([]string, len(l.Entries))
		for i, e := range l.Entries {
			text[i] = Short(of(e))
		}
		return text
	}
	writeTable(w, []column{
		{head: "NAME", cells: cell(func(e store.StateSummary) string { return e.Name })},
		{head: "VERSION", cells: cell(func(e store.StateSummary) string { return fmt.Sprint(e.Version) })},
		{head: "CHANGED", cells: cell(func(e store.StateSummary) string { return e.Updated }), drop: 2},
		{head: "WHO", cells: cell(func(e store.StateSummary) string { return orDash(deref(e.AgentID)) }),
			enough: 16, least: 8},
		{head: "SCOPE", cells: cell(func(e store.StateSummary) string { return orDash(strings.Join(e.Scope, ", ")) }),
			enough: 24, least: 8, drop: 1},
		{head: "TEXT", cells: cell(func(e store.StateSummary) string { return e.FirstLine }), enough: 24, least: 8},
	}, screen)
	if len(l.Namespaces) > 1 {
		var counts []string
		for _, n := range l.Namespaces {
			name := Plain(n.Namespace) + "/"
			if n.Namespace == "" {
				name = "none"
			}
			counts = append(counts, fmt.Sprintf("%s %d", name, n.Entries))
		}
		fmt.Fprintf(w, "\nby namespace: %s\n", strings.Join(counts, ", "))
	}
}

// StateLog shows the versions of an entry.
func StateLog(w io.Writer, l store.StateListing, screen Screen) {
	cell := func(of func(store.StateVersion) string) []string {
		text := make([]string, len(l.Versions))
		for i, v := range l.Versions {
			text[i] = Short(of(v))
		}
		return text
	}
	writeTable(w, []column{
		{head: "VERSION", cells: cell(func(v store.StateVersion) string { return fmt.Sprint(v.Version) })},
		{head: "WRITTEN", cells: cell(func(v store.StateVersion) string { return v.Updated })},
		{head: "WHO", cells: cell(func(v store.StateVersion) string { return orDash(deref(v.AgentID)) }),
			enough: 16, least: 8},
		{head: "TEXT", cells: cell(func(v store.StateVersion) string {
			if v.Deleted {
				return "(deleted)"
			}
			return v.FirstLine
		}), enough: 24, least: 8},
	}, screen)
}

func writeTable(w io.Writer, columns []column, screen Screen) {
	t := newTable(columns, screen)
	fmt.Fprintln(w, strings.TrimRight(t.head(), " "))
	for n := range t.rows() {
		fmt.Fprintln(w, strings.TrimRight(t.row(n), " "))
	}
}

// StateNames returns a line that names the entries of the shared state about
// claimed files, or nil if there are none.
func StateNames(told []store.ToldState, leftOut int) []string {
	if len(told) == 0 {
		return nil
	}
	var names []string
	for _, s := range told {
		names = append(names, fmt.Sprintf("%s (version %d)", Plain(s.Name), s.Version))
	}
	text := "the shared state has entries about these files: " + strings.Join(names, ", ")
	if leftOut > 0 {
		text += fmt.Sprintf(" and %d more", leftOut)
	}
	return []string{text + ": agent-locks state get"}
}

// writeState lists the entries of the shared state about claimed files.
func writeState(w io.Writer, told []store.ToldState, leftOut int) {
	for _, s := range told {
		who := ""
		if s.AgentID != nil {
			who = ", by " + Plain(*s.AgentID)
		}
		fmt.Fprintf(w, "state %s, version %d%s, %s\n", Plain(s.Name), s.Version, who, Plain(s.Updated))
		for line := range strings.Lines(PlainLines(s.Text)) {
			fmt.Fprintf(w, "  %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	if leftOut > 0 {
		fmt.Fprintf(w, "and %d more: agent-locks state list\n", leftOut)
	}
}

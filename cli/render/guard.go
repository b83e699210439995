package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// Bypass is the variable that lets one commit through the guard.
const Bypass = "AGENT_LOCKS_BYPASS=1"

// Guarded reports what the commit guard found. A clear commit is reported on
// stdout, unless quiet. Findings go to stderr, with our prefix since they
// appear amid git's own output. Only a person is told how to bypass the guard.
func Guarded(stdout, stderr io.Writer, g store.Guarded, quiet, person bool) {
	switch g.Verdict {
	case store.GuardClear:
		switch {
		case quiet:
		case g.Staged && g.Files == 0:
			fmt.Fprintln(stdout, "clear: nothing is staged")
		case g.Incomplete != "":
			fmt.Fprintf(stdout, "clear of what is known here: nobody is known to hold any of %s, but %s\n",
				Count(g.Files, "file"), g.Incomplete)
		default:
			fmt.Fprintf(stdout, "clear: nobody else holds any of %s\n", Count(g.Files, "file"))
		}
	case store.GuardOff:
		if !quiet {
			fmt.Fprintln(stdout, "off: nothing was checked")
		}
	case store.GuardBypassed:
		fmt.Fprintf(stderr, "agent-locks: %s: this commit was not checked%s\n", Bypass, noted(g.Noted))
	case store.GuardFailed: // already reported by a warning
	default:
		writeFindings(stderr, g, person)
	}
}

// noted says which locks got a note that they were bypassed.
func noted(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "; noted on " + Plain(strings.Join(ids, ", "))
}

// writeFindings names those whose locks stand against the commit, and every way out.
func writeFindings(w io.Writer, g store.Guarded, person bool) {
	blocked := g.Verdict == store.GuardBlocked
	if n := len(g.Blocked); n > 0 {
		fmt.Fprintf(w, "agent-locks: %s files that somebody else %s:\n", guardVerb(g), holdVerb(g.Blocked))
		for _, h := range g.Blocked {
			writeHold(w, h, person || g.You == nil)
		}
	}
	if len(g.Unclaimed) > 0 {
		fmt.Fprintf(w, "agent-locks: %s files that no lock of yours covers (agentlocks.requireClaim):\n", guardVerb(g))
		writeFiles(w, g.Unclaimed)
	}
	if len(g.Warned) > 0 {
		fmt.Fprintln(w, "agent-locks: worth knowing, but no reason to refuse:")
		for _, h := range g.Warned {
			writeHold(w, h, person || g.You == nil)
		}
	}
	if blocked {
		writeWaysOut(w, g, person)
	}
}

// holdVerb says whether somebody certainly holds the files, or only may.
func holdVerb(holds []store.Hold) string {
	if slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Exact }) {
		return "holds"
	}
	return "may hold"
}

func guardVerb(g store.Guarded) string {
	switch {
	case g.Verdict == store.GuardBlocked:
		return "refused: this commit changes"
	case g.Squash:
		return "warning: this squash merge changes"
	default:
		return "warning: this commit changes"
	}
}

// shownFiles is how many files of one lock are listed; --json lists all.
const shownFiles = 10

func writeFiles(w io.Writer, files []string) {
	for i, f := range files {
		if i == shownFiles {
			fmt.Fprintf(w, "  and %d more\n", len(files)-i)
			return
		}
		fmt.Fprintf(w, "  %s\n", Plain(f))
	}
}

// writeHold says who holds files, and for what. mayPass is false for an agent
// with an id of its own: told how to act as the holder, it would only pose as
// somebody else.
func writeHold(w io.Writer, h store.Hold, mayPass bool) {
	writeFiles(w, h.Files)
	fmt.Fprintf(w, "    %s\n", HoldText("", h))
	fmt.Fprintf(w, "    lock %s, since %s, last seen %s ago\n",
		Plain(h.ID), Plain(h.Created), store.Age(h.StaleForSeconds))
	if h.Worktree != "" {
		where := "in " + Short(h.Worktree)
		if h.WorktreeGone {
			where += " (gone)"
		}
		if h.Branch != "" {
			where += " on branch " + Short(h.Branch)
		}
		fmt.Fprintf(w, "    %s\n", where)
	}
	switch {
	case h.Whose == store.WhoseEnded:
		fmt.Fprintln(w, "    made from your own worktree, by a session that has ended")
	case h.Whose == store.WhoseContested:
		fmt.Fprintln(w, "    made from your own worktree, by a session that has ended")
		fmt.Fprintln(w, "    another session ended there, too, so nobody can tell whose work it is")
	case h.Whose == store.WhoseLive:
		fmt.Fprintln(w, "    made from your own worktree, by another live session there")
	case h.Whose == store.WhoseUnknown && mayPass: // git commit has no --agent flag
		fmt.Fprintf(w, "    made from this worktree by \"%s\"; if that is you, pass --agent %s (for a commit: "+
			"AGENT_LOCKS_AGENT_ID=%[2]s)\n", holderName(h), shell.Word(*h.AgentID))
	case h.Whose == store.WhoseUnknown:
		fmt.Fprintf(w, "    made from your worktree by \"%s\"; if that was you under an earlier id, ask the person you "+
			"work for\n",
			holderName(h))
	}
	if h.LastNote != "" {
		fmt.Fprintf(w, "    last note: %s\n", Plain(h.LastNote))
	}
}

// waitSeconds is the timeout that a refusal suggests: agents' shells often kill
// a command after ten minutes.
const waitSeconds = 600

// writeWaysOut ends a refusal with every command that the reader may need. Only
// a person is told how to bypass the guard: an agent that reads it does it.
func writeWaysOut(w io.Writer, g store.Guarded, person bool) {
	fmt.Fprintln(w, "ways out:")
	if len(g.Blocked) > 0 {
		writeCoordinate(w, g.Blocked)
		files := blockedFiles(g)
		fmt.Fprintf(w, "  wait        until the files are free: agent-locks wait --timeout %d -- %s\n",
			waitSeconds, Entries(files))
		paths := make([]string, len(files))
		for i, f := range files {
			paths[i] = cmp.Or(g.Spelled[f], f)
		}
		if g.Merge { // the reader must know which side is right
			fmt.Fprintf(w, "  narrow      leave them as you had them: %s\n", OnPaths("git reset -q", paths))
			fmt.Fprintf(w, "              or as what you merge has them: %s\n", OnPaths("git checkout -q MERGE_HEAD", paths))
		} else {
			fmt.Fprintf(w, "  narrow      commit without them (and without -a): %s\n", OnPaths("git reset -q", paths))
		}
	}
	named := map[string]bool{}
	for _, h := range g.Blocked {
		if named[h.ID] {
			continue
		}
		named[h.ID] = true
		switch id := shell.Word(h.ID); h.Whose {
		case store.WhoseChild:
			fmt.Fprintf(w, "  finish      you started %s; when it is done: agent-locks finish %s --agent %s\n",
				holderName(h), id, shell.Word(*g.You))
		case store.WhoseEnded, store.WhoseContested:
			if g.You != nil {
				fmt.Fprintf(w, "  take over   if you continue that work: %s\n", TakeOver("", h.Summary, *g.You))
			}
		case store.WhoseGone:
			fmt.Fprintf(w, "  end         if nobody works on it any longer: agent-locks finish %s --force; once it is "+
				"stale, agent-locks reap %s\n", id, id)
		}
	}
	if len(g.Unclaimed) > 0 {
		agent := ""
		if g.You != nil {
			agent = " --agent " + shell.Word(*g.You)
		}
		fmt.Fprintf(w, "  claim       agent-locks claim --title 'what you change'%s -- %s\n", agent, Entries(g.Unclaimed))
	}
	if person {
		note := ""
		if slices.ContainsFunc(g.Blocked, func(h store.Hold) bool { return h.Clone == "" }) {
			note = " (the lock gets a note of it)"
		}
		fmt.Fprintf(w, "  bypass      commit anyway%s: %s git commit\n", note, Bypass)
	} else {
		fmt.Fprintln(w, "  ask         the person you work for, if none of these helps")
	}
}

// TakeOver returns the command that gives an agent the lock of a holder that
// has ended. The command names the current holder, so of two agents only the
// first succeeds. flag selects the store.
func TakeOver(flag string, s store.Summary, to string) string {
	says := "--force"
	if s.AgentID != nil {
		if id, err := lockfile.CleanAgent(*s.AgentID); err == nil && id == *s.AgentID {
			says = "--agent " + shell.Word(id)
		}
	}
	return fmt.Sprintf("agent-locks update %s%s --hand-to %s %s", flag, shell.Word(s.ID), shell.Word(to), says)
}

// holderName names the holder in a suggestion to ask it.
func holderName(h store.Hold) string {
	if h.AgentID == nil {
		return "the holder"
	}
	return Short(*h.AgentID)
}

// maxAsked is how many holders are listed to be asked: each line costs the reader.
const maxAsked = 3

// Holders returns the locks among blocked, each once and at most three, and the
// number of further ones.
func Holders(blocked []store.Hold) (asked []store.Hold, more int) {
	seen := map[string]bool{}
	for _, h := range blocked {
		if !seen[h.ID] {
			seen[h.ID] = true
			asked = append(asked, h)
		}
	}
	more = max(0, len(asked)-maxAsked)
	return asked[:len(asked)-more], more
}

func writeCoordinate(w io.Writer, blocked []store.Hold) {
	label := "coordinate"
	asked, more := Holders(blocked)
	for _, h := range asked {
		if h.Clone != "" { // notes do not leave their clone
			fmt.Fprintf(w, "  %-10s  ask %s to commit first, to finish, or to narrow the claim\n", label, Holder(h.Summary))
			label = ""
			continue
		}
		fmt.Fprintf(w, "  %-10s  ask %s to commit first, to finish, or to narrow the claim: agent-locks tell %s 'what you "+
			"need'\n",
			label, holderName(h), shell.Word(h.ID))
		label = ""
	}
	if more > 0 {
		fmt.Fprintf(w, "              and the holders of %s more\n", Count(more, "lock"))
	}
}

// blockedFiles returns all files that block a commit, each once.
func blockedFiles(g store.Guarded) []string {
	var files []string
	seen := map[string]bool{}
	for _, h := range g.Blocked {
		for _, f := range h.Files {
			if !seen[f] {
				seen[f] = true
				files = append(files, f)
			}
		}
	}
	return files
}

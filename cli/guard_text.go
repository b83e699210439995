package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// printGuarded answers on stdout where nothing is the matter. What a committer
// must read goes to stderr: git's own output is around it, so it has our prefix.
func (o *guardCheckOptions) printGuarded(w io.Writer, g store.Guarded) {
	switch g.Verdict {
	case store.GuardClear:
		if !o.quiet {
			fmt.Fprintf(w, "clear: nobody else holds any of %s\n", count(g.Files, "file"))
		}
	case store.GuardOff:
		if !o.quiet {
			fmt.Fprintln(w, "off: nobody looked")
		}
	case store.GuardBypassed:
		fmt.Fprintf(o.Stderr, "agent-locks: %s: this commit was not checked%s\n", bypass, noted(g.Noted))
	case store.GuardFailed: // a warning says why
	default:
		printFindings(o.Stderr, g, o.person())
	}
}

// noted says where a holder will read that its lock was passed by.
func noted(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "; noted on " + plain(strings.Join(ids, ", "))
}

// printFindings tells who stands against a commit and every way out.
func printFindings(w io.Writer, g store.Guarded, person bool) {
	blocked := g.Verdict == store.GuardBlocked
	if n := len(g.Blocked); n > 0 {
		fmt.Fprintf(w, "agent-locks: %s files that somebody else %s:\n", guardVerb(g), holdVerb(g.Blocked))
		for _, h := range g.Blocked {
			printHold(w, h)
		}
	}
	if len(g.Unclaimed) > 0 {
		fmt.Fprintf(w, "agent-locks: %s files that no lock of your own covers (agentlocks.requireClaim):\n", guardVerb(g))
		printFiles(w, g.Unclaimed)
	}
	if len(g.Warned) > 0 {
		fmt.Fprintln(w, "agent-locks: worth knowing, and no reason to refuse:")
		for _, h := range g.Warned {
			printHold(w, h)
		}
	}
	if blocked {
		printWaysOut(w, g, person)
	}
}

// holdVerb says whether somebody holds files, or only may.
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

// shownFiles is how many files of one lock are named; --json has them all.
const shownFiles = 10

func printFiles(w io.Writer, files []string) {
	for i, f := range files {
		if i == shownFiles {
			fmt.Fprintf(w, "  and %d more\n", len(files)-i)
			return
		}
		fmt.Fprintf(w, "  %s\n", plain(f))
	}
}

func printHold(w io.Writer, h store.Hold) {
	printFiles(w, h.Files)
	fmt.Fprintf(w, "    %s\n", render.HoldText("", h))
	fmt.Fprintf(w, "    lock %s, since %s, last sign of life %s ago\n", plain(h.ID), plain(h.Created), store.Age(h.StaleForSeconds))
	if h.Worktree != "" {
		where := "in " + plain(h.Worktree)
		if h.Branch != "" {
			where += " on branch " + plain(h.Branch)
		}
		fmt.Fprintf(w, "    %s\n", where)
	}
	if h.LastNote != "" {
		fmt.Fprintf(w, "    last note: %s\n", plain(h.LastNote))
	}
}

// waitSeconds is what a refusal proposes: agents' shells often end a command
// after ten minutes.
const waitSeconds = 600

// printWaysOut ends a refusal. Nothing is left for the reader to find out, but
// how to pass the guard by is told to a person only: an agent that reads it
// does it.
func printWaysOut(w io.Writer, g store.Guarded, person bool) {
	fmt.Fprintln(w, "ways out:")
	if len(g.Blocked) > 0 {
		h := g.Blocked[0]
		who := "the holder"
		if h.AgentID != nil {
			who = plain(*h.AgentID)
		}
		fmt.Fprintf(w, "  coordinate  ask %s to commit first, to finish, or to narrow the claim: agent-locks show %s\n", who, plain(h.ID))
		files := blockedFiles(g)
		fmt.Fprintf(w, "  wait        until the files are free: agent-locks wait --timeout %d -- %s\n", waitSeconds, entryWords(files))
		paths := make([]string, len(files))
		for i, f := range files {
			paths[i] = cmp.Or(g.Spelled[f], f)
		}
		if g.Merge { // which side's is right, its reader must know
			fmt.Fprintf(w, "  narrow      leave them as you had them: %s\n", onPaths("git reset -q", paths))
			fmt.Fprintf(w, "              or as what you merge has them: %s\n", onPaths("git checkout -q MERGE_HEAD", paths))
		} else {
			fmt.Fprintf(w, "  narrow      commit without them (and without -a): %s\n", onPaths("git reset -q", paths))
		}
	}
	if len(g.Unclaimed) > 0 {
		fmt.Fprintf(w, "  claim       agent-locks claim --title '...' --scope %s\n", entryWords(g.Unclaimed[:1]))
	}
	if person {
		fmt.Fprintf(w, "  bypass      commit all the same (the lock gets a note of it): %s git commit\n", bypass)
	} else {
		fmt.Fprintln(w, "  ask         the person you work for, where none of these will do")
	}
}

// blockedFiles are all files that stop a commit, each once.
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

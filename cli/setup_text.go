package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/cli/setup"
	"github.com/agent-locks/agent-locks/gitdir"
)

// A setUp is the result of setup for one client.
type setUp struct {
	Client  string      `json:"client"`
	Printed bool        `json:"printed,omitempty"` // nothing was written
	Files   []setUpFile `json:"files"`
}

type setUpFile struct {
	Path    string       `json:"path"`
	Action  setup.Action `json:"action"`
	Content string       `json:"content,omitempty"` // our entries, if nothing was written
}

// settings returns the result for one client.
func (a *app) settings(p clientPlan, o setupFlags) setUp {
	answer := setUp{Client: p.client, Printed: o.print}
	for _, c := range p.files {
		f := setUpFile{Path: c.Path, Action: c.Action}
		if o.print {
			f.Content = c.Entries
		}
		answer.Files = append(answer.Files, f)
	}
	return answer
}

func (a *app) reportSettings(client string, o setupFlags, changes []setup.Change) error {
	answer := a.settings(clientPlan{client, changes}, o)
	if a.json {
		return a.printJSON(answer)
	}
	if o.print {
		printPlan(a.out, answer, o.remove)
		return a.flush()
	}
	for _, f := range answer.Files {
		fmt.Fprintf(a.out, "%s %s\n", f.Action, render.Plain(f.Path))
	}
	if !o.remove {
		_, err := gitdir.LookPath(a.Environ(), "", "agent-locks")
		fmt.Fprintln(a.out, next(client, o.user, err == nil || o.remote != nil || o.user && a.native() != ""))
	}
	return a.flush()
}

// printPlan shows only our entries: the rest of a user's settings may be long
// and contain secrets.
func printPlan(w io.Writer, answer setUp, remove bool) {
	would := map[setup.Action]string{
		setup.Created:   "would create %s:\n%s",
		setup.Changed:   "would change %s to contain:\n%s",
		setup.Unchanged: "would not change %s, which already contains:\n%s",
		setup.Manual:    "add by hand to %s:\n%s",
	}
	if remove {
		would = map[setup.Action]string{
			setup.Changed:   "would remove from %s:\n%s",
			setup.Removed:   "would delete %s, which contains only:\n%s",
			setup.Unchanged: "would not change %s, which contains none of:\n%s",
			setup.Manual:    "remove by hand from %s:\n%s",
		}
	}
	for _, f := range answer.Files {
		fmt.Fprintf(w, would[f.Action], render.Plain(f.Path), f.Content)
	}
}

// next returns what the user has to do now. found reports whether the client
// will find the program: clients that do not say little about it.
func next(client string, user, found bool) string {
	text := "restart the client"
	switch {
	case client == setup.AgentsMD:
		return "next: commit AGENTS.md; the other worktrees get it with that"
	case client == "vscode":
		text = "start the server agent-locks (MCP: List Servers)"
	case client == "claude" && !user:
		text = "restart Claude Code, and approve the server when asked"
	}
	if !found {
		text = "put agent-locks on the PATH; " + text
	}
	if !user {
		text += "; other worktrees get it once these settings are committed (or use --user)"
	}
	return "next: " + text
}

// printInstruction prints what to add by hand.
func (a *app) printInstruction(i setup.Instruction, o setupFlags) error {
	if o.remove {
		return usage("remove agent-locks from "+i.User+" by hand",
			"setup writes nothing for %q, so there is nothing to remove", i.Client)
	}
	places := []string{i.Shared, i.User}
	if o.user || i.Shared == "" {
		places = places[1:]
	}
	if a.json {
		answer := setUp{Client: i.Client, Printed: true}
		for _, p := range places {
			answer.Files = append(answer.Files, setUpFile{Path: p, Action: setup.Manual, Content: i.Add})
		}
		return a.printJSON(answer)
	}
	fmt.Fprintf(a.out, "%s is not written to; add this to %s:\n\n%s",
		i.Title, strings.Join(places, " (this project) or "), i.Add)
	if i.Shell != "" {
		fmt.Fprintf(a.out, "\nor let the client add it:\n\n%s\n", i.Shell)
	}
	return a.flush()
}

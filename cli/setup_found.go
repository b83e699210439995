package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/cli/setup"
)

// setUpAll sets up the clients that it finds in the user's home, in the user's
// own settings, which apply to all worktrees. It asks first.
func (a *app) setUpAll(ctx context.Context, o setupFlags) error {
	o.user = true
	written, byHand, err := a.foundClients()
	if err != nil {
		return err
	}
	var plans []clientPlan
	var failed failures
	for _, client := range written {
		changes, err := setup.Plan(a.setupOptions(client, o))
		if err != nil {
			failed.add(a, client, err)
			continue
		}
		plans = append(plans, clientPlan{client, changes})
	}
	todo := slices.ContainsFunc(plans, clientPlan.changes)
	write := o.yes && !o.print
	if !a.json {
		if !write {
			a.showPlans(plans, o)
		}
		for _, client := range byHand {
			fmt.Fprintf(a.out, "%s: by hand; agent-locks setup %[1]s shows what to add\n", client)
		}
	}
	if !a.json && todo && !o.print && !o.yes {
		if write, err = a.confirm(ctx); err != nil {
			return err
		}
	}
	if write {
		for i := range plans {
			done, err := a.applySettings(plans[i].files)
			if err != nil {
				failed.add(a, plans[i].client, err)
				plans[i].files = plans[i].files[:done]
			}
		}
		plans = slices.DeleteFunc(plans, func(p clientPlan) bool { return len(p.files) == 0 })
	}
	return cmp.Or(a.reportPlans(plans, o, write), failed.err())
}

// failures are the clients that could not be set up or checked. Each is
// reported, and none keeps the others from being handled.
type failures []string

func (f *failures) add(a *app, client string, err error) {
	a.warn([]string{fmt.Sprintf("%s: %v", client, err)})
	if e, ok := errors.AsType[*setup.Refusal](err); ok && e.Hint != "" {
		a.warn([]string{fmt.Sprintf("%s: %s", client, e.Hint)})
	}
	if !slices.Contains(*f, client) {
		*f = append(*f, client)
	}
}

func (f failures) err() error {
	if len(f) == 0 {
		return nil
	}
	return usage("the warnings above say why; agent-locks setup <client> serves one alone",
		"not done for: %s", strings.Join(f, ", "))
}

type clientPlan struct {
	client string
	files  []setup.Change
}

func (p clientPlan) changes() bool {
	return slices.ContainsFunc(p.files, func(c setup.Change) bool { return c.Action != setup.Unchanged })
}

// foundClients returns the clients that have left files in the user's home.
func (a *app) foundClients() (written, byHand []string, err error) {
	if written, byHand, err = setup.Found(a.setupOptions("", setupFlags{})); err != nil {
		return nil, nil, refused(err)
	}
	if len(written)+len(byHand) == 0 {
		return nil, nil, usage("name one: clients are "+strings.Join(clients(), ", "), "no client was found in your home")
	}
	return written, byHand, nil
}

func (a *app) showPlans(plans []clientPlan, o setupFlags) {
	would := map[setup.Action]string{
		setup.Created: "would create", setup.Changed: "would change", setup.Removed: "would delete",
		setup.Unchanged: "would not change", setup.Manual: "cannot change",
	}
	for _, p := range plans {
		if o.print {
			fmt.Fprintf(a.out, "%s:\n", p.client)
			printPlan(a.out, a.settings(p, o), o.remove)
			continue
		}
		for _, c := range p.files {
			fmt.Fprintf(a.out, "%s: %s %s\n", p.client, would[c.Action], render.Plain(c.Path))
		}
	}
}

// confirm asks the person at the terminal. Without a terminal nothing is
// confirmed.
func (a *app) confirm(ctx context.Context) (bool, error) {
	if !a.StdinIsTerminal {
		fmt.Fprintln(a.out, "nothing was written; --yes writes it")
		return false, a.flush()
	}
	if err := a.flush(); err != nil {
		return false, err
	}
	fmt.Fprint(a.Stderr, "write this? [y/N] ")
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be canceled; it is abandoned when ctx ends
		line, _ := bufio.NewReader(a.Stdin).ReadString('\n') // no answer means no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case line := <-answer:
		if line == "y" || line == "yes" {
			return true, nil
		}
		fmt.Fprintln(a.out, "nothing was written")
		return false, a.flush()
	}
}

func (a *app) reportPlans(plans []clientPlan, o setupFlags, written bool) error {
	answers := []setUp{}
	for _, p := range plans {
		for _, c := range p.files {
			a.warn(c.Warnings)
		}
		answer := a.settings(p, o)
		answer.Printed = !written
		answers = append(answers, answer)
	}
	if a.json {
		return a.printJSON(answers)
	}
	if written {
		for _, answer := range answers {
			for _, f := range answer.Files {
				fmt.Fprintf(a.out, "%s: %s %s\n", answer.Client, f.Action, render.Plain(f.Path))
			}
		}
		if !o.remove && len(plans) > 0 {
			fmt.Fprintln(a.out, "next: restart these clients; agent-locks guard install, in each repository, guards its commits")
		}
	}
	return a.flush()
}

// A checked reports how far a client is set up in one place.
type checked struct {
	Client string      `json:"client"`
	Where  string      `json:"where"` // user or project
	State  setup.State `json:"state"`
	Files  []setUpFile `json:"files"`
}

// checkSettings compares the settings of a client, or of all clients found,
// with what setup would write.
func (a *app) checkSettings(ctx context.Context, args []string, o setupFlags) error {
	names := args
	if len(args) == 0 {
		written, _, err := a.foundClients()
		if err != nil {
			return err
		}
		names = written
	} else if err := checkClient(args[0]); err != nil {
		return err
	} else if slices.Contains(byHand(), args[0]) {
		return usage("agent-locks setup "+args[0]+" shows what it should contain",
			"setup does not read the settings of %q", args[0])
	}
	project, perr := a.project(ctx)
	if perr != nil && len(args) == 0 {
		perr = nil // outside a repository only the user's own settings exist
	}
	if perr != nil && !o.user {
		return perr
	}
	all := []checked{}
	var failed failures
	wrong := false
	for _, client := range names {
		ready := false
		for _, user := range []bool{true, false} {
			if user && client == setup.AgentsMD || !user && (project == "" || o.user) {
				continue
			}
			options := a.setupOptions(client, setupFlags{user: user, force: true, tools: o.tools})
			options.Project = project
			c, err := checkPlace(options)
			if err != nil {
				failed.add(a, client, err)
				continue
			}
			ready = ready || c.State == setup.Ready
			wrong = wrong || c.State == setup.Differs
			all = append(all, c)
		}
		wrong = wrong || !ready
	}
	return cmp.Or(a.reportChecked(all, o), failed.err(), answeredIf(wrong))
}

// answeredIf is the outcome of a check: exit code 1 if something is wrong.
func answeredIf(wrong bool) error {
	if wrong {
		return answered(exitError)
	}
	return nil
}

func checkPlace(options setup.Options) (checked, error) {
	state, changes, err := setup.Check(options)
	if err != nil {
		return checked{}, err
	}
	c := checked{Client: options.Client, Where: "project", State: state}
	if options.User {
		c.Where = "user"
	}
	for _, f := range changes {
		c.Files = append(c.Files, setUpFile{Path: f.Path, Action: f.Action})
	}
	return c, nil
}

func (a *app) reportChecked(all []checked, o setupFlags) error {
	if a.json {
		return a.printJSON(all)
	}
	for _, c := range all {
		where, command := "your own settings", "agent-locks setup "+c.Client+" --user"
		if c.Where == "project" {
			where, command = "this project's", "agent-locks setup "+c.Client
		}
		if o.tools != nil {
			command += " --tools " + *o.tools
		}
		switch c.State {
		case setup.Ready:
			fmt.Fprintf(a.out, "%s, %s: ready\n", c.Client, where)
		case setup.Differs:
			fmt.Fprintf(a.out, "%s, %s: not as setup would write them: %s --print\n", c.Client, where, command)
		case setup.Absent:
			fmt.Fprintf(a.out, "%s, %s: not set up; to do so: %s\n", c.Client, where, command)
		}
	}
	return a.flush()
}

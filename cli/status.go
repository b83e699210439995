package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

type statusOptions struct {
	*app
	request store.QueryRequest
	watch   bool
	every   time.Duration // how often watch looks
}

func newStatus(a *app) *cobra.Command {
	o := &statusOptions{app: a, request: store.QueryRequest{Status: lockfile.Active}, every: time.Second}
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "show who works on what now",
		Long:    "Show the active locks of this repository, from whichever worktree they were\nmade, and where they are kept.",
		Example: "  agent-locks status",
		Args:    noArgs("agent-locks list --scope <glob> shows only the locks that meet a scope"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context()) },
	}
	staleFlag(cmd.Flags(), &o.request.StaleMinutes)
	cmd.Flags().BoolVar(&o.watch, "watch", false, "go on and show it anew as it changes, until interrupted")
	return cmd
}

func (o *statusOptions) run(ctx context.Context) error {
	o.request.Target = o.target()
	if o.watch {
		return o.follow(ctx)
	}
	ans, err := o.locks.Query(ctx, o.request)
	return answer(o.app, ans, err, func(w io.Writer, rows []store.Summary) { o.print(w, ans.Dir, rows) })
}

// follow shows the locks anew whenever they differ from what was shown last.
// On a terminal the new picture takes the place of the old one.
func (o *statusOptions) follow(ctx context.Context) error {
	shown := ""
	for {
		ans, err := o.locks.Query(ctx, o.request)
		now, perr := o.picture(ans)
		if err := errors.Join(err, perr); err != nil || now != shown {
			if shown != "" && err == nil {
				o.beginAnew()
			}
			shown = now
			if err := answer(o.app, ans, err, func(w io.Writer, _ []store.Summary) { fmt.Fprint(w, now) }); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(o.every):
			if o.OutputGone != nil && o.OutputGone() {
				return nil
			}
		}
	}
}

// picture is what a look shows, but for what changes by the mere passing of
// seconds.
func (o *statusOptions) picture(ans store.Answer[[]store.Summary]) (string, error) {
	if !o.json {
		var b strings.Builder
		o.print(&b, ans.Dir, ans.Result)
		return b.String(), nil
	}
	rows := slices.Clone(ans.Result)
	for i := range rows {
		rows[i].StaleForSeconds = 0
	}
	line, err := store.Encode(rows)
	return string(line), err
}

func (o *statusOptions) beginAnew() {
	const clear = "\x1b[H\x1b[2J"
	switch {
	case o.json:
	case o.width() > 0:
		fmt.Fprint(o.out, clear)
	default:
		fmt.Fprintln(o.out)
	}
}

func (o *statusOptions) print(w io.Writer, dir string, rows []store.Summary) {
	printStore(w, dir)
	if len(rows) == 0 {
		fmt.Fprintln(w, "no active locks")
		return
	}
	printTable(w, []column{
		staleColumn(rows), agentColumn(rows), worktreeColumn(rows), branchColumn(rows),
		scopeColumn(rows), percentColumn(rows), titleColumn(rows), idColumn(rows),
	}, o.width(), o.coloured())
}

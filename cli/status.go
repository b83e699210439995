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

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

func newStatus(a *app) *cobra.Command {
	request := store.QueryRequest{Status: lockfile.Active}
	watch := false
	cmd := &cobra.Command{
		Use:     "status",
		Short:   "show who works on what now",
		Long:    "Show the active locks of this repository, from whichever worktree they were\nmade, and where they are kept.",
		Example: "  agent-locks status",
		Args:    noArgs("agent-locks list <glob> shows only the locks that overlap a scope"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request.Target = a.target()
			if watch {
				return a.watchStatus(cmd.Context(), request, time.Second)
			}
			ans, err := a.locks.Query(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, _ []store.Summary) { render.Status(w, ans, a.screen()) })
		},
	}
	staleFlag(cmd.Flags(), &request.StaleMinutes)
	cmd.Flags().BoolVar(&watch, "watch", false, "keep showing it, again at each change, until interrupted")
	return cmd
}

// watchStatus reads the locks every so often, and shows them again whenever
// they differ from what was shown last. On a terminal the new picture takes the
// place of the old one.
func (a *app) watchStatus(ctx context.Context, request store.QueryRequest, every time.Duration) error {
	shown := ""
	for {
		ans, err := a.locks.Query(ctx, request)
		now, perr := a.statusPicture(ans)
		if err := errors.Join(err, perr); err != nil || now != shown {
			if shown != "" && err == nil {
				a.clearScreen()
			}
			shown = now
			if err := answer(a, ans, err, func(w io.Writer, _ []store.Summary) { fmt.Fprint(w, now) }); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
			if a.OutputGone != nil && a.OutputGone() {
				return nil
			}
		}
	}
}

// statusPicture is what would be shown, except for what changes by the mere
// passing of seconds.
func (a *app) statusPicture(ans store.Answer[[]store.Summary]) (string, error) {
	if !a.json {
		var b strings.Builder
		render.Status(&b, ans, a.screen())
		return b.String(), nil
	}
	rows := slices.Clone(ans.Result)
	for i := range rows {
		rows[i].StaleForSeconds = 0
	}
	line, err := store.Encode(rows)
	return string(line), err
}

func (a *app) clearScreen() {
	const clear = "\x1b[H\x1b[2J"
	switch {
	case a.json:
	case a.screen().Width > 0:
		fmt.Fprint(a.out, clear)
	default:
		fmt.Fprintln(a.out)
	}
}

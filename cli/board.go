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

func newBoard(a *app) *cobra.Command {
	request := store.QueryRequest{Status: lockfile.Active}
	cmd := &cobra.Command{
		Use:   "board",
		Short: "keep showing who is working on what, by worktree",
		Long: "Keep showing the active locks by worktree, each with its next open task and last\n" +
			"note, until q or an interrupt. Without a terminal, or with --json, print them\n" +
			"once; agent-locks status --watch prints them at each change.",
		Example: "  agent-locks board",
		Args:    noArgs("agent-locks list --scope <glob> shows only the locks that overlap a scope"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request.Target, request.ForPeople = a.target(), !a.json
			if a.hasBoard() {
				return a.showBoard(cmd.Context(), request)
			}
			ans, err := a.locks.Query(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, _ []store.Summary) { render.Board(w, ans, render.Screen{}) })
		},
	}
	staleFlag(cmd.Flags(), &request.StaleMinutes)
	return cmd
}

const (
	readEvery   = time.Second            // how often the store is read
	resizeEvery = 100 * time.Millisecond // how often the terminal's size is
)

// watch shows the active locks until it is interrupted: as a full-screen board
// on a terminal, otherwise by printing them again whenever they change.
func (a *app) watch(ctx context.Context, request store.QueryRequest) error {
	if a.hasBoard() {
		return a.showBoard(ctx, request)
	}
	return a.printChanges(ctx, request, readEvery)
}

// hasBoard reports whether stdout is a terminal that can be drawn on.
func (a *app) hasBoard() bool {
	return !a.json && a.screen().Width > 0 && a.getenv("TERM") != "dumb"
}

// printChanges polls the locks and prints them whenever they differ from what
// was printed last.
func (a *app) printChanges(ctx context.Context, request store.QueryRequest, every time.Duration) error {
	shown := ""
	for {
		ans, err := a.locks.Query(ctx, request)
		now, perr := a.picture(ans)
		if err := errors.Join(err, perr); err != nil || now != shown {
			if shown != "" && err == nil && !a.json {
				fmt.Fprintln(a.out)
			}
			shown = now
			if err := answer(a, ans, err, func(w io.Writer, _ []store.Summary) {
				render.Board(w, ans, render.Screen{})
			}); err != nil {
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

// picture returns what would be printed, without the fields that change only
// because time passes.
func (a *app) picture(ans store.Answer[[]store.Summary]) (string, error) {
	ans.Result = slices.Clone(ans.Result)
	for i := range ans.Result {
		ans.Result[i].StaleForSeconds, ans.Result[i].Ago = 0, 0
	}
	if !a.json {
		var b strings.Builder
		render.Board(&b, ans, render.Screen{})
		return b.String(), nil
	}
	line, err := store.Encode(ans.Result)
	return string(line), err
}

// Escape sequences (ECMA-48, and xterm's private modes).
const (
	enterBoard = "\x1b[?1049h\x1b[?25l\x1b[?7l" // the alternate screen; no cursor, no wrapping
	leaveBoard = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	home       = "\x1b[H"
	endOfLine  = "\x1b[K\r\n"
	endOfBoard = "\x1b[K\x1b[J"
)

const (
	interruptKey = 3 // ctrl-c, which a terminal in raw mode does not turn into a signal
	quitKey      = 'q'
)

// leaves reports whether a key ends the board.
func leaves(key byte) bool { return key == quitKey || key == quitKey-'a'+'A' || key == interruptKey }

// showBoard fills the terminal with the locks until q or an interrupt, then
// restores the terminal.
func (a *app) showBoard(ctx context.Context, request store.QueryRequest) (err error) {
	var keys <-chan byte
	if a.Keys != nil {
		typed, restore, err := a.Keys()
		if err != nil {
			return err
		}
		defer restore()
		keys = typed
	}
	if err := a.draw(enterBoard); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.draw(leaveBoard)) }()
	var (
		ans     store.Answer[[]store.Summary]
		readAt  time.Time
		size    [2]int
		changed bool
	)
	for {
		if a.Now().Sub(readAt) >= readEvery {
			if ans, err = a.locks.Query(ctx, request); err != nil {
				return err
			}
			readAt, changed = a.Now(), true
		}
		screen := a.screen()
		screen.Height = a.Rows()
		if now := [2]int{screen.Width, screen.Height}; changed || now != size {
			size, changed = now, false
			if err := a.draw(board(ans, screen)); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case key := <-keys:
			switch {
			case key == interruptKey:
				return errInterrupted
			case leaves(key):
				return nil
			}
		case <-time.After(resizeEvery):
		}
	}
}

// board returns the whole screen, to be drawn over the previous one without
// flicker.
func board(ans store.Answer[[]store.Summary], screen render.Screen) string {
	var b strings.Builder
	render.Board(&b, ans, screen)
	text := strings.TrimSuffix(b.String(), "\n")
	return home + strings.ReplaceAll(text, "\n", endOfLine) + endOfBoard
}

func (a *app) draw(text string) error {
	fmt.Fprint(a.out, text)
	return a.flush()
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// A keeper keeps a lock alive while a command runs, and finishes it.
type keeper struct {
	app       *app
	at        store.Target // where the claim was made; the command may remove our working directory
	id        string
	agentFlag *string // as given
	agent     *string // the holder; nil: unknown
	parent    *string // nil: unknown
	warnings  []string
	notes     store.NewNotes // notes by others that were shown
}

// heartbeatEvery returns the interval between heartbeats: several fit into the
// shortest time after which the lock could be called stale, but no more than
// that takes.
func (a *app) heartbeatEvery(lease *float64) time.Duration {
	minutes := store.StaleMinutes(a.Environ())
	if lease != nil {
		minutes = max(minutes, *lease)
	}
	// Others may use a shorter threshold, but none below a minute.
	quarter := min(minutes/4, 5)
	return max(time.Duration(quarter*float64(time.Minute)), time.Second)
}

// keepAlive refreshes the heartbeat until ctx ends or the lock is no longer
// ours. Then it closes the channel.
func (k *keeper) keepAlive(ctx context.Context, every time.Duration) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		beat := time.NewTicker(every)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
			}
			if k.lost(ctx) != "" {
				return // finish reports what became of it
			}
			// An error is ignored: it may no longer occur at the next
			// heartbeat.
			ans, _ := k.app.locks.Heartbeat(ctx, store.HeartbeatRequest{
				Target: k.at, Ref: store.Ref{LockID: k.id}, AgentID: k.agentFlag})
			k.hear(ans.Result.NewNotes, ans.Delivered)
			for _, w := range ans.Warnings { // names those who were granted the files while the lock was stale
				if !slices.Contains(k.warnings, w) {
					k.warnings = append(k.warnings, w)
				}
			}
		}
	}()
	return over
}

// hear prints notes for the holder at once: they may be about what the command
// is doing right now.
func (k *keeper) hear(n store.NewNotes, delivered func(context.Context) error) {
	for _, line := range render.NoteLines(n.NewNotes) {
		fmt.Fprintf(k.app.Stderr, "agent-locks: new note: %s\n", line)
	}
	k.notes.NewNotes = append(k.notes.NewNotes, n.NewNotes...)
	k.notes.NewNotesLeftOut = n.NewNotesLeftOut // they come with the next answer
	k.app.delivered(delivered)
}

// lost describes what became of the lock if it is no longer ours. It returns ""
// if the lock is still ours, or if that cannot be determined now.
func (k *keeper) lost(ctx context.Context) string {
	ref := store.Ref{LockID: k.id}
	ans, err := k.app.locks.Show(ctx, store.ShowRequest{Target: k.at, Ref: ref})
	switch {
	case errors.Is(err, store.LockNotFound):
		return fmt.Sprintf("lock %q is gone", k.id)
	case err != nil || ans.Result.Status != "active":
		return "" // if it ended, finishing it will report why
	case !sameAgent(ans.Result.AgentID, k.agent):
		return fmt.Sprintf("lock %q was handed over to %q meanwhile; it is not finished",
			k.id, deref(ans.Result.AgentID))
	}
	return ""
}

func sameAgent(a, b *string) bool { return deref(a) == deref(b) }

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// finish ends the lock, and reports whatever there is to report: above all, if
// it was lost before the end.
func (k *keeper) finish(ctx context.Context, summary string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	k.app.warn(k.warnings)
	if lost := k.lost(ctx); lost != "" {
		k.app.warn([]string{lost})
		return
	}
	ans, err := k.app.locks.Finish(ctx, store.FinishRequest{
		Target: k.at, Ref: store.Ref{LockID: k.id}, AgentID: k.agentFlag, Summary: &summary})
	k.app.warn(ans.Warnings)
	k.hear(ans.Result.NewNotes, ans.Delivered)
	if n := k.notes.NewNotesLeftOut; n > 0 {
		k.app.warn([]string{fmt.Sprintf("%s more by others: agent-locks show %s", render.Count(n, "note"), k.id)})
	}
	switch e, ok := errors.AsType[*store.Error](err); {
	case err == nil:
	case ok && e.Code == store.LockNotActive: // it was reaped, or ended by force
		k.app.warn([]string{"the claim ended before the command: " + e.Message})
	default:
		k.app.warn([]string{fmt.Sprintf("lock %q is still active: %v", k.id, err)})
	}
}

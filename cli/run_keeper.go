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
	at        store.Target // the command may remove the directory that we stand in
	id        string
	agentFlag *string // as it was given
	agent     *string // the holder; nil: nobody known
	parent    *string // likewise
	warnings  []string
	notes     store.NewNotes // what others noted, as far as it was shown
}

// heartbeatEvery is how often a claim shows that it is alive: several times before
// anybody could take it for stale, and not more often than that needs.
func (a *app) heartbeatEvery(lease *float64) time.Duration {
	minutes := store.StaleMinutes(a.Environ())
	if lease != nil {
		minutes = max(minutes, *lease)
	}
	// Others may have a shorter threshold, though none under a minute.
	quarter := min(minutes/4, 5)
	return max(time.Duration(quarter*float64(time.Minute)), time.Second)
}

// keepAlive refreshes the heartbeat until ctx ends, or the lock is no longer
// ours. The channel is closed when that is over.
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
				return // what became of it is said at the end
			}
			// What keeps this one from being written may be over by the next.
			ans, _ := k.app.locks.Heartbeat(ctx, store.HeartbeatRequest{
				Target: k.at, Ref: store.Ref{LockID: k.id}, AgentID: k.agentFlag})
			k.hear(ans.Result.NewNotes, ans.Delivered)
			for _, w := range ans.Warnings { // who was granted the files while it was stale
				if !slices.Contains(k.warnings, w) {
					k.warnings = append(k.warnings, w)
				}
			}
		}
	}()
	return over
}

// hear shows at once what others noted for the holder: it may be about what the
// command does at this moment.
func (k *keeper) hear(n store.NewNotes, delivered func(context.Context) error) {
	for _, line := range render.NoteLines(n.NewNotes) {
		fmt.Fprintf(k.app.Stderr, "agent-locks: new note: %s\n", line)
	}
	k.notes.NewNotes = append(k.notes.NewNotes, n.NewNotes...)
	k.notes.NewNotesLeftOut = n.NewNotesLeftOut // the next answer has them
	k.app.delivered(delivered)
}

// lost says what became of the lock where it is no longer ours; "" where it is,
// or nobody can tell now.
func (k *keeper) lost(ctx context.Context) string {
	ref := store.Ref{LockID: k.id}
	ans, err := k.app.locks.Show(ctx, store.ShowRequest{Target: k.at, Ref: ref})
	switch {
	case errors.Is(err, store.LockNotFound):
		return fmt.Sprintf("lock %q is gone", k.id)
	case err != nil || ans.Result.Status != "active":
		return "" // what ended it is said by the attempt to finish it
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

// finish ends the lock, and says what there is to say of it: above all that it
// was not ours to the end.
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

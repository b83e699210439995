package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	// bypassPatience bounds how long a bypassed commit is held up to be noted.
	bypassPatience = 500 * time.Millisecond
	// bypassNoteFiles is how many files such a note names.
	bypassNoteFiles = 3
)

// noteBypassed notes a bypassed commit on the locks that would have refused it,
// so that their holders find out, and returns their ids. It is best effort: the
// commit goes through whatever happens here, and at once where the mutex is
// held or looking takes too long.
func noteBypassed(g guarding) []string {
	ctx, cancel := context.WithTimeout(g.ctx, bypassPatience)
	defer cancel()
	g.ctx, g.answer = ctx, Answer[Guarded]{Result: nothingGuarded()}
	done := make(chan []string, 1)
	go func() {
		var noted []string
		g.blocked = func(c *call, who rules.Caller, holds []Hold) { noted = noteBypassOn(c, holds, who) }
		// An error has kept the guard from looking, so nothing is known to note.
		_, _ = g.decide()
		done <- noted
	}()
	select {
	case noted := <-done:
		return noted
	case <-ctx.Done():
		return nil
	}
}

// noteBypassOn notes on each lock which of its files a bypassed commit changes. It
// says nothing of the holder, so `updated` stays as it is.
func noteBypassOn(c *call, holds []Hold, who rules.Caller) []string {
	c.dir.Wait = hookPatience
	var noted []string
	// What went wrong after some locks were noted leaves those noted.
	_, _ = change(c, func(tx *disk.Tx) (struct{}, error) {
		for id, files := range filesByLock(holds) {
			e, err := findActiveLock(c, Ref{LockID: id})
			if errors.Is(err, fault.LockNotFound) || errors.Is(err, fault.LockNotActive) {
				continue // ended since it was listed
			}
			if err != nil {
				return struct{}{}, err
			}
			note := bypassNote(who, files)
			if !slices.Contains(e.Lock.Notes, note) {
				if _, err := tx.Rewrite(e, withSeen(&e.Lock, lockfile.Edit{AddNotes: []string{note}}, 0)); err != nil {
					return struct{}{}, err
				}
			}
			noted = append(noted, id)
		}
		return struct{}{}, nil
	})
	slices.Sort(noted)
	return noted
}

// filesByLock collects the files of each lock: one lock may hold some exactly
// and others not.
func filesByLock(holds []Hold) map[string][]string {
	files := map[string][]string{}
	for _, h := range holds {
		files[h.ID] = append(files[h.ID], h.Files...)
	}
	return files
}

// bypassNote is what the holder reads.
func bypassNote(who rules.Caller, files []string) string {
	by := "a caller without an agent id"
	if who.Agent != nil {
		by = *who.Agent
	}
	if who.Worktree != "" {
		by += fmt.Sprintf(" in %q", who.Worktree)
	}
	text := strings.Join(files[:min(len(files), bypassNoteFiles)], ", ")
	if more := len(files) - bypassNoteFiles; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("Committed past the guard (%s=1) by %s: %s", bypassVariable, by, text)
}

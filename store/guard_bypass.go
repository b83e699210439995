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
	// bypassPatience limits how long recording a bypassed commit may delay it.
	bypassPatience = 500 * time.Millisecond
	// bypassNoteFiles is the maximum number of files named in such a note.
	bypassNoteFiles = 3
)

// noteBypassed records a bypassed commit on the locks that would have blocked
// it, so that their holders learn of it, and returns their ids. It is best
// effort: the commit proceeds whatever happens here, and without delay if the
// mutex is held or checking takes too long.
func noteBypassed(g guarding) []string {
	ctx, cancel := context.WithTimeout(g.ctx, bypassPatience)
	defer cancel()
	g.ctx, g.answer = ctx, Answer[Guarded]{Result: nothingGuarded()}
	done := make(chan []string, 1)
	go func() {
		var noted []string
		g.blocked = func(c *call, who rules.Caller, holds []Hold) { noted = noteBypassOn(c, holds, who) }
		// If the check failed, there is nothing to record.
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

// noteBypassOn adds a note to each lock about which of its files a bypassed
// commit changes. It is not the holder's doing, so `updated` stays as it is.
func noteBypassOn(c *call, holds []Hold, who rules.Caller) []string {
	c.dir.Wait = hookPatience
	var noted []string
	// If this fails midway, the locks noted before stay noted.
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

// filesByLock collects the files of each lock, both those that it certainly
// covers and those that it may cover.
func filesByLock(holds []Hold) map[string][]string {
	files := map[string][]string{}
	for _, h := range holds {
		files[h.ID] = append(files[h.ID], h.Files...)
	}
	return files
}

// bypassNote returns the note for the holder.
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

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// What a sync finds out about a lock is reported to its holder once: by the hook after an
// edit, or in the holder's next answer. Until then it is stored in fleet/news, in a file
// named by the lock's id.

var newsFolder = filepath.Join(fleet.Name, "news")

// lostNews returns the news about a lock that is no longer confirmed.
func lostNews(id string) string {
	return fmt.Sprintf("lock %q is no longer confirmed: another clone has claimed what it covers, and comes first", id)
}

// endedNews returns the news about a lock that another clone has ended.
func endedNews(e fleet.Ended) string {
	return fmt.Sprintf("lock %q was ended %s: its scope is no longer yours", e.ID, byClone(e))
}

// byClone says when another clone has ended a lock, and who did.
func byClone(e fleet.Ended) string {
	by := "an agent"
	if e.By != "" {
		by = fmt.Sprintf("%q", lockfile.Recordable(e.By))
	}
	return fmt.Sprintf("at %s by %s of another clone", e.At, by)
}

// leaveNews stores a text for the holder of a lock.
func leaveNews(tx *disk.Tx, id, text string) error {
	folder, err := tx.EnsureFolder(newsFolder)
	if err != nil {
		return err
	}
	return errors.Join(tx.Publish([]byte(text), folder, id), folder.Close())
}

// tellNews returns the news for a caller. They are removed once the answer has been
// delivered.
func (c *call) tellNews(who rules.Caller) []string {
	if !c.repo.Fleet {
		return nil
	}
	folder, err := c.dir.OpenFolder(newsFolder)
	if folder == nil || err != nil {
		return nil // unreadable news are reported another time
	}
	defer folder.Close() // only read from
	names, err := folder.Names()
	if err != nil {
		return nil
	}
	slices.Sort(names)
	var texts []string
	for _, id := range names {
		e, err := c.dir.Get(c.ctx, id)
		if err != nil && !errors.Is(err, fault.LockNotFound) || err == nil && !who.IsHolder(&e.Lock) {
			continue
		}
		if text, readErr := folder.ReadFile(id); err == nil && readErr == nil {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
		c.told = append(c.told, id) // even if the lock is gone
	}
	return texts
}

// forgetNews removes news that were reported.
func (c *call) forgetNews(told []string) error {
	folder, err := c.dir.OpenFolder(newsFolder)
	if folder == nil || err != nil {
		return err
	}
	defer folder.Close() // each removal has its own error
	for _, id := range told {
		if err := folder.Unlink(id); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return disk.Unusable("remove", folder.File(id), err)
		}
	}
	return nil
}

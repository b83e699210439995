package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// deadPause separates the two reads of Dead.
const deadPause = 20 * time.Millisecond

// Dead returns the paths of the tickets whose processes have ended. It needs no
// mutex. It reads the queue twice, with a pause in between, because a ticket
// being created or removed looks dead for a moment.
func Dead(ctx context.Context, d *disk.Dir) (paths []string, err error) {
	waiting, err := d.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, waiting.Close()) }()
	dead, err := deadIn(waiting)
	if len(dead) == 0 || err != nil {
		return nil, err
	}
	if err := disk.Pause(ctx, deadPause); err != nil {
		return nil, err
	}
	again, err := deadIn(waiting)
	for _, seq := range again {
		if slices.Contains(dead, seq) {
			paths = append(paths, waiting.File(fileName(seq, ticketSuffix)))
		}
	}
	return paths, err
}

func deadIn(waiting *disk.Folder) ([]uint64, error) {
	_, used, err := numbers(waiting)
	return slices.DeleteFunc(used, func(seq uint64) bool { return alive(waiting, seq) }), err
}

// Strangers lists the files in the queue that are not tickets. They block
// nobody.
func Strangers(d *disk.Dir) (found []disk.BadFile, err error) {
	waiting, err := d.OpenFolder(disk.WaitingName)
	if waiting == nil || err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, waiting.Close()) }()
	names, err := waiting.Names()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		seq, suffix, ours := parseName(name)
		var reason string
		switch {
		case strings.HasPrefix(name, "."): // belongs to a file system or an editor, as in the store
		case !ours:
			reason = "its name is not a number of the queue"
		case suffix == ticketSuffix && alive(waiting, seq): // otherwise it is a leftover
			reason = illegible(waiting, name)
		}
		if reason != "" {
			found = append(found, disk.BadFile{Path: waiting.File(name), Reason: reason})
		}
	}
	return found, nil
}

// illegible returns the reason why a ticket cannot be read, or "" if it can be
// or has just been removed.
func illegible(waiting *disk.Folder, name string) string {
	data, err := waiting.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return disk.Cause(err).Error()
	}
	if err := json.Unmarshal(data, &Ticket{}); err != nil {
		return err.Error()
	}
	return ""
}

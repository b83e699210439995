package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// deadTickets looks twice: without the mutex, a ticket that is just being made
// or given back looks dead for a moment.
func (x *exam) deadTickets() (err error) {
	waiting, err := x.dir.openQueue()
	if waiting == nil || err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, waiting.close()) }()
	dead, err := x.dead(waiting)
	if len(dead) == 0 || err != nil {
		return err
	}
	if err := x.dir.pause(x.ctx, retryAfter); err != nil {
		return err
	}
	again, err := x.dead(waiting)
	if err != nil {
		return err
	}
	for seq := range again {
		if dead[seq] {
			path := filepath.Join(waiting.path, ticketName(seq, ticketSuffix))
			x.leftover(path, fmt.Sprintf("%q is the place in the queue of a process that has ended", path))
		}
	}
	return nil
}

func (x *exam) dead(waiting *place) (map[uint64]bool, error) {
	_, used, err := x.dir.tickets(x.ctx, waiting)
	dead := map[uint64]bool{}
	for _, seq := range used {
		if !waiting.lives(seq) {
			dead[seq] = true
		}
	}
	return dead, err
}

// strangers names what lies in the queue and is no place in it. That holds
// nobody up, so it is only worth knowing.
func (x *exam) strangers() (err error) {
	waiting, err := x.dir.openQueue()
	if waiting == nil || err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, waiting.close()) }()
	names, err := waiting.names()
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(waiting.path, name)
		seq, suffix, ours := ticketNumber(name)
		switch {
		case strings.HasPrefix(name, "."): // a file system's or an editor's own, as in the store
		case !ours:
			x.stranger(path, "its name is no number of the queue")
		case suffix == ticketSuffix && waiting.lives(seq): // else it is a leftover
			if reason := waiting.illegible(name); reason != "" {
				x.stranger(path, reason)
			}
		}
	}
	return nil
}

// illegible says why a ticket counts as none; "" where it is one, or has just
// been given back.
func (p *place) illegible(name string) string {
	data, _, err := p.bytes(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil:
		return cause(err).Error()
	}
	if err := json.Unmarshal(data, &ticket{}); err != nil {
		return err.Error()
	}
	return ""
}

func (x *exam) stranger(path, reason string) {
	x.add(Finding{
		Severity: SeverityNote, Check: CheckUnreadable, Path: path,
		Message: fmt.Sprintf("%q is no place in the queue, and is passed over: %s", path, reason),
		Fix:     "move it out of the store",
	})
}

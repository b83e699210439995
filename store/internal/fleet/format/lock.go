package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Allowed returns the part of a lock that other clones may see. The same part is accepted
// from others. Paths of this machine and data of hooks stay private; tasks and notes are
// included only if everything is shared.
func Allowed(l lockfile.Lock, everything bool) lockfile.Lock {
	out := lockfile.Lock{
		ID: l.ID, Title: l.Title, AgentID: l.AgentID, ParentAgentID: l.ParentAgentID,
		Status: l.Status, Created: l.Created, Updated: l.Updated, Scope: l.Scope,
		Branch: l.Branch, Head: l.Head, Mode: l.Mode, LeaseMinutes: l.LeaseMinutes, LiveSince: l.LiveSince,
		Finished: l.Finished, FinishedBy: l.FinishedBy,
	}
	out.Published = l.Published
	out.Published.Fleet = ""
	if everything {
		out.Tasks, out.Notes = l.Tasks, l.Notes
	}
	return out
}

// Render returns the file under which a lock is published.
func Render(l lockfile.Lock, everything bool) ([]byte, error) {
	f, err := lockfile.New(Allowed(l, everything))
	if err != nil {
		return nil, err
	}
	if n := len(f.Bytes()); n > MaxLock {
		return nil, fmt.Errorf("it has %d bytes; other clones take at most %d", n, MaxLock)
	}
	return f.Bytes(), nil
}

// Receive parses a published lock file and encodes its allowed part again, so that only
// our own bytes are written to disk.
func Receive(id string, data []byte) (lockfile.Lock, []byte, error) {
	if len(data) > MaxLock {
		return lockfile.Lock{}, nil, fmt.Errorf("it has %d bytes, more than %d", len(data), MaxLock)
	}
	f, err := lockfile.Parse(id, data)
	if err != nil {
		return lockfile.Lock{}, nil, err
	}
	l := bounded(Allowed(f.Lock, true))
	if f, err = lockfile.New(l); err != nil {
		return lockfile.Lock{}, nil, err
	}
	return f.Lock, f.Bytes(), nil
}

// bounded truncates the lock's names to the lengths that this program writes itself,
// because they are shown to people and models.
func bounded(l lockfile.Lock) lockfile.Lock {
	for text, most := range map[*string]int{
		&l.Title: lockfile.MaxTitle, &l.Branch: lockfile.MaxTitle, &l.Head: lockfile.MaxTitle,
		&l.FinishedBy: lockfile.MaxAgent, l.AgentID: lockfile.MaxAgent, l.ParentAgentID: lockfile.MaxAgent,
	} {
		if text != nil && utf8.RuneCountInString(*text) > most {
			*text = string([]rune(*text)[:most])
		}
	}
	l.Published.Nonce, l.Published.Label = clip(l.Published.Nonce), clip(l.Published.Label)
	return l
}

// An Owner is the content of the owner's file in a clone's directory. The token changes
// with each swap of the clone, which reveals two clones with the same id.
type Owner struct {
	Token, Label string
}

// Text encodes the owner's file.
func (o Owner) Text() []byte {
	return []byte("token: " + o.Token + "\nlabel: " + o.Label + "\n")
}

// ParseOwner parses an owner's file. Unreadable fields are empty.
func ParseOwner(data []byte) Owner {
	var o Owner
	for line := range strings.Lines(string(data)) {
		switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
		case "token":
			o.Token = clip(value)
		case "label":
			o.Label = clip(value)
		}
	}
	return o
}

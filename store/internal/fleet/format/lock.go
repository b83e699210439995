package format

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Allowed is what of a lock other clones may see, and all that is taken of what
// they publish. Paths of this machine and what hooks note for themselves stay
// here; tasks and notes go along only where everything is shared.
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

// Render is the file that a lock is published as.
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

// Receive reads a lock file that somebody has published, and writes it again
// with nothing but what is allowed: what is on disk afterwards are our bytes.
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

// bounded is a lock whose names are no longer than what this program writes
// itself: they are shown to people and models.
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

// An Owner is what a clone's directory says of the clone. Its token changes
// with each of the clone's swaps, so that two directories of one id show.
type Owner struct {
	Token, Label string
}

// Text is the file's content.
func (o Owner) Text() []byte {
	return []byte("token: " + o.Token + "\nlabel: " + o.Label + "\n")
}

// ParseOwner reads it; what cannot be read is empty.
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

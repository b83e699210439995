package queue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// A ticket is two files, because Windows hides the content of a locked file:
// <seq>.json records who waits for what, and <seq>.lock is locked by its
// process for as long as it waits.
const (
	ticketSuffix  = ".json"
	aliveSuffix   = ".lock"
	ticketDigits  = 20
	highestTicket = 1 << 62 // names beyond this are not ours
)

// overdue is how long after its deadline a ticket may still block others. After
// that its process must have been stopped.
const overdue = 5 * time.Second

// A waiter renews the modification time of its ticket. A ticket that was not
// renewed for silence is skipped: its process was stopped (ctrl-z, a debugger)
// and would keep everybody behind it waiting.
const (
	renewEvery = 3 * time.Second
	silence    = 10 * time.Second
)

// A Ticket is a place in the queue.
type Ticket struct {
	AgentID       *string  `json:"agent_id"`
	ParentAgentID *string  `json:"parent_agent_id"`
	Mode          string   `json:"mode,omitempty"`
	Scope         []string `json:"scope"`
	Worktree      string   `json:"worktree,omitempty"`
	Since         string   `json:"since"` // a stamp, for people
	// Deadline is by the machine's clock, like all measured times.
	Deadline time.Time `json:"deadline"`

	// Seq alone determines the order; clocks do not.
	Seq uint64 `json:"-"`

	renewed time.Time // when its process last renewed it
}

// File returns the name of the file whose removal ends the ticket.
func (t Ticket) File() string { return fileName(t.Seq, ticketSuffix) }

// inactive reports whether the ticket's process has stopped: it let its
// deadline pass, or does not renew the ticket.
func (t Ticket) inactive(now time.Time) bool {
	return now.Sub(t.Deadline) > overdue || now.Sub(t.renewed) > silence
}

// readTicket reads a ticket. ok is false if it is missing or malformed.
func readTicket(waiting *disk.Folder, seq uint64) (Ticket, bool) {
	name := fileName(seq, ticketSuffix)
	data, err := waiting.ReadFile(name)
	if err != nil {
		return Ticket{}, false
	}
	fi, err := waiting.Lstat(name)
	if err != nil {
		return Ticket{}, false
	}
	var t Ticket
	err = json.Unmarshal(data, &t)
	t.Seq, t.renewed = seq, fi.ModTime()
	return t, err == nil
}

func fileName(seq uint64, suffix string) string {
	return fmt.Sprintf("%0*d%s", ticketDigits, seq, suffix)
}

// parseName parses the name of a ticket's file.
func parseName(name string) (seq uint64, suffix string, ok bool) {
	for _, suffix := range []string{ticketSuffix, aliveSuffix} {
		digits, found := strings.CutSuffix(name, suffix)
		if !found || len(digits) != ticketDigits {
			continue
		}
		n, err := strconv.ParseUint(digits, 10, 64)
		return n, suffix, err == nil && n < highestTicket
	}
	return 0, "", false
}

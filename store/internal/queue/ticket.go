package queue

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// A ticket is two files, since Windows hides the bytes of a file that is
// locked: <seq>.json says who waits for what, and the kernel's lock on
// <seq>.lock, held for as long as its process waits, says that somebody still
// does.
const (
	ticketSuffix  = ".json"
	aliveSuffix   = ".lock"
	ticketDigits  = 20
	highestTicket = 1 << 62 // beyond that a name was made by somebody else
)

// overdue is how long after its deadline a ticket may still block others: its
// process has been stopped and takes no part.
const overdue = 5 * time.Second

// A waiter renews its ticket's modification time while it waits, and one that
// has been silent for long is passed by: its process has been stopped (ctrl-z,
// a debugger) and would keep everybody behind it waiting.
const (
	renewEvery = 3 * time.Second
	silence    = 10 * time.Second
)

// A Ticket is one place in the queue.
type Ticket struct {
	AgentID       *string  `json:"agent_id"`
	ParentAgentID *string  `json:"parent_agent_id"`
	Mode          string   `json:"mode,omitempty"`
	Scope         []string `json:"scope"`
	Worktree      string   `json:"worktree,omitempty"`
	Since         string   `json:"since"` // a stamp, for people
	// Deadline is by the machine's clock, as all that is measured is.
	Deadline time.Time `json:"deadline"`

	// Seq is the place in the queue and nothing else; clocks have no part in the
	// order.
	Seq uint64 `json:"-"`

	renewed time.Time // by its process
}

// File is the name of the file that goes when the ticket does.
func (t Ticket) File() string { return fileName(t.Seq, ticketSuffix) }

// inactive reports whether a ticket's process takes no part: it had its chance
// and did not take it, or does not renew the ticket.
func (t Ticket) inactive(now time.Time) bool {
	return now.Sub(t.Deadline) > overdue || now.Sub(t.renewed) > silence
}

// readTicket reads one ticket; one that says nothing we understand counts as
// none.
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

// parseName takes the name of a ticket's file apart.
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

// Package lockfile is one lock file: parse, edit, serialize; stamps, ids and
// slugs. It is pure: no I/O and no clock.
//
// [Parse] reads a file, [New] serializes a new lock, and [File.With] changes
// one. The file belongs to its readers too: an edit changes only the lines it
// is about and keeps every other byte (unknown keys, comments, paragraphs, line
// ends, a byte order mark), and its result is parsed again before it is
// returned. The package does not repair files that it cannot read, and does not
// coordinate programs that edit at once: the caller holds a mutex for that.
package lockfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The values of a lock's status and mode.
const (
	Active = "active"
	Done   = "done"
	Shared = "shared"
)

// A Lock is what a lock file says.
type Lock struct {
	ID            string // the file name without ".md"
	Title         string
	AgentID       *string // nil: unknown
	ParentAgentID *string
	Status        string // Active or Done
	Created       Stamp
	Updated       Stamp
	Scope         []string
	Repository    string // "" if the file does not say
	Worktree      string
	WorktreeName  string // what git calls it, wherever it lies (gitdir.Repo.WorktreeName)
	Branch        string
	Head          string
	Mode          string  // "" or Shared
	LeaseMinutes  float64 // 0: none
	LiveSince     Stamp   // when it came back after it was stale or done; zero: it never was (see LiveFrom)
	NotesSeen     Seen    // see Unseen
	// WaitingForPerson is since when the holder's session has waited for a
	// person; zero: it is not known to.
	WaitingForPerson Stamp
	Published        Published // what a lock says that other clones see, or have made
	Finished         Stamp     // zero: not finished, or not stated
	FinishedBy       string
	Outcome          string
	MovedTo          string
	Tasks            []Task
	Notes            []string
	Warnings         []string // oddities of a file that is still readable
}

// Published is what a lock says where clones of a repository share theirs.
type Published struct {
	Fleet      string  // how this clone's own lock stands with the others; "" where it does not say
	Nonce      string  // of the judged change that published it; "": it was published without being judged
	Label      string  // what people call the clone that published it
	StaleAfter float64 // minutes: that clone's threshold; 0: not stated
}

// LiveFrom is when a lock became live without a break since: when it was
// claimed, unless it was stale, or had ended, in between.
func (l *Lock) LiveFrom() Stamp {
	if l.LiveSince.IsZero() {
		return l.Created
	}
	return l.LiveSince
}

// A Task is one line of the checklist.
type Task struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// A File is a parsed lock together with the bytes it came from.
type File struct {
	Lock Lock
	raw  []byte
}

// Bytes are the file's contents. The caller must not change them.
func (f *File) Bytes() []byte { return f.raw }

// PercentComplete is the share of ticked tasks, rounded half up; 100 if there
// are no tasks.
func (l *Lock) PercentComplete() int {
	if len(l.Tasks) == 0 {
		return 100
	}
	done := 0
	for _, t := range l.Tasks {
		if t.Done {
			done++
		}
	}
	return (200*done + len(l.Tasks)) / (2 * len(l.Tasks))
}

// Bounds of a lock file (design, section 4).
const (
	MaxTitle = 500       // characters
	MaxTask  = 2000      // characters
	MaxAgent = 256       // characters
	MaxLabel = 40        // characters
	MaxNote  = 256 << 10 // bytes
	MaxTasks = 500
	MaxFile  = 1 << 20   // bytes
	Reserve  = 320 << 10 // bytes kept free for finish, reap and heartbeat
)

// Recordable is a path as a lock file can hold it: bytes outside UTF-8 and
// control characters are percent-escaped.
func Recordable(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, unicode.IsControl) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if (r == utf8.RuneError && n == 1) || unicode.IsControl(r) {
			for _, c := range []byte(path[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

// Package lockfile parses, edits and serializes lock files, and handles stamps,
// ids and slugs. It does no I/O and reads no clock.
//
// [Parse] parses a file, [New] serializes a new lock, and [File.With] edits
// one. People and other programs read and edit these files too, so an edit
// changes only the lines it is about and keeps every other byte (unknown keys,
// comments, paragraphs, line ends, a byte order mark). Its result is parsed
// again before it is returned. The package does not repair unreadable files,
// and does not coordinate concurrent edits: callers hold a mutex for that.
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

// A Lock is the contents of a lock file.
type Lock struct {
	ID            string // the file name without ".md"
	Title         string
	AgentID       *string // nil: unknown
	ParentAgentID *string
	Status        string // Active or Done
	Created       Stamp
	Updated       Stamp
	Scope         []string
	Repository    string // "" if not stated
	Worktree      string
	WorktreeName  string // git's name for it, independent of its path (gitdir.Repo.WorktreeName)
	Branch        string
	Head          string
	Mode          string  // "" or Shared
	LeaseMinutes  float64 // 0: none
	LiveSince     Stamp   // when a stale or done lock became live again; zero: never (see LiveFrom)
	NotesSeen     Seen    // see Unseen
	// WaitingForPerson is when the holder's session began to wait for a person;
	// zero: it is not known to wait.
	WaitingForPerson Stamp
	Published        Published // for locks shared with other clones
	Finished         Stamp     // zero: not finished, or not stated
	FinishedBy       string
	Outcome          string
	MovedTo          string
	Tasks            []Task
	Notes            []string
	Warnings         []string // oddities that do not make the file unreadable
}

// Published has the fields of a lock that clones of a repository share.
type Published struct {
	Fleet      string  // the state of this clone's own lock among the others; "" if not stated
	Nonce      string  // of the confirmed claim that published it; "": published without confirmation
	Label      string  // the label of the clone that published it
	StaleAfter float64 // the stale threshold of that clone, in minutes; 0: not stated
}

// LiveFrom returns since when a lock has been live without interruption: since
// it was claimed or, if it was stale or ended in between, since it came back.
func (l *Lock) LiveFrom() Stamp {
	if l.LiveSince.IsZero() {
		return l.Created
	}
	return l.LiveSince
}

// A Task is one task of the checklist.
type Task struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// A File is a parsed lock together with its bytes.
type File struct {
	Lock Lock
	raw  []byte
}

// Bytes returns the file's contents. The caller must not modify them.
func (f *File) Bytes() []byte { return f.raw }

// PercentComplete returns the percentage of ticked tasks, rounded half up; 100
// if there are no tasks.
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

// Limits of a lock file (design, section 4).
const (
	MaxTitle = 500       // characters
	MaxTask  = 2000      // characters
	MaxAgent = 256       // characters
	MaxLabel = 40        // characters
	MaxNote  = 256 << 10 // bytes
	MaxTasks = 500
	MaxFile  = 1 << 20   // bytes
	Reserve  = 320 << 10 // bytes reserved for finish, reap and heartbeat
)

// Recordable returns a path in the form that a lock file stores: invalid UTF-8
// and control characters are percent-escaped.
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

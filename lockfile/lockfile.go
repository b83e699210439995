// Package lockfile is one lock file: parse, edit, serialize; stamps, ids and
// slugs. It is pure: no I/O and no clock.
package lockfile

import "time"

// The values of a lock's status and mode.
const (
	Active = "active"
	Done   = "done"
	Shared = "shared"
)

// A Stamp is a moment as a file states it: to the second, UTC.
type Stamp struct {
	time.Time
	Raw string // as written in the file
}

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
	Repository    string // "" where the file does not say
	Worktree      string
	Branch        string
	Head          string
	Mode          string  // "" or Shared
	LeaseMinutes  float64 // 0: none
	Finished      Stamp   // zero: not finished, or not said
	FinishedBy    string
	Outcome       string
	MovedTo       string
	Tasks         []Task
	Notes         []string
	Warnings      []string // what is odd about a file that is readable all the same
}

// A Task is one line of the checklist.
type Task struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// A File is a parsed lock together with the bytes it came from.
type File struct {
	Lock
	raw []byte
}

// Parse reads the file called id+".md". An error says in one line why the
// file is unreadable.
func Parse(id string, data []byte) (*File, error) { panic("not yet") }

// New serializes a new lock, all of whose values have passed the Clean
// functions, and parses the result again to prove that it reads back.
func New(l Lock) (*File, error) { panic("not yet") }

// Bytes are the file's contents.
func (f *File) Bytes() []byte { return f.raw }

// An Edit is a set of changes to one file.
type Edit struct {
	Set      []KeyValue // frontmatter keys, replaced in place or added in section 4's order
	Remove   []string   // frontmatter keys
	Tick     []Tick
	AddTasks []string
	AddNotes []string // appended to the notes; each may have several lines
}

// A KeyValue is a frontmatter key and its new value: nil (null), string,
// float64 or []string.
type KeyValue struct {
	Key   string
	Value any
}

// A Tick sets the state of the task with that index in Lock.Tasks.
type Tick struct {
	Index int
	Done  bool
}

// Edit applies e and touches no line that e is not about. It refuses (error)
// an edit whose result would not parse back to exactly the intended values.
func (f *File) Edit(e Edit) (*File, error) { panic("not yet") }

// FormatStamp is t in UTC as YYYY-MM-DDTHH-MM-SS.
func FormatStamp(t time.Time) string { return t.UTC().Format("2006-01-02T15-04-05") }

// ParseStamp reads a stamp, RFC 3339, or YYYY-MM-DD HH:MM:SS (UTC).
func ParseStamp(s string) (Stamp, error) { panic("not yet") }

// Slug is the part of an id that comes from the title.
func Slug(title string) string { panic("not yet") }

// ValidID reports why id cannot name a lock; nil where it can.
func ValidID(id string) error { panic("not yet") }

// Bounds of section 4.
const (
	MaxTitle = 500  // characters
	MaxTask  = 2000 // characters
	MaxAgent = 256  // characters
	MaxNote  = 256 << 10
	MaxTasks = 500
	MaxFile  = 1 << 20
	Reserve  = 320 << 10 // kept free for finish, reap and heartbeat
)

// CleanTitle, CleanTask, CleanAgent and CleanNote return the text as it will
// be stored (trimmed), or an error that names the fault and the figure.
func CleanTitle(s string) (string, error) { panic("not yet") }
func CleanTask(s string) (string, error)  { panic("not yet") }
func CleanAgent(s string) (string, error) { panic("not yet") }
func CleanNote(s string) (string, error)  { panic("not yet") }

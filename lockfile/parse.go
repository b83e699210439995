package lockfile

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// Parse parses the file named id+".md". An error says in one line why the file
// is unreadable; lesser oddities are in the result's Warnings. Parse retains
// data, which the caller must not modify afterwards.
func Parse(id string, data []byte) (*File, error) {
	p, err := parse(id, data)
	if err != nil {
		return nil, err
	}
	return p.file, nil
}

// parsed is a file with everything that an edit needs.
type parsed struct {
	file    *File // nil if it is not a lock file
	words   *vocabulary
	src     string
	layout  layout
	front   front
	foreign foreign
	body    body
}

func parse(id string, data []byte) (*parsed, error) {
	if err := ValidID(id); err != nil {
		return nil, err
	}
	p, err := parseFront(data, &lockWords)
	if err != nil {
		return nil, err
	}
	lock, err := p.front.lock(id)
	if err != nil {
		return nil, err
	}
	p.body = readBody(p.src, p.layout.body)
	lock.Title, lock.Tasks, lock.Notes = p.body.title, p.body.taskList(), p.body.notes
	if lock.Title == "" {
		lock.Title = SlugOf(id)
	}
	p.file = &File{Lock: lock, raw: data}
	return p, nil
}

// parseFront parses what all kinds of files have.
func parseFront(data []byte, words *vocabulary) (*parsed, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("the file has %d bytes (at most %d)", len(data), MaxFile)
	}
	if !utf8.Valid(data) {
		return nil, errors.New("the file is not valid UTF-8")
	}
	p := &parsed{src: string(data), words: words}
	var err error
	if p.layout, err = split(p.src); err != nil {
		return nil, err
	}
	var ok bool
	if p.front, ok = words.readFast(p.layout.frontText(p.src)); !ok {
		p.front, p.foreign, err = words.readFull(p.src, p.layout)
	}
	return p, err
}

// lock converts a frontmatter into a Lock.
func (fr *front) lock(id string) (Lock, error) {
	l := Lock{ID: id}
	l.noteID(fr[keyID])
	if err := l.readStamps(fr); err != nil {
		return Lock{}, err
	}
	status := fr[keyStatus]
	switch {
	case status.kind == absent || status.kind == null:
		return Lock{}, errors.New("the frontmatter has no status")
	case status.kind != text || status.text != Active && status.text != Done:
		return Lock{}, fmt.Errorf("status is %s (want %s or %s)", status, Active, Done)
	}
	l.Status = status.text
	switch scope := fr[keyScope]; scope.kind {
	case list:
		l.Scope = scope.list
	case text:
		l.Scope = []string{scope.text}
	case absent, null:
		return Lock{}, errors.New("the frontmatter has no scope")
	default:
		return Lock{}, errors.New("scope is not a list of strings")
	}
	l.AgentID = l.agent(fr, keyAgentID)
	l.ParentAgentID = l.agent(fr, keyParentAgentID)
	l.Repository = l.optional(fr, keyRepository)
	l.Worktree = l.optional(fr, keyWorktree)
	l.WorktreeName = l.optional(fr, keyWorktreeName)
	l.Branch = l.optional(fr, keyBranch)
	l.Head = l.optional(fr, keyHead)
	l.FinishedBy = l.optional(fr, keyFinishedBy)
	l.Outcome = l.optional(fr, keyOutcome)
	l.MovedTo = l.optional(fr, keyMovedTo)
	l.readMode(fr)
	l.LeaseMinutes = l.minutes(fr, keyLeaseMinutes)
	l.Published = Published{
		Fleet: l.optional(fr, keyFleet), Nonce: l.optional(fr, keyNonce), Label: l.optional(fr, keyLabel),
		StaleAfter: l.minutes(fr, keyStaleAfter),
	}
	l.readSeen(fr)
	l.readWaiting(fr)
	return l, nil
}

// noteID warns if the frontmatter's id differs from the file name, which takes precedence.
func (l *Lock) noteID(v value) {
	switch {
	case v.kind == absent || v.kind == null:
		l.warn("the frontmatter has no id; the file name is the id")
	case v.kind != text || v.text != l.ID:
		l.warn("the frontmatter says id %s; the file name is the id", v)
	}
}

func (l *Lock) readStamps(fr *front) error {
	var err error
	if l.Created, err = fr.stamp(keyCreated); err != nil {
		return err
	}
	if l.Created.IsZero() {
		return errors.New("the frontmatter has no created")
	}
	if l.Updated, err = fr.stamp(keyUpdated); err != nil {
		return err
	}
	if l.Updated.IsZero() {
		l.Updated = l.Created
	}
	if l.LiveSince, err = fr.stamp(keyLiveSince); err != nil {
		return err
	}
	l.Finished, err = fr.stamp(keyFinished)
	return err
}

func (fr *front) stamp(k key) (Stamp, error) {
	v := fr[k]
	switch v.kind {
	case absent, null:
		return Stamp{}, nil
	case text:
		s, err := ParseStamp(v.text)
		if err != nil {
			return Stamp{}, fmt.Errorf("%s: %w", k, err)
		}
		return s, nil
	}
	return Stamp{}, fmt.Errorf("%s is %s, not a timestamp", k, v)
}

// agent returns an agent id, or nil if it is missing or empty.
func (l *Lock) agent(fr *front, k key) *string {
	if s := l.optional(fr, k); s != "" {
		return &s
	}
	return nil
}

// optional returns text that may be missing. A list or mapping that another
// tool has put there is ignored with a warning: it must not hide the lock.
func (l *Lock) optional(fr *front, k key) string {
	v := fr[k]
	if v.kind == list || v.kind == other {
		l.warn("%s is %s, not text: ignored", k, v)
	}
	return v.text
}

func (l *Lock) readMode(fr *front) {
	switch mode := l.optional(fr, keyMode); mode {
	case "", Shared:
		l.Mode = mode
	default:
		l.warn("mode %s is unknown: read as exclusive", quote(mode))
	}
}

// maxLease is ten years. It prevents accidental eternal leases, and fits into a
// time.Duration.
const maxLease = 10 * 366 * 24 * 60

// minutes returns a duration that may be missing.
func (l *Lock) minutes(fr *front, k key) float64 {
	s := l.optional(fr, k)
	if s == "" {
		return 0
	}
	minutes, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(minutes) || minutes <= 0 || minutes > maxLease {
		l.warn("%s %s is not a number of minutes from 0 to %d: ignored", k, quote(s), maxLease)
		return 0
	}
	return minutes
}

// readWaiting reads WaitingForPerson. A bad stamp there does not make the file
// unreadable, since it does not affect whether the lock counts.
func (l *Lock) readWaiting(fr *front) {
	since, err := fr.stamp(keyWaitingForPerson)
	if err != nil {
		l.warn("%v: ignored", err)
	}
	l.WaitingForPerson = since
}

func (l *Lock) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

// String formats a value for a message.
func (v value) String() string {
	switch v.kind {
	case absent:
		return "missing"
	case null:
		return "null"
	case text:
		return quote(v.text)
	case list:
		return "a list"
	}
	return "neither a string nor a list of strings"
}

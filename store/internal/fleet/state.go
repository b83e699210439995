package fleet

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A Self is this clone's identity among the others. It does not reveal the machine.
type Self struct {
	Clone string `json:"clone"`
	// Copied is when this clone was found to be a copy. What it had claimed until then
	// belongs to the original. It is zero if the clone is not a copy.
	Copied time.Time `json:"copied"`
	// Tokens are those of the last swaps tried, newest last. A directory under this id in
	// the ref with any other token belongs to a copy.
	Tokens []string `json:"tokens"`
	// Directory is the number of the directory in which this was written. It differs in a
	// copy, so the copy is recognized even if the original publishes nothing.
	Directory uint64 `json:"directory,omitempty"`

	copied bool // this clone is a copy that has not taken its own id yet
}

const keptTokens = 16

// newSelf draws a new id.
func newSelf(copied time.Time, directory uint64) Self {
	return Self{Clone: strings.ToLower(rand.Text()[:8]), Copied: copied, Directory: directory} // of a-z, 2-7
}

// next returns s with a new token.
func (s Self) next() Self {
	s.Tokens = append(slices.Clone(s.Tokens), rand.Text())
	if len(s.Tokens) > keptTokens {
		s.Tokens = s.Tokens[len(s.Tokens)-keptTokens:]
	}
	return s
}

// token returns the newest token.
func (s Self) token() string { return s.Tokens[len(s.Tokens)-1] }

// owns reports whether a directory with this clone's id and the given token is this
// clone's own. The token is empty if other clones have put the directory back after the
// ref was lost.
func (s Self) owns(token string) bool {
	return len(s.Tokens) > 0 && (token == "" || slices.Contains(s.Tokens, token))
}

// A state is the ref as this clone has last seen it.
type state struct {
	Remote string     `json:"remote"` // remote and ref that the state describes
	Ref    string     `json:"ref"`
	Tip    format.Tip `json:"tip"`
	Root   []byte     `json:"root"`            // tree of the tip
	Lease  string     `json:"lease,omitempty"` // commit of the ref that a reset discards

	Seen bool `json:"seen,omitempty"` // a ref existed, but nothing is known about it here

	// Judged is the tree on which all of this clone's locks were last judged.
	Judged []byte `json:"judged,omitempty"`

	Mine    map[string]Standing `json:"mine"`              // this clone's locks in the ref, by id
	Ended   []Ended             `json:"ended,omitempty"`   // this clone's locks that others have ended
	Carried []string            `json:"carried,omitempty"` // clones whose locks are to be put back after a loss

	Remarks map[string]format.Remarks `json:"remarks,omitempty"` // by clone; "" for those on no clone's directory

	Looked  time.Time     `json:"looked"`  // start of the last successful look or push
	Changed time.Time     `json:"changed"` // last time that other clones moved the ref
	Failed  time.Time     `json:"failed"`  // last failed look, if none succeeded since
	Words   string        `json:"words,omitempty"`
	Broken  *Broken       `json:"broken,omitempty"`
	Lost    time.Time     `json:"lost"`    // last time that the ref was found deleted or replaced
	Behind  uint64        `json:"behind"`  // sequence number of a remote that lags, else 0
	Push    time.Duration `json:"push"`    // duration of the last successful swap
	Swapped time.Time     `json:"swapped"` // time of the last successful swap
	Uncut   bool          `json:"uncut,omitempty"`
	Quiet   time.Time     `json:"quiet"` // until then this clone lets others go first
}

// A Standing is a lock of this clone in the ref.
type Standing struct {
	Blob  string `json:"blob"`
	Nonce string `json:"nonce,omitempty"` // of its judged change; "" if it was not judged
	Terms string `json:"terms,omitempty"` // see func Terms; "" if others do not see the lock
	// Updated is the heartbeat that the others see.
	Updated time.Time `json:"updated"`
	// Until is the earliest time at which the lock is stale for others. From then on a
	// heartbeat has to be judged, since others may have claimed the same meanwhile.
	Until time.Time `json:"until"`
}

func standingOf(l lockfile.Lock, blob string) Standing {
	minutes := max(l.Published.StaleAfter, l.LeaseMinutes, 1)
	until := l.Updated.Time.Add(time.Duration(minutes * float64(time.Minute)))
	return Standing{Blob: blob, Nonce: l.Published.Nonce, Terms: Terms(&l), Updated: l.Updated.Time, Until: until}
}

// Terms returns a hash of everything that others judge a lock by, except its stamps.
func Terms(l *lockfile.Lock) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %q",
		l.Status, l.Mode, l.LeaseMinutes, l.Published.StaleAfter, l.Scope))
	return hex.EncodeToString(sum[:16])
}

// Keeps reports whether others still see the lock as it was judged. Anybody who can push
// may have changed it in the ref, and others may have claimed the same since.
func (s Standing) Keeps(l *lockfile.Lock) bool {
	return s.Nonce == l.Published.Nonce && s.Terms == Terms(l) && !s.Updated.After(l.Updated.Time)
}

// An Ended is a lock of this clone that another one has ended.
type Ended struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
	At string `json:"at"` // a stamp
	// Updated is the heartbeat that the other clone had seen.
	Updated time.Time `json:"updated"`
}

// A Broken is a tip that cannot be read.
type Broken struct {
	Commit    string `json:"commit"`
	Committer string `json:"committer,omitempty"`
	Why       string `json:"why"`
}

func (s *state) rootTree(idSize int) (format.Tree, error) { return format.ParseTree(s.Root, idSize) }

// judgedAgainst returns a function that reports whether this clone's locks were judged
// against another clone's, and both directories have not changed since. Unreadable trees
// count as not judged.
func (s *state) judgedAgainst(self string, idSize int) func(clone string) bool {
	root, err := s.rootTree(idSize)
	judged, judgedErr := format.ParseTree(s.Judged, idSize)
	same := func(clone string) bool {
		id := root.Find(format.ModeDir, clone)
		return id != "" && id == judged.Find(format.ModeDir, clone)
	}
	known := err == nil && judgedErr == nil && same(self)
	return func(clone string) bool { return known && same(clone) }
}

// newer reports whether the ref is in a later format than this program's.
func (s *state) newer() bool { return s.Tip.Format > format.Version }

// readSelf returns this clone's identity, and whether it has one. A copy must not use the
// original's id, so it has none until its first turn (enter). A file without a directory
// number is accepted as it is.
func readSelf(folder *disk.Folder) (Self, bool, error) {
	var s Self
	data, err := folder.ReadFile(selfName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Self{}, false, nil
	case err == nil:
		err = json.Unmarshal(data, &s)
	}
	if err == nil && !format.ValidClone(s.Clone) {
		err = fmt.Errorf("%q is not a clone's id", s.Clone)
	}
	if err != nil {
		return Self{}, false, fault.New(fault.StoreUnwritable, "%q cannot be read: %v", folder.File(selfName), err).
			WithHint("remove it: this clone then takes a new id, and what it has published stays until it is stale")
	}
	directory, since, err := folder.Origin(selfName)
	if err != nil {
		return Self{}, false, err
	}
	if s.Directory != 0 && directory != 0 && s.Directory != directory {
		s = Self{Copied: since.UTC(), copied: true}
	}
	s.Directory = directory
	return s, true, nil
}

// A Memory caches the state that a call has read. A call reads it more than once, and the
// file is long if a clone has many locks, so it is parsed again only if it has changed.
// The cached state must not be modified.
type Memory struct {
	data  []byte
	state state
}

// recall returns the known state of the ref. It returns an empty state if the file is
// unreadable; the next look replaces it.
func (m *Memory) recall(folder *disk.Folder) *state {
	data, err := folder.ReadFile(tipName)
	if err == nil && m.data != nil && bytes.Equal(data, m.data) {
		return &m.state
	}
	*m = Memory{data: data}
	if err != nil || json.Unmarshal(data, &m.state) != nil {
		*m = Memory{}
	}
	return &m.state
}

// lastSeen returns the known state of the configured remote and ref. It is empty if the
// file describes another one.
func (f *Fleet) lastSeen() state {
	s := *new(Memory).recall(f.folder)
	if s.Remote != f.Remote || s.Ref != f.Ref {
		return state{Remote: f.Remote, Ref: f.Ref}
	}
	return s
}

// save writes self.json or tip.json atomically.
func (f *Fleet) save(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	return f.write(name, append(data, '\n'))
}

func (f *Fleet) write(name string, data []byte) error {
	_, mode := f.Repo.Modes()
	o := atomicfile.Options{Mode: 0o666}
	if mode != 0 {
		o.Mode = mode
	}
	path := f.folder.File(name)
	// The next writer of the store sweeps temporary files of this name.
	err := atomicfile.Write(f.root, ".tmp-"+rand.Text(), filepath.Join(Name, name), data, o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return TurnedOff()
	case err != nil:
		return disk.Unusable("write", path, err)
	}
	return nil
}

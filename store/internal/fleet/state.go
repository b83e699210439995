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

// A Self is who this clone is among the others. It never says which machine.
type Self struct {
	Clone string `json:"clone"`
	// Copied is when this clone was found to be a copy of another one: what it
	// had claimed until then is the other one's. Zero: it never was.
	Copied time.Time `json:"copied"`
	// Tokens are those of the last swaps that were tried, the newest last. What
	// stands in the ref under this id and carries another one is a copy's.
	Tokens []string `json:"tokens"`
	// Directory is the number of the directory where this was written. A copy's
	// differs, and so the copy is noticed while the original publishes nothing.
	Directory uint64 `json:"directory,omitempty"`

	copied bool // this is a copy's, which has no id of its own yet
}

const keptTokens = 16

// newSelf draws an id. It does so again where a directory was copied.
func newSelf(copied time.Time, directory uint64) Self {
	return Self{Clone: strings.ToLower(rand.Text()[:8]), Copied: copied, Directory: directory} // rand.Text: A-Z and 2-7
}

// next is the clone with one more token.
func (s Self) next() Self {
	s.Tokens = append(slices.Clone(s.Tokens), rand.Text())
	if len(s.Tokens) > keptTokens {
		s.Tokens = s.Tokens[len(s.Tokens)-keptTokens:]
	}
	return s
}

// token is the newest.
func (s Self) token() string { return s.Tokens[len(s.Tokens)-1] }

// owns reports whether a directory of this clone's id, with that token, is this
// clone's own. Where others have put it back after the ref was lost it has none.
func (s Self) owns(token string) bool {
	return len(s.Tokens) > 0 && (token == "" || slices.Contains(s.Tokens, token))
}

// A state is the ref as this clone has seen it last.
type state struct {
	Remote string     `json:"remote"` // of another one, nothing is known
	Ref    string     `json:"ref"`
	Tip    format.Tip `json:"tip"`
	Root   []byte     `json:"root"`            // the tip's tree
	Lease  string     `json:"lease,omitempty"` // what the ref leads to where that was given up as broken

	Seen bool `json:"seen,omitempty"` // there was one, of which nothing is known here

	// Judged is the tree on which all of this clone's locks were judged last.
	Judged []byte `json:"judged,omitempty"`

	Mine    map[string]Standing `json:"mine"`              // what stands of this clone, by id
	Ended   []Ended             `json:"ended,omitempty"`   // what others have ended of this clone's
	Carried []string            `json:"carried,omitempty"` // clones whose locks outlive a lost ref until they are published again

	Remarks map[string]format.Remarks `json:"remarks,omitempty"` // on what was not taken, by clone; "": beside them

	Looked  time.Time     `json:"looked"`  // the tip was still the ref's then: the last look that succeeded began
	Changed time.Time     `json:"changed"` // the last time that others had moved it
	Failed  time.Time     `json:"failed"`  // the last look that failed, if none succeeded since
	Words   string        `json:"words,omitempty"`
	Broken  *Broken       `json:"broken,omitempty"`
	Lost    time.Time     `json:"lost"`    // when the ref was found deleted or replaced
	Behind  uint64        `json:"behind"`  // the number that the remote shows where it lags, else 0
	Push    time.Duration `json:"push"`    // what the last swap took
	Swapped time.Time     `json:"swapped"` // the last swap that was taken
	Uncut   bool          `json:"uncut,omitempty"`
	Quiet   time.Time     `json:"quiet"` // until then this clone lets others go first
}

// A Standing is one lock of this clone in the ref.
type Standing struct {
	Blob  string `json:"blob"`
	Nonce string `json:"nonce,omitempty"` // of its judged change; "": it was not judged
	Terms string `json:"terms,omitempty"` // as of Terms; "": others do not see it
	// Updated is the heartbeat that the others see.
	Updated time.Time `json:"updated"`
	// Until is when it becomes stale to the others at the earliest: from then on
	// a heartbeat has to be judged, since others may have passed it by.
	Until time.Time `json:"until"`
}

func standingOf(l lockfile.Lock, blob string) Standing {
	minutes := max(l.Published.StaleAfter, l.LeaseMinutes, 1)
	until := l.Updated.Time.Add(time.Duration(minutes * float64(time.Minute)))
	return Standing{Blob: blob, Nonce: l.Published.Nonce, Terms: Terms(&l), Updated: l.Updated.Time, Until: until}
}

// Terms tell apart what others judge a lock by, besides its stamps.
func Terms(l *lockfile.Lock) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %q",
		l.Status, l.Mode, l.LeaseMinutes, l.Published.StaleAfter, l.Scope))
	return hex.EncodeToString(sum[:16])
}

// Keeps reports whether others still see of a lock what was judged. Anybody who may
// push can change that, and some may have passed it by since.
func (s Standing) Keeps(l *lockfile.Lock) bool {
	return s.Nonce == l.Published.Nonce && s.Terms == Terms(l) && !s.Updated.After(l.Updated.Time)
}

// An Ended is a lock of this clone that another one has ended.
type Ended struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
	At string `json:"at"` // a stamp
	// Updated is the heartbeat that the other one had seen.
	Updated time.Time `json:"updated"`
}

// A Broken is a tip that cannot be read.
type Broken struct {
	Commit    string `json:"commit"`
	Committer string `json:"committer,omitempty"`
	Why       string `json:"why"`
}

func (s *state) rootTree(idSize int) (format.Tree, error) { return format.ParseTree(s.Root, idSize) }

// judgedAgainst tells against which clones' locks this clone's were judged as both stand
// now: neither directory has changed since. What cannot be read was not judged.
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

// newer reports whether the ref speaks a later format than this program.
func (s *state) newer() bool { return s.Tip.Format > format.Version }

// readSelf is who this clone is; false where it was never anybody. A copy of
// another clone has no id until its first turn (enter): the original's is not its
// own. A file without a directory's number is taken as it is.
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

// A Memory is what one call has read of the ref. It is parsed again only where the
// file has changed: a call asks what is known more than once, and a clone with many
// locks has a long file. Nobody changes what it holds.
type Memory struct {
	data  []byte
	state state
}

// recall is what is known of the ref. Nothing is where the file cannot be read: the
// next look tells.
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

// lastSeen is the state of the ref that is configured now: of another one
// nothing is known.
func (f *Fleet) lastSeen() state {
	s := *new(Memory).recall(f.folder)
	if s.Remote != f.Remote || s.Ref != f.Ref {
		return state{Remote: f.Remote, Ref: f.Ref}
	}
	return s
}

// save writes one of the two files whole.
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
	// The next writer of the store sweeps temporary files of that name.
	err := atomicfile.Write(f.root, ".tmp-"+rand.Text(), filepath.Join(Name, name), data, o)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return TurnedOff()
	case err != nil:
		return disk.Unusable("write", path, err)
	}
	return nil
}

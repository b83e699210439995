package fleet

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A Self is who this clone is among the others. It never says which machine.
type Self struct {
	Clone string    `json:"clone"`
	Born  time.Time `json:"born"` // since when it goes by that id
	// Tokens are those of the last swaps that were tried, the newest last. What
	// stands in the ref under this id and carries another one is a copy's.
	Tokens []string `json:"tokens"`
}

const keptTokens = 16

// newSelf draws an id. It does so again where a directory was copied.
func newSelf(now time.Time) Self {
	return Self{Clone: strings.ToLower(rand.Text()[:8]), Born: now.UTC()} // rand.Text: A-Z and 2-7
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

	Mine    map[string]Standing `json:"mine"`              // what stands of this clone, by id
	Ended   []Ended             `json:"ended,omitempty"`   // what others have ended of this clone's
	Carried []string            `json:"carried,omitempty"` // clones whose locks outlive a lost ref until they are published again
	Odd     map[string][]string `json:"odd,omitempty"`     // what was ignored, by clone

	Looked  time.Time     `json:"looked"`  // the last time that the tip was known to be the ref's
	Changed time.Time     `json:"changed"` // the last time that others had moved it
	Failed  time.Time     `json:"failed"`  // the last look that failed, if none succeeded since
	Words   string        `json:"words,omitempty"`
	Broken  *Broken       `json:"broken,omitempty"`
	Lost    time.Time     `json:"lost"`   // when the ref was found deleted or replaced
	Behind  uint64        `json:"behind"` // the number that the remote shows where it lags, else 0
	Push    time.Duration `json:"push"`   // what the last swap took
	Uncut   bool          `json:"uncut,omitempty"`
	Quiet   time.Time     `json:"quiet"` // until then this clone lets others go first
}

// A Standing is one lock of this clone in the ref.
type Standing struct {
	Blob  string `json:"blob"`
	Nonce string `json:"nonce,omitempty"` // of its judged change; "": it was not judged
}

// An Ended is a lock of this clone that another one has ended.
type Ended struct {
	ID string `json:"id"`
	By string `json:"by,omitempty"`
	At string `json:"at"` // a stamp
}

// A Broken is a tip that cannot be read.
type Broken struct {
	Commit    string `json:"commit"`
	Committer string `json:"committer,omitempty"`
	Why       string `json:"why"`
}

func (s *state) rootTree(idSize int) (format.Tree, error) { return format.ParseTree(s.Root, idSize) }

// newer reports whether the ref speaks a later format than this program.
func (s *state) newer() bool { return s.Tip.Format > format.Version }

// readSelf is who this clone is; false where it was never anybody.
func (f *Fleet) readSelf() (Self, bool, error) {
	var s Self
	data, err := f.folder.ReadFile(selfName)
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
		return Self{}, false, fault.New(fault.StoreUnwritable, "%q cannot be read: %v", f.folder.File(selfName), err).
			WithHint("remove it: this clone then takes a new id, and what it has published stays until it is stale")
	}
	return s, true, nil
}

// readState is what is known of the ref. Nothing is where the file cannot be
// read, or is about another ref: the next look tells.
func (f *Fleet) readState() state {
	var s state
	data, err := f.folder.ReadFile(tipName)
	if err != nil || json.Unmarshal(data, &s) != nil || s.Remote != f.Remote || s.Ref != f.Ref {
		s = state{Remote: f.Remote, Ref: f.Ref}
	}
	return s
}

// save writes one of the two files whole.
func (f *Fleet) save(name string, value any) error {
	data, err := json.MarshalIndent(value, "", "\t")
	if err != nil {
		return err
	}
	_, mode := f.Repo.Modes()
	o := atomicfile.Options{Mode: 0o666}
	if mode != 0 {
		o.Mode = mode
	}
	path := f.folder.File(name)
	// The next writer of the store sweeps temporary files of that name.
	if err := atomicfile.Write(f.root, ".tmp-"+rand.Text(), filepath.Join(Name, name), append(data, '\n'), o); err != nil {
		return disk.Unusable("write", path, err)
	}
	return nil
}

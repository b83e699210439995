package lockfile

import "slices"

// A key is one of the frontmatter keys that we know. Keys are written in this order.
type key int

const (
	keyID key = iota
	keyName
	keyVersion
	keyAgentID
	keyParentAgentID
	keyStatus
	keyCreated
	keyUpdated
	keyScope
	keyDeleted
	keyRepository
	keyWorktree
	keyWorktreeName
	keyBranch
	keyHead
	keyMode
	keyLeaseMinutes
	keyLiveSince
	keyNotesSeen
	keyWaitingForPerson
	keyFleet
	keyNonce
	keyLabel
	keyStaleAfter
	keyFinished
	keyFinishedBy
	keyOutcome
	keyMovedTo
	keyCount
)

var keyNames = [keyCount]string{
	"id", "name", "version", "agent_id", "parent_agent_id", "status", "created", "updated", "scope", "deleted",
	"repository", "worktree", "worktree_name", "branch", "head", "mode", "lease_minutes", "live_since",
	"notes_seen", "waiting_for_person", "fleet", "nonce", "label", "stale_after", "finished", "finished_by",
	"outcome", "moved_to",
}

func (k key) String() string { return keyNames[k] }

// A vocabulary is the set of known keys for one kind of file. Other keys are
// foreign to it.
type vocabulary [keyCount]bool

var (
	lockWords  = everyKeyBut(keyName, keyVersion, keyDeleted)
	stateWords = vocabulary{keyName: true, keyVersion: true, keyCreated: true, keyUpdated: true, keyAgentID: true,
		keyScope: true, keyDeleted: true}
)

func everyKeyBut(foreign ...key) (words vocabulary) {
	for k := range keyCount {
		words[k] = !slices.Contains(foreign, k)
	}
	return words
}

// keyOf finds a key by its name, and reports whether it belongs to the vocabulary.
func (words *vocabulary) keyOf(name string) (key, bool) {
	for k, s := range keyNames {
		if s == name {
			return key(k), words[k]
		}
	}
	return 0, false
}

// A kind is the kind of YAML value that a key has.
type kind uint8

const (
	absent kind = iota
	null
	text  // a scalar, with its text as written: 007 and 1e3 stay as they are
	list  // a sequence of such scalars
	other // anything else
)

type value struct {
	kind kind
	text string
	list []string
}

// A front has the values of the known keys of a frontmatter. Both readers, the
// fast and the full one, produce it, and it is interpreted in one place.
type front [keyCount]value

// equal reports whether two values are the same.
func (v value) equal(w value) bool {
	if v.kind != w.kind || v.text != w.text || len(v.list) != len(w.list) {
		return false
	}
	for i := range v.list {
		if v.list[i] != w.list[i] {
			return false
		}
	}
	return true
}

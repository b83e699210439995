package lockfile

import "slices"

// A key is one of the frontmatter's keys that we know, in the order in which
// they are written.
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

// A vocabulary is which keys a kind of file has. Any other is foreign to it.
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

// keyOf finds a key by its name.
func (words *vocabulary) keyOf(name string) (key, bool) {
	for k, s := range keyNames {
		if s == name {
			return key(k), words[k]
		}
	}
	return 0, false
}

// A kind is what sort of YAML a key holds.
type kind uint8

const (
	absent kind = iota
	null
	text  // a scalar, as the text that was written: 007 and 1e3 stay so
	list  // a sequence of such scalars
	other // anything else
)

type value struct {
	kind kind
	text string
	list []string
}

// A front is the part of a frontmatter that we understand. Both readers, the
// fast and the full one, produce it; what it means is decided once, from it.
type front [keyCount]value

// equal reports whether two values say the same.
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

package lockfile

// A key is one of the frontmatter's keys that we know, in the order in which
// they are written.
type key int

const (
	keyID key = iota
	keyAgentID
	keyParentAgentID
	keyStatus
	keyCreated
	keyUpdated
	keyScope
	keyRepository
	keyWorktree
	keyWorktreeName
	keyBranch
	keyHead
	keyMode
	keyLeaseMinutes
	keyLiveSince
	keyFinished
	keyFinishedBy
	keyOutcome
	keyMovedTo
	keyCount
)

var keyNames = [keyCount]string{
	"id", "agent_id", "parent_agent_id", "status", "created", "updated", "scope", "repository",
	"worktree", "worktree_name", "branch", "head", "mode", "lease_minutes", "live_since", "finished", "finished_by", "outcome", "moved_to",
}

func (k key) String() string { return keyNames[k] }

// keyOf finds a key by its name.
func keyOf(name string) (key, bool) {
	for k, s := range keyNames {
		if s == name {
			return key(k), true
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

package lockfile

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// An id and ".md" make one file name of at most 255 bytes, the limit of the
// common file systems.
const maxID = 255 - len(".md")

// stampPart is how much of an id is its stamp and the dash after it.
const stampPart = len(stampLayout) + 1

// ValidID returns why id cannot name a lock, or nil. A valid id is a plain file
// name on every system (no separators, not hidden, not a device) and a plain
// word of a command line in any shell.
func ValidID(id string) error {
	switch {
	case id == "":
		return errors.New("the lock id is empty")
	case len(id) > maxID:
		return fmt.Errorf("the lock id is %d bytes long (at most %d)", len(id), maxID)
	case id[0] == '.':
		return fmt.Errorf("the lock id %s begins with a dot", quote(id))
	case id[0] == '-': // a command would take it for a flag
		return fmt.Errorf("the lock id %s begins with a dash", quote(id))
	case id[len(id)-1] == '.':
		return fmt.Errorf("the lock id %s ends with a dot", quote(id))
	}
	for _, r := range id {
		if !idRune(r) {
			return fmt.Errorf("the lock id %s holds %q (want letters, digits, '.', '_' and '-' only)", quote(id), r)
		}
	}
	if isDevice(id) {
		return fmt.Errorf("the lock id %s names a device on Windows", quote(id))
	}
	return nil
}

func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-'
}

// isDevice reports whether id is a reserved name on Windows, with or without an
// extension.
func isDevice(id string) bool {
	name, _, _ := strings.Cut(strings.ToLower(id), ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && '0' <= name[3] && name[3] <= '9'
}

// SlugOf is the slug of an id: what follows the stamp, or all of it if there is
// no stamp.
func SlugOf(id string) string {
	if _, ok := ClaimedAt(id); !ok {
		return id
	}
	return id[stampPart:]
}

// ClaimedAt is when the lock of an id was claimed, by the stamp that the id
// begins with; false where it begins with none.
func ClaimedAt(id string) (time.Time, bool) {
	if len(id) <= stampPart || id[stampPart-1] != '-' {
		return time.Time{}, false
	}
	return parseFixed(stampLayout, id[:stampPart-1])
}

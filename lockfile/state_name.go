package lockfile

import (
	"errors"
	"fmt"
	"strings"
)

// MaxStateName is the maximum length of a name in the shared state.
const MaxStateName = 64 // bytes

// maxStateParts is the maximum number of parts of a name.
const maxStateParts = 3

// ValidStateName returns why name cannot name an entry of the shared state, or
// nil. Each part of a valid name is a plain file or directory name on every system.
func ValidStateName(name string) error {
	parts := strings.Split(name, "/")
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > MaxStateName:
		return fmt.Errorf("the name %s is %d bytes long (at most %d)", quote(name), len(name), MaxStateName)
	case len(parts) > maxStateParts:
		return fmt.Errorf("the name %s has %d parts (at most %d)", quote(name), len(parts), maxStateParts)
	}
	for _, part := range parts {
		if err := validStatePart(part); err != nil {
			return fmt.Errorf("the name %s %w", quote(name), err)
		}
	}
	return nil
}

func validStatePart(part string) error {
	if part == "" {
		return errors.New("has an empty part")
	}
	for i, r := range part {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
		case i == 0:
			return fmt.Errorf("has a part that begins with %q (want a letter from a to z, or a digit)", r)
		case r != '.' && r != '_' && r != '-':
			return fmt.Errorf("contains %q (want letters from a to z, digits, '.', '_' and '-' only)", r)
		}
	}
	switch {
	case strings.HasSuffix(part, "."):
		return fmt.Errorf("has a part that ends in a dot")
	case strings.HasSuffix(part, ".md"):
		return fmt.Errorf("has a part that ends in .md")
	case isDevice(part):
		return fmt.Errorf("has a part that names a device on Windows, %s", quote(part))
	}
	return nil
}

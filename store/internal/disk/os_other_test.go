//go:build !unix

package disk

import (
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func osRoles() map[string]storetest.Role { return map[string]storetest.Role{} }

// plantOS adds nothing: its files exist only on Unix.
func plantOS(*testing.T, string, map[string]string) {}

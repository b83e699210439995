//go:build !unix

package disk

import (
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func osRoles() map[string]storetest.Role { return map[string]storetest.Role{} }

// plantOS has nothing to add: what it would plant exists on Unix only.
func plantOS(*testing.T, string, map[string]string) {}

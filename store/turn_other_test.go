//go:build !unix

package store

import "github.com/agent-locks/agent-locks/store/internal/storetest"

func osRoles() map[string]storetest.Role { return map[string]storetest.Role{} }

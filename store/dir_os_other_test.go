//go:build !unix

package store

import (
	"fmt"
	"testing"
)

func playOS(role string, _ []string) error { return fmt.Errorf("no such role: %s", role) }

// plantOS has nothing to add: what it would plant exists on Unix only.
func plantOS(*testing.T, string, map[string]string) {}

//go:build !unix

package store

import "fmt"

func playOS(role string, _ []string) error { return fmt.Errorf("no such role: %s", role) }

//go:build !windows

package cli

import "os"

// speakANSI has nothing to do: terminals understand escape sequences.
func speakANSI(*os.File) (restore func()) { return func() {} }

//go:build !windows

package cli

import "os"

// speakANSI does nothing: terminals here understand escape sequences.
func speakANSI(*os.File) (restore func()) { return func() {} }

package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// speakANSI makes a console interpret escape sequences, which by default it
// prints verbatim, and returns a function that restores its mode.
func speakANSI(f *os.File) (restore func()) {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil || mode&windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING != 0 {
		return func() {} // a file or a pipe, or nothing to do
	}
	windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	return func() { windows.SetConsoleMode(console, mode) }
}

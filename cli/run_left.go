package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A process is one that a command left running. It may keep writing files that
// nobody holds any more.
type process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

const (
	maxLeft   = 10                    // how many processes are named
	leftPause = 50 * time.Millisecond // gives those that are about to end time to do so
)

// runMark is an environment variable that is set only for the command and for
// its descendants, as far as they keep their environment.
func runMark() string { return runVariable + "=" + strconv.Itoa(os.Getpid()) }

const runVariable = "AGENT_LOCKS_RUN_PID"

// stillRunning returns the processes that the command left running.
func stillRunning(before []process) []process {
	left := leftRunning(before)
	for range 4 {
		if len(left) == 0 {
			break
		}
		time.Sleep(leftPause)
		left = leftRunning(before)
	}
	return append([]process{}, left...)
}

// inWords returns the warning that names them.
func inWords(left []process) []string {
	if len(left) == 0 {
		return nil
	}
	more := ""
	if n := len(left) - maxLeft; n > 0 {
		left, more = left[:maxLeft], fmt.Sprintf(" and %d more", n)
	}
	names := make([]string, len(left))
	for i, p := range left {
		names[i] = fmt.Sprintf("%d (%s)", p.PID, p.Name)
	}
	return []string{"still running, though the lock has ended: " + strings.Join(names, ", ") + more}
}

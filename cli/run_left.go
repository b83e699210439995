package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A process is one that a command left running: it may keep writing files that
// nobody holds any more.
type process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
}

const (
	maxLeft   = 10                    // processes that are named
	leftPause = 50 * time.Millisecond // for those that are about to end
)

// runMark is a variable in the environment of all that our command starts, as far as
// that keeps its environment, and of nothing else.
func runMark() string { return runVariable + "=" + strconv.Itoa(os.Getpid()) }

const runVariable = "AGENT_LOCKS_RUN_PID"

// stillRunning are the processes that our command has left running.
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

// inWords is the warning that names them.
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

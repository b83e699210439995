//go:build unix && !linux

package cli

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// orphans returns the processes of our own process group whose parents have
// ended.
func orphans() []process {
	out, err := exec.Command("/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,comm=").Output()
	if err != nil {
		return nil
	}
	group := strconv.Itoa(syscall.Getpgrp())
	var found []process
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[1] != "1" || fields[2] != group {
			continue
		}
		if pid, err := strconv.Atoi(fields[0]); err == nil {
			found = append(found, process{pid, filepath.Base(strings.Join(fields[3:], " "))})
		}
	}
	return found
}

// leftRunning returns the orphans that did not exist before the command. One
// that has moved to another process group is missed: nothing links it to the
// command.
func leftRunning(before []process) []process {
	return slices.DeleteFunc(orphans(), func(p process) bool { return slices.Contains(before, p) })
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// orphans has nothing to return on Linux: leftRunning recognizes processes by
// their environment.
func orphans() []process { return nil }

// leftRunning returns the running processes that have the command's
// environment, whether or not their parents are still alive.
func leftRunning(_ []process) []process {
	mine := []byte("\x00" + runMark() + "\x00")
	marks, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var found []process
	for _, mark := range marks {
		environ, err := os.ReadFile(mark)
		if err != nil { // it has ended, or belongs to another user
			continue
		}
		if !bytes.Contains(append([]byte{0}, environ...), mine) {
			continue
		}
		dir := filepath.Dir(mark)
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		name, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err == nil {
			found = append(found, process{pid, strings.TrimSuffix(string(name), "\n")})
		}
	}
	return found
}

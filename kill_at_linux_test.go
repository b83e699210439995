package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// kill-at N program args... runs a program, and kills it (SIGKILL) as it is about to
// take its Nth step: to change a name in a store, or to start another program. It
// prints which step that was, or "ended", to stderr. A debugger's means do that (ptrace), so that
// the program itself knows nothing of it.
func killAt() {
	n, err := strconv.Atoi(os.Args[1])
	var step string
	if err == nil {
		step, err = trace(n, exec.Command(os.Args[2], os.Args[3:]...))
	}
	if err != nil {
		step = "failed: " + err.Error()
	}
	fmt.Fprintln(os.Stderr, step)
}

func init() { programs["kill-at"] = killAt }

// trace follows the threads of a program, and none of the programs that it starts.
func trace(n int, cmd *exec.Cmd) (string, error) {
	runtime.LockOSThread() // the system knows a debugger by its thread
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = os.Stdout, os.Stdout, &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	pid := cmd.Process.Pid
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil {
		return "", err
	}
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_EXITKILL
	if err := unix.PtraceSetOptions(pid, options); err != nil {
		return "", err
	}
	for tid, signal, killed := pid, 0, ""; ; {
		if err := unix.PtraceSyscall(tid, signal); err != nil && !errors.Is(err, unix.ESRCH) {
			return "", err
		}
		var err error
		for tid, err = 0, unix.EINTR; errors.Is(err, unix.EINTR); {
			tid, err = unix.Wait4(-1, &status, unix.WALL, nil)
		}
		switch {
		case errors.Is(err, unix.ECHILD) && killed != "":
			return killed, nil
		case errors.Is(err, unix.ECHILD):
			return "ended", nil
		case err != nil:
			return "", err
		case !status.Stopped():
			signal = 0
			continue
		}
		signal = int(status.StopSignal())
		switch signal {
		case int(unix.SIGTRAP | 0x80): // it calls the system, or returns from there
			signal = 0
			if step := stepOf(tid); step != "" && killed == "" {
				if n--; n == 0 {
					killed = step
					if err := unix.Kill(pid, unix.SIGKILL); err != nil {
						return "", err
					}
				}
			}
		case int(unix.SIGTRAP), int(unix.SIGSTOP): // a thread more, and that thread
			signal = 0
		}
	}
}

// A systemCall is struct ptrace_syscall_info where op is 1, a call that begins.
type systemCall struct {
	op     uint8
	_      [3]uint8
	_      uint32
	_, _   uint64
	number uint64
	args   [6]uint64
	_      [2]uint64 // of other kinds
}

// stepOf is the step that a thread is about to take; "": it takes none.
func stepOf(tid int) string {
	const getInfo = 0x420e
	var call systemCall
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, getInfo, uintptr(tid), unsafe.Sizeof(call), uintptr(unsafe.Pointer(&call)), 0, 0)
	if errno != 0 || call.op != 1 {
		return ""
	}
	if call.number == unix.SYS_CLONE && call.args[0]&unix.CLONE_VFORK != 0 && call.args[0]&0xff != 0 {
		return "start of a program"
	}
	for _, known := range []struct {
		name   string
		number uint64
		dir    int // its argument that is a directory; the name is the next one
	}{
		{"rename", unix.SYS_RENAMEAT, 2}, {"rename", unix.SYS_RENAMEAT2, 2}, {"remove", unix.SYS_UNLINKAT, 0},
		{"mkdir", unix.SYS_MKDIRAT, 0}, {"link", unix.SYS_LINKAT, 2}, {"touch", unix.SYS_UTIMENSAT, 0}, {"create", unix.SYS_OPENAT, 0},
	} {
		if call.number != known.number || known.name == "create" && call.args[2]&unix.O_CREAT == 0 {
			continue
		}
		path := pathOf(tid, int32(call.args[known.dir]), uintptr(call.args[known.dir+1]))
		_, name, ok := strings.Cut(path, "/agents-locks/")
		unnamed := strings.Contains(name, ".tmp-") || strings.HasPrefix(name, "fleet.git/objects")
		if ok && !unnamed { // what nothing leads to yet is no step
			return known.name + " " + name
		}
	}
	return ""
}

// pathOf reads a name from a thread's memory.
func pathOf(tid int, dir int32, address uintptr) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", tid))
	if err != nil {
		return ""
	}
	defer mem.Close()
	buffer := make([]byte, unix.PathMax)
	n, _ := mem.ReadAt(buffer, int64(address)) // the memory may end behind the name
	name, _, _ := bytes.Cut(buffer[:n], []byte{0})
	at := fmt.Sprintf("/proc/%d/fd/%d", tid, dir)
	if dir == unix.AT_FDCWD {
		at = fmt.Sprintf("/proc/%d/cwd", tid)
	}
	if parent, err := os.Readlink(at); err == nil && !filepath.IsAbs(string(name)) {
		return filepath.Join(parent, string(name))
	}
	return string(name)
}

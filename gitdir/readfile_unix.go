//go:build unix

package gitdir

import "syscall"

// nonBlocking opens a fifo at once, instead of when somebody writes to it.
const nonBlocking = syscall.O_NONBLOCK

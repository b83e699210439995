package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"
)

// Main runs this process's command line and returns its exit code. The first
// SIGINT, SIGTERM or SIGHUP cancels the context; a later one ends the process
// at once.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), notIgnored(endings())...)
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) })
	defer speakANSI(os.Stdout)()
	return Run(ctx, World{
		Args:             os.Args[1:],
		Stdin:            os.Stdin,
		Stdout:           os.Stdout,
		Stderr:           os.Stderr,
		Environ:          os.Environ,
		Getwd:            os.Getwd,
		Now:              time.Now,
		TempDir:          os.TempDir(),
		Executable:       os.Executable,
		StdinIsTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		StderrIsTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		Columns:          columns,
		Rows:             rows,
		Keys:             keys(),
		OutputGone:       outputGone,
		Signals:          subscribe,
		IgnoreBrokenPipe: func() { signal.Ignore(syscall.SIGPIPE) },
	})
}

// sameSignal is how long a repeated signal counts as the same one: a signal
// sent to a process group arrives a second time from a parent that forwards it,
// such as npm's launcher script.
const sameSignal = 250 * time.Millisecond

func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }

// notIgnored removes the signals that the parent chose to ignore (nohup, a
// shell's background jobs), since Notify would enable them again.
// signal.Ignored knows only INT and HUP, so some always remain; Notify without
// signals would mean all of them.
func notIgnored(all []os.Signal) []os.Signal {
	return slices.DeleteFunc(all, signal.Ignored)
}

// subscribe receives the signals that end programs, including SIGQUIT, the
// terminal's Ctrl-\.
func subscribe() (<-chan os.Signal, func()) {
	heard := make(chan os.Signal, 8)
	signal.Notify(heard, notIgnored(append(endings(), syscall.SIGQUIT))...)
	return heard, func() { signal.Stop(heard) }
}

func columns() int {
	if !term.IsTerminal(int(os.Stdout.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width <= 0 {
		return 80 // a terminal that does not report its width
	}
	return width
}

func rows() int {
	if _, height, err := term.GetSize(int(os.Stdout.Fd())); err == nil && height > 0 {
		return height
	}
	return 24
}

func keys() func() (<-chan byte, func(), error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return nil
	}
	return func() (<-chan byte, func(), error) {
		before, err := term.MakeRaw(in)
		if err != nil {
			return nil, nil, err
		}
		typed := make(chan byte)
		go func() { // ends with the process, since a read of a terminal cannot be canceled
			key := make([]byte, 1)
			for {
				if n, err := os.Stdin.Read(key); n != 1 || err != nil {
					return
				}
				typed <- key[0]
				if leaves(key[0]) {
					return // what is typed after it is for the shell
				}
			}
		}()
		return typed, func() { term.Restore(in, before) }, nil
	}
}

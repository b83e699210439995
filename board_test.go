package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A terminal is a real one, in tmux: what is typed into it and what it shows.
type terminal struct {
	t    *testing.T
	tmux []string
	dir  string
}

func newTerminal(t *testing.T, columns, rows int) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir := t.TempDir()
	socket := filepath.Join(dir, "tmux")
	term := &terminal{t: t, tmux: []string{"-S", socket, "-f", os.DevNull}, dir: dir}
	term.run("new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "-c", dir,
		"env", "-u", "NO_COLOR", "GIT_CONFIG_GLOBAL="+os.DevNull, "PS1=ready$ ", "PATH="+os.Getenv("PATH"), "sh")
	t.Cleanup(func() { exec.Command("tmux", append(term.tmux, "kill-server")...).Run() })
	return term
}

func (term *terminal) run(args ...string) string {
	term.t.Helper()
	out, err := exec.Command("tmux", append(append([]string{}, term.tmux...), args...)...).CombinedOutput()
	if err != nil {
		term.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (term *terminal) keys(keys ...string) {
	term.t.Helper()
	term.run(append([]string{"send-keys"}, keys...)...)
}

// await returns what the terminal shows once that holds.
func (term *terminal) await(what string, holds func(screen string) bool) string {
	term.t.Helper()
	screen := ""
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if screen = term.run("capture-pane", "-p"); holds(screen) {
			return screen
		}
	}
	term.t.Fatalf("the terminal never shows %s:\n%s", what, screen)
	return ""
}

func (term *terminal) shows(text string) string {
	term.t.Helper()
	return term.await(text, func(screen string) bool { return strings.Contains(screen, text) })
}

// prompts returns once the shell has asked for its next command.
func (term *terminal) prompts() {
	term.t.Helper()
	term.await("the prompt, and no board", func(screen string) bool {
		lines := strings.Split(strings.TrimSpace(screen), "\n")
		return strings.HasPrefix(lines[len(lines)-1], "ready$") && !strings.Contains(lines[len(lines)-1], "agent-locks")
	})
}

func TestBoardInATerminal(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	term := newTerminal(t, 100, 20)
	claim := func(title, scope string) {
		t.Helper()
		cmd := exec.Command("agent-locks", "claim", "--title", title, "--scope", scope, "--task", "Write "+scope, "--agent", "agent-1")
		cmd.Dir = term.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	term.keys("git init -q .", "Enter")
	term.await("a repository", func(string) bool {
		_, err := os.Stat(filepath.Join(term.dir, ".git", "HEAD"))
		return err == nil
	})
	term.keys("agent-locks board", "Enter")
	term.shows("no active locks")
	claim("Fix 物語", "src/**")
	screen := term.shows("fix")
	for _, part := range []string{"locks in ", "Fix 物語", "next: Write src/**", "q quits"} {
		if !strings.Contains(screen, part) {
			t.Errorf("the board does not show %q:\n%s", part, screen)
		}
	}

	// More than there is room for is counted, and the header stays.
	for i := range 12 {
		claim(fmt.Sprintf("Part %d", i), fmt.Sprintf("part%d", i))
	}
	screen = term.shows(" more")
	if !strings.HasPrefix(screen, "locks in ") || !strings.Contains(screen, "q quits") {
		t.Errorf("the board has lost its header or its last line:\n%s", screen)
	}
	counted := func(screen string) (shown, more int) {
		for line := range strings.Lines(screen) {
			if strings.Contains(line, "next: ") {
				shown++
			}
			fmt.Sscanf(line, "+%d more", &more)
		}
		return shown, more
	}
	term.await("all 13 locks, shown or counted", func(screen string) bool {
		shown, more := counted(screen)
		return shown > 0 && shown+more == 13
	})

	// It follows the size of the terminal.
	term.run("resize-window", "-x", "45", "-y", "60")
	screen = term.await("all 13 locks", func(screen string) bool {
		shown, _ := counted(screen)
		return shown == 13 && !strings.Contains(screen, "more")
	})
	for i := range 12 {
		if !strings.Contains(screen, fmt.Sprintf("part-%d ", i)) {
			t.Errorf("the id part-%d is not whole at 45 columns:\n%s", i, screen)
		}
	}

	// q gives the terminal back as it was, and what is typed after it goes to the shell.
	term.keys("qecho exit $?")
	term.prompts()
	term.keys("Enter")
	term.shows("exit 0")

	// So does an interrupt, typed or sent.
	for _, interrupt := range []func(){
		func() { term.keys("C-c") },
		func() {
			pid := strings.TrimSpace(term.run("display-message", "-p", "#{pane_pid}"))
			if out, err := exec.Command("pkill", "-INT", "-P", pid, "agent-locks").CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		},
	} {
		term.keys("clear; agent-locks status --watch", "Enter")
		term.shows("q quits")
		interrupt()
		term.prompts()
		term.keys("echo exit $?", "Enter")
		term.shows("exit 130")
	}
	term.keys("stty -a | grep -o ' echo '", "Enter")
	term.await("that the terminal echoes again", func(screen string) bool { return strings.Contains(screen, "\n echo") })
}

package guard

import (
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A hook that we did not write certainly runs the guard only if the guard is
// its first command, in one of a few forms that end the hook with the guard's
// exit code. For any other hook that names the program, the answer is unknown.

var (
	// guardLine runs the guard and ends the hook with its exit code unless that is 0.
	guardLine = lazily(`^(?:! command -v agent-locks >/dev/null(?: 2>&1)? \|\| )?(exec )?` +
		`(agent-locks|/[\w./+@-]*/agent-locks|"/[\w./+@ -]*/agent-locks"|'/[\w./+@ -]*/agent-locks') guard check(?: --quiet)?( \|\| exit(?: 1| \$\?)?)?$`)
	// errexit makes the shell exit when a command fails.
	errexit = lazily(`^set -[ux]*e[ux]*$`)
	// mention matches the program's name, or its hook's, outside of comments.
	mention = lazily(`(?m)^(?:[^#\n]|[^\s#]#)*\bagent-locks(-guard)?([^\w-]|$)`)
)

// lazily compiles a pattern on first use. Otherwise each start of the program,
// and hooks start it often, would compile all of them.
func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

func mentions(text string) bool { return mention().MatchString(text) }

// plainCall returns the program that a hook runs as the guard, or "" if that is not certain.
func plainCall(text string) string {
	options, plain := shellOptions(text)
	if !plain || strings.Trim(options, "eux") != "" || strings.ContainsRune(text, 0) {
		return ""
	}
	ends := strings.Contains(options, "e")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.Trim(line, " \t")
		switch {
		case line == "" || line[0] == '#':
			continue
		case errexit().MatchString(line):
			ends = true
			continue
		}
		found := guardLine().FindStringSubmatch(line)
		last := strings.Trim(strings.Join(lines[i+1:], ""), " \t") == ""
		if found != nil && (ends || last || found[1] != "" || found[3] != "") {
			return strings.Trim(found[2], `"'`)
		}
		return ""
	}
	return ""
}

// shellOptions returns the letters of the shell options in a hook's first line.
// plain means that the shell then certainly runs the hook, which -n, -c or the
// name of another script would prevent.
func shellOptions(text string) (options string, plain bool) {
	line, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return "", true // git runs it with sh
	}
	words := strings.Fields(line)
	at := slices.IndexFunc(words, func(word string) bool {
		return slices.Contains(shells(), strings.TrimSuffix(filepath.Base(filepath.FromSlash(word)), ".exe"))
	})
	if at < 0 || !systems(words[0]) ||
		slices.ContainsFunc(words[:at], isNoLauncher) {
		return "", false
	}
	for _, word := range words[at+1:] {
		letters, ok := strings.CutPrefix(word, "-")
		if !ok || letters == "" || strings.Trim(letters, "abefhiklmpuvxBCEHP") != "" {
			return "", false
		}
		options += letters
	}
	return options, true
}

// systems reports whether a program in a hook's first line is one of the
// system's and exists: another path could be a different program of the same
// name. On Windows, git finds its own programs by name alone.
func systems(program string) bool {
	if runtime.GOOS == "windows" {
		return filepath.IsAbs(program) || strings.HasPrefix(program, "/")
	}
	_, err := atPath(program)
	dirs := []string{"/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"}
	return err == nil && slices.Contains(dirs, filepath.Dir(program))
}

// isNoLauncher reports whether a word before the shell's name is anything but a
// program or option that starts it.
func isNoLauncher(word string) bool {
	return !slices.Contains([]string{"env", "busybox", "-S"}, filepath.Base(filepath.FromSlash(word)))
}

// called assesses somebody else's hook that names the program.
func (sh Shell) called(f file) Status {
	program := plainCall(f.text)
	if program == "" {
		return unknown("%q names agent-locks, but the guard may not decide over a commit there; "+
			"it does where this is the first command: %s", f.path, Line)
	}
	look, where := sh.LookPath, "there is none on PATH"
	if program != "agent-locks" {
		look, where = atPath, "there is no such program"
	}
	path, err := look(program)
	if err != nil {
		return not("%q calls %q, and %s", f.path, program, where)
	}
	return sh.trusted(path, fmt.Sprintf("%q runs %q", f.path, path))
}

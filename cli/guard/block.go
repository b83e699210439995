package guard

import (
	"fmt"
	"hash/crc32"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A kind is how a file contains our block.
type kind string

const (
	added kind = "added" // added to an existing shell hook
	whole kind = "whole" // in a file of our own
	chain kind = "chain" // in a file of our own that runs the previous hook
)

// A block is our part of a hook, in POSIX sh that all the supported shells read alike.
type block struct {
	kind    kind
	program string // absolute path of the agent-locks that installed it
	before  string // for chain: the file name of the previous hook
}

const (
	blockBegin = "# >>> agent-locks guard"
	blockEnd   = "# <<< agent-locks guard\n"
)

// text returns the block. The shell reads it to its end before running any of
// it, so the file may be replaced meanwhile. The block leaves no variables
// behind. The guard inherits git's own variables (GIT_DIR, GIT_INDEX_FILE), and
// respects them as git does.
//
// The program that installed the guard is tried first, since another one of
// that name on the PATH may be anything. The one on the PATH is used if the
// first is gone, for example after an upgrade, or cannot be executed.
func (b block) text() string {
	body := fmt.Sprintf(`# "agent-locks guard uninstall" takes these lines out again.
{
(
	guard() {
		[ -f "$1" ] && [ -x "$1" ] || return 0
		"$1" guard check --quiet
		code=$?
		[ $code -eq 126 ] || [ $code -eq 127 ] || exit $code
	}
	guard %[1]s
	guard "$(command -v agent-locks)"
	printf 'agent-locks: THE GUARD DID NOT RUN, this commit is unchecked: no agent-locks at %%s nor on PATH\n' %[1]s >&2
) || exit
%[2]s}
`, quote(b.program), b.chained())
	return fmt.Sprintf("%s (%s, sum %s)\n", blockBegin, b.kind, sum(b.kind, body)) + body + blockEnd
}

// chained returns the commands that run the previous hook. They find it
// relative to the hook's own path, so the repository may be moved, and by its
// original name, whatever the current name of this hook is.
func (b block) chained() string {
	if b.kind != chain {
		return ""
	}
	return fmt.Sprintf(`hook=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)%s/%s
[ -e "$hook" ] || echo "agent-locks: the hook that was here before is gone: $hook" >&2
[ -x "$hook" ] || exit 0
exec "$hook" "$@"
`, asideSuffix, b.before)
}

// script returns the block as a complete file.
func (b block) script() string { return shebang + b.text() }

const shebang = "#!/bin/sh\n"

// sum returns a checksum that reveals whether a block was edited after it was
// written, by whatever version.
func sum(k kind, body string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(string(k)+"\n"+body)))
}

// insert adds a block to a shell script, before any of its commands.
func insert(script string, b block) string {
	if !strings.HasPrefix(script, "#!") {
		return b.text() + script
	}
	first, rest, ended := strings.Cut(script, "\n")
	if !ended { // only a first line: it gets the newline, and the block ends without one
		return first + "\n" + strings.TrimSuffix(b.text(), "\n")
	}
	return first + "\n" + b.text() + rest
}

// parts are the parts of a hook that contains our block.
type parts struct {
	found  bool
	edited bool // the block was changed after it was written, so its effect is unknown
	late   bool // something runs before it
	head   string
	block  string
	tail   string
	kind   kind
}

var beginLine = lazily(`^` + regexp.QuoteMeta(blockBegin) + ` \((\w+), sum ([0-9a-f]{8})\)\n`)

// split finds our block in a hook.
func split(text string) parts {
	i := strings.Index(text, blockBegin)
	if i < 0 {
		return parts{}
	}
	p := parts{found: true, edited: true, head: text[:i]}
	m := beginLine().FindStringSubmatch(text[i:])
	if m == nil {
		return p
	}
	body, tail, ok := strings.Cut(text[i+len(m[0]):], strings.TrimSuffix(blockEnd, "\n"))
	if !ok || tail != "" && tail[0] != '\n' || strings.Contains(tail, blockBegin) {
		return p
	}
	p.kind, p.block = kind(m[1]), m[0]+body+blockEnd
	p.tail = strings.TrimPrefix(tail, "\n")
	if tail == "" { // see insert
		p.head = strings.TrimSuffix(p.head, "\n")
	}
	p.late = strings.Count(p.head, "\n") > 1 || p.head != "" && !strings.HasPrefix(p.head, "#!")
	// What follows a block that ends in exec never runs.
	p.edited = m[2] != sum(p.kind, body) || p.kind == chain && p.tail != ""
	return p
}

// rest returns the hook without our block, which is the original hook.
func (p parts) rest() string { return p.head + p.tail }

// empty reports whether the file contains nothing but what we wrote.
func (p parts) empty() bool { return p.kind != added && p.rest() == shebang }

// with returns the hook with our block replaced by another.
func (p parts) with(b block) string {
	if p.head != "" && !strings.HasSuffix(p.head, "\n") {
		return p.head + "\n" + strings.TrimSuffix(b.text(), "\n")
	}
	return p.head + b.text() + p.tail
}

// program returns the program's path recorded in the block, or "".
func (p parts) program() string { return recorded(p.block, `(?m)^\tguard '(.*)'$`) }

// before returns the name of the hook that the block runs.
func (p parts) before() string {
	m := regexp.MustCompile(regexp.QuoteMeta(asideSuffix) + `/(\S+)\n`).FindStringSubmatch(p.block)
	if m == nil {
		return hookName
	}
	return m[1]
}

func recorded(text, pattern string) string {
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], `'\''`, "'")
}

// quote returns s as one word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// takesBlock reports whether our block can be added to a hook without changing
// what the hook does: the hook is a script for a POSIX-compatible shell, and
// does not read its own file.
func takesBlock(text string) bool {
	return slices.Contains(shells(), interpreter(text)) && !strings.ContainsRune(text, 0) && !readsItself(text)
}

func shells() []string {
	return []string{"sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "pdksh", "yash", "zsh"}
}

// interpreter returns the name of the program in a hook's first line. Without
// such a line it is sh, which git falls back to; if the line names no program, it is "".
func interpreter(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "#!")
	if !ok {
		return "sh"
	}
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if name := strings.TrimSuffix(path.Base(word), ".exe"); name != "env" && name != "busybox" {
			return name
		}
	}
	return ""
}

// carriageReturn reports whether a hook's first line ends in a carriage return.
// Except on Windows, it becomes part of the interpreter's name.
func carriageReturn(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r")
}

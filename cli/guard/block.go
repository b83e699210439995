package guard

import (
	"fmt"
	"hash/crc32"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A kind is how our block stands in a file.
type kind string

const (
	added kind = "added" // into a shell hook that was there before
	whole kind = "whole" // in a file of our own
	chain kind = "chain" // in a file of our own that runs the hook from before
)

// A block is our part of a hook: POSIX sh that the other shells read alike.
type block struct {
	kind    kind
	program string // absolute path of the agent-locks that installed it
	before  string // chain: the name of the hook from before, in its directory
}

const (
	blockBegin = "# >>> agent-locks guard"
	blockEnd   = "# <<< agent-locks guard\n"
)

// text is the block as it is written. The shell has read it to its end before
// it runs any of it, so it may be replaced meanwhile. It leaves no variable
// behind, and git's own (GIT_DIR, GIT_INDEX_FILE) to the guard, which respects
// them as git does.
//
// The program that installed the guard comes first: another of that name on
// PATH may be anything. That is asked where the first one is gone, as after an
// upgrade, or cannot be run.
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

// chained runs the hook from before. It finds it by its own place, so that a
// repository may be moved, and by the name it was given, under whatever name it
// runs itself.
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

// script is the block as a file of our own.
func (b block) script() string { return shebang + b.text() }

const shebang = "#!/bin/sh\n"

// sum tells a block that was edited since from one that was not, whichever
// version wrote it.
func sum(k kind, body string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(string(k)+"\n"+body)))
}

// insert puts a block into a shell script, ahead of all that it does.
func insert(script string, b block) string {
	if !strings.HasPrefix(script, "#!") {
		return b.text() + script
	}
	first, rest, ended := strings.Cut(script, "\n")
	if !ended { // a first line alone: it gets the newline that our end gives up
		return first + "\n" + strings.TrimSuffix(b.text(), "\n")
	}
	return first + "\n" + b.text() + rest
}

// parts are a hook with our block in it.
type parts struct {
	found  bool
	edited bool // the block is not as it was written, so what it does is not known
	late   bool // something runs ahead of it
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

// rest is the hook without our block: what it was before.
func (p parts) rest() string { return p.head + p.tail }

// empty reports whether nothing is in the file but what we wrote.
func (p parts) empty() bool { return p.kind != added && p.rest() == shebang }

// with is the hook with another block in the place of ours.
func (p parts) with(b block) string {
	if p.head != "" && !strings.HasSuffix(p.head, "\n") {
		return p.head + "\n" + strings.TrimSuffix(b.text(), "\n")
	}
	return p.head + b.text() + p.tail
}

// program is the path that the block has recorded; "" where it has none.
func (p parts) program() string { return recorded(p.block, `(?m)^\tguard '(.*)'$`) }

// before is the name of the hook that the block runs.
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

// quote is s as one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// takesBlock reports whether our block can stand in a hook without changing
// what the hook does: it is a script of a shell that reads POSIX sh, and it
// does not read itself, as data or in another language.
func takesBlock(text string) bool {
	return slices.Contains(shells(), interpreter(text)) && !strings.ContainsRune(text, 0) && !readsItself(text)
}

func shells() []string {
	return []string{"sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "pdksh", "yash", "zsh"}
}

// interpreter is the name of the program that a hook's first line asks for.
// Without such a line it is sh, which git falls back to; where the line cannot
// be read, "".
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

// carriageReturn reports whether a hook's first line ends in one, which belongs
// to the interpreter's name for every system but Windows.
func carriageReturn(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r")
}

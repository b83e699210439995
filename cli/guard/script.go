// Package guard puts the commit guard into git's pre-commit hook and takes it
// out again.
//
// What a hook says and how a hook that was there before is called are pure
// functions of text (script.go, chain.go); where git looks for hooks is asked
// of git (place.go); files are changed in install.go and uninstall.go, whole
// and never through a symbolic link.
package guard

import (
	"fmt"
	"hash/crc32"
	"strings"
)

const (
	hookName = "pre-commit"
	// Sibling is the file, beside the hook, that holds the hook that was there
	// before, byte for byte.
	Sibling = hookName + ".before-agent-locks"

	marker = "# agent-locks guard: refuses commits of files that somebody else holds."
	sumKey = "# sum "
)

// A Script is our hook.
type Script struct {
	Program string   // absolute path of agent-locks, where it is not on PATH
	Chain   []string // how the sibling is run; nil: there is none
}

// Text is the hook as it is written: POSIX sh. It finds the sibling by its own
// place, so that a repository may be moved, and it leaves git's variables
// (GIT_DIR, GIT_INDEX_FILE) to the guard, which heeds them as git does.
func (s Script) Text() string {
	var b strings.Builder
	b.WriteString(marker + `
# Installed by "agent-locks guard install"; "agent-locks guard uninstall" takes
# it out again and puts back what was here before.
`)
	if s.Chain != nil {
		fmt.Fprintf(&b, `case $0 in
*/*) AGENT_LOCKS_CHAINED=${0%%/*}/%[1]s ;;
*) AGENT_LOCKS_CHAINED=./%[1]s ;;
esac
export AGENT_LOCKS_CHAINED
if [ -f "$AGENT_LOCKS_CHAINED" ] && [ -x "$AGENT_LOCKS_CHAINED" ]; then
	%[2]s "$@" || exit
elif [ ! -f "$AGENT_LOCKS_CHAINED" ]; then
	echo "agent-locks: the hook that was here before is gone: $AGENT_LOCKS_CHAINED" >&2
fi
unset AGENT_LOCKS_CHAINED
`, Sibling, strings.Join(s.Chain, " "))
	}
	fmt.Fprintf(&b, `agent_locks=$(command -v agent-locks) && [ -x "$agent_locks" ] || agent_locks=%s
status=127
if [ -x "$agent_locks" ]; then
	"$agent_locks" guard check --quiet
	status=$?
fi
case $status in
126 | 127)
	echo "agent-locks: THE GUARD DID NOT RUN, this commit is unchecked: no agent-locks on PATH nor at $agent_locks" >&2
	exit 0
	;;
esac
exit $status
`, quote(s.Program))
	body := b.String()
	return "#!/bin/sh\n" + sumKey + sum(body) + "\n" + body
}

// sum tells a hook of ours that was edited since from one that was not,
// whichever version wrote it.
func sum(body string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) }

// Ours reports whether a hook's text is a Script, and whether it was edited
// since it was written.
func Ours(text string) (ours, edited bool) {
	if !strings.Contains(text, marker+"\n") {
		return false, false
	}
	rest, ok := strings.CutPrefix(text, "#!/bin/sh\n"+sumKey)
	said, body, cut := strings.Cut(rest, "\n")
	return true, !ok || !cut || said != sum(body)
}

// quote is s as one word of a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

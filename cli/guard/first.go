package guard

import (
	"fmt"
	"hash/crc32"
	"path/filepath"
	"strings"
)

// The first release wrote a script of its own and kept the hook from before
// beside it. Such an installation is taken over, and taken out.
const (
	firstSibling = hookName + ".before-agent-locks"
	firstMarker  = "# agent-locks guard: refuses commits of files that somebody else holds.\n"
)

// firstScript reports whether a hook is the first release's, and whether it was
// edited since it was written.
func firstScript(text string) (found, edited bool) {
	if !strings.Contains(text, firstMarker) {
		return false, false
	}
	rest, ok := strings.CutPrefix(text, shebang+"# sum ")
	said, body, cut := strings.Cut(rest, "\n")
	return true, !ok || !cut || said != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

func firstProgram(text string) string { return recorded(text, `(?m)\|\| agent_locks='(.*)'$`) }

// firstKept is what the first release kept of the hook that stood at a path.
// What it kept of a framework that has moved its script aside since is not to
// be run from there: the framework runs that, and refuses to be run by it.
func firstKept(dir string, at file) (file, error) {
	kept, err := look(filepath.Join(dir, firstSibling))
	if err == nil && at.name() != hookName && isFramework(kept.text) {
		return file{}, nil
	}
	return kept, err
}

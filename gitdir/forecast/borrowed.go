package forecast

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

const (
	replaced   = "refs/replace/"
	maxHistory = 64 << 20 // bytes of a file that says where history ends or continues
)

// borrowHistory has the scratch repository see the history that r sees: where a
// shallow clone ends, grafts, and objects that stand for others. The user's
// settings say whether those count (rules, Apart).
func (s *scratch) borrowHistory(r *gitdir.Repo, refs []ref) error {
	for _, name := range []string{"shallow", "info/grafts"} {
		from := filepath.Join(r.CommonDir, filepath.FromSlash(name))
		if info, err := os.Stat(from); err == nil && info.Size() > maxHistory {
			return fmt.Errorf("%q has more than %d MiB", from, maxHistory>>20)
		}
		if err := copyFile(from, s.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if packed := packedReplacements(refs); packed != "" {
		return s.write("packed-refs", packed)
	}
	return nil
}

// packedReplacements are those of the refs that git takes for replacements, as lines.
func packedReplacements(refs []ref) string {
	var b strings.Builder
	for _, r := range refs {
		if id, ok := strings.CutPrefix(r.name, replaced); ok && isID(id) && isID(r.id) {
			fmt.Fprintf(&b, "%s %s\n", r.id, r.name)
		}
	}
	return b.String()
}

// ignoredIn is an ignore pattern for the scratch repositories that lie
// within a worktree, ours too; "" where they do not.
func (s *scratch) ignoredIn(worktree string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(s.dir))
	if err != nil {
		return ""
	}
	if worktree, err = filepath.EvalSymlinks(worktree); err != nil {
		return ""
	}
	rel, err := filepath.Rel(worktree, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	at := "/" + literal.Replace(filepath.ToSlash(rel)) + "/"
	if rel == "." {
		at = "/"
	}
	return at + scratchPrefix + "[0-9]*/"
}

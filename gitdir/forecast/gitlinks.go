package forecast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A submodule of which git cannot tell the commit counts as unchanged to `ls-files`,
// and only `git status` fails. Whether it is unchanged is not known.

// omitSubmodules omits the submodules that are checked out, are not listed as changed,
// and of which git cannot read HEAD.
func (t *taker) omitSubmodules(ctx context.Context, l listing) error {
	// A mode as index entries have it, and the extension of one that borrows entries.
	if t.content != nil && !bytes.Contains(t.content, []byte{0, 0, 0xe0, 0}) &&
		!bytes.Contains(t.content, []byte("link\x00")) {
		return nil
	}
	out, err := t.git.Run(ctx, nil, "ls-files", "-z", "-s", "-v")
	if err != nil {
		return err
	}
	for record := range records(out) {
		about, name, _ := strings.Cut(record, "\t")
		if !strings.HasPrefix(about, "H "+subMode) || l.submodules[name] { // else unmerged, or to count as unchanged
			continue
		}
		if err := t.unreadSubmodule(ctx, t.side.full(name)); err != nil {
			t.omit(name, fmt.Sprintf("git cannot read this submodule (%s): repair what its `.git` leads to, "+
				"or move it away and run `git submodule update --init`", gitdir.Said(err)))
		}
	}
	return ctx.Err()
}

var errNoCommit = errors.New("it has no commit checked out")

// unreadSubmodule is why git cannot read the commit of a submodule; nil of one that is not
// checked out.
func (t *taker) unreadSubmodule(ctx context.Context, dir string) error {
	gitDir := filepath.Join(dir, ".git")
	if _, err := os.Lstat(gitDir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err := t.side.repo.In(gitDir).Run(ctx, nil, "rev-parse", "--verify", "--quiet", "HEAD")
	if gitdir.Exited(err) == 1 {
		return errNoCommit
	}
	return err
}

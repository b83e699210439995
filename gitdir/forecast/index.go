package forecast

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// git reads most damaged indexes without a word: `git fsck` alone looks at their
// checksum. From one that is cut short it makes other names, and what is no longer
// listed would not be compared. So the checksum is looked at here.

// copyIndex copies the worktree's index, and makes sure that it is whole.
func (t *taker) copyIndex(ctx context.Context) error {
	if err := copyFile(t.index, t.copied); err != nil {
		return err
	}
	var err error
	if t.content, err = os.ReadFile(t.copied); err != nil {
		return err
	}
	whole, err := t.whole(ctx, t.content)
	if err != nil {
		return err
	}
	if !whole {
		return damaged(t.index, "its checksum is wrong")
	}
	return t.wholeShared(t.content)
}

// whole reports whether an index ends in its own checksum, or in zeros where the user
// has git write none.
func (t *taker) whole(ctx context.Context, index []byte) (bool, error) {
	n, sum := t.checksum(index)
	if sum != nil || len(index) < n || !bytes.Equal(index[len(index)-n:], make([]byte, n)) {
		return sum != nil, nil
	}
	settings, err := t.side.repo.SettingsOf(ctx, `^(index\.skiphash|feature\.manyfiles)$`)
	none, _ := gitdir.ParseBool(cmp.Or(settings["index.skiphash"], settings["feature.manyfiles"]))
	return none, err
}

// checksum is how long one is, and the one in which an index ends; nil where that is
// not its own.
func (t *taker) checksum(index []byte) (length int, sum []byte) {
	h := hash.Hash(sha1.New())
	if len(t.side.Head) == 2*sha256.Size {
		h = sha256.New()
	}
	end := len(index) - h.Size()
	if end < 0 {
		return h.Size(), nil
	}
	h.Write(index[:end])
	if sum = h.Sum(nil); !bytes.Equal(sum, index[end:]) {
		return h.Size(), nil
	}
	return h.Size(), sum
}

// wholeShared makes sure that the index from which a split one borrows is whole
// (core.splitIndex). The split one has its checksum, by which it is also called.
func (t *taker) wholeShared(index []byte) error {
	if !bytes.Contains(index, []byte("link")) { // the extension that names it
		return nil
	}
	entries, err := os.ReadDir(t.side.repo.GitDir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		id, is := strings.CutPrefix(entry.Name(), "sharedindex.")
		name, err := hex.DecodeString(id)
		if !is || err != nil || !bytes.Contains(index, name) {
			continue
		}
		path := filepath.Join(t.side.repo.GitDir, entry.Name())
		shared, err := os.ReadFile(path)
		if err != nil {
			return damaged(t.index, err.Error())
		}
		if _, sum := t.checksum(shared); !bytes.Equal(sum, name) {
			return damaged(t.index, fmt.Sprintf("the checksum of %q is wrong", path))
		}
	}
	return nil
}

func damaged(path, why string) error {
	return fmt.Errorf("the index %q is damaged (%s): delete it and run `git reset` there, which makes a new one",
		path, why)
}

// unreadIndex is the error of the first git that reads the index. What it has is a
// copy: the user knows the worktree's own.
func (t *taker) unreadIndex(err error) error {
	said := gitdir.Said(err)
	if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(said, "index") {
		return err
	}
	said = strings.NewReplacer(t.copied+": ", "", t.copied, "it").Replace(said)
	return damaged(t.index, strings.TrimPrefix(said, "fatal: "))
}

// said is what went wrong, in git's words where it has any.
func (t *taker) said(err error) string {
	return strings.ReplaceAll(gitdir.Said(err), t.copied, t.index)
}

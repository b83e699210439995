package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxMergeHead bounds a MERGE_HEAD: a merge of over a thousand branches.
const maxMergeHead = 64 << 10

// Merging lists the commits that are being merged into HEAD, as full object
// ids; none where no merge is under way. Anything else in the file where git
// keeps them is an error: its words would be git's arguments.
func (r *Repo) Merging() ([]string, error) {
	path := filepath.Join(r.GitDir, "MERGE_HEAD")
	text, err := readFile(path, maxMergeHead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, badMerge(err, "%q, which names the commits being merged, cannot be read: %v", path, reason(err))
	}
	ids := strings.Fields(string(text))
	for _, id := range ids {
		if err := objectID(id); err != nil {
			return nil, badMerge(err, "%q, which names the commits being merged, is damaged: %v", path, err)
		}
	}
	return ids, nil
}

func badMerge(err error, format string, args ...any) error {
	return &Error{Kind: ErrGitFailed, Message: fmt.Sprintf(format, args...), Err: err,
		Hint: "end the merge (git merge --abort, or git merge --quit), or move that file away"}
}

// objectID refuses what is no full object id, in hexadecimal. An id cannot be
// read as an option, which in git before 2.24 nothing else prevents
// (--end-of-options).
func objectID(text string) error {
	if !isHash(text) {
		return fmt.Errorf("%s is not an object id", clipped(text))
	}
	return nil
}

// clipped quotes text that may be of any length.
func clipped(text string) string {
	if len(text) > 80 {
		text = text[:80] + "..."
	}
	return fmt.Sprintf("%q", text)
}

//go:build unix

package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// In a partial clone, git fetches missing objects from the remote, wherever
// that is. Drift may ask about missing objects, but must neither use the
// network nor wait for it.
func TestDriftFetchesNothing(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.put(w.main, "a", "b", "dir/c")
	w.commit(w.main, "base")
	w.put(w.main, "dir/d")
	w.commit(w.main, "more")
	w.git(w.main, "config", "uploadpack.allowFilter", "true")
	w.git(w.main, "config", "uploadpack.allowAnySHA1InWant", "true")
	dir := t.TempDir()
	mark, asked := filepath.Join(dir, "mark"), filepath.Join(dir, "asked")
	if err := os.WriteFile(mark, []byte("#!/bin/sh\ntouch '"+asked+"'\nexec git-upload-pack \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	fetched := func() bool {
		err := os.Remove(asked)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return err == nil
	}
	for _, filter := range []string{"blob:none", "tree:0"} {
		clone := filepath.Join(dir, strings.ReplaceAll(filter, ":", "-"))
		w.git(dir, "clone", "-q", "--no-checkout", "--filter="+filter, "file://"+w.main, clone)
		w.git(clone, "config", "remote.origin.uploadpack", mark)
		first := w.git(clone, "rev-list", "--max-parents=0", "HEAD")
		if filter == "blob:none" { // files missing from the index, and one that may be a rename
			w.git(clone, "read-tree", "HEAD")
			w.put(clone, "dir/renamed")
			w.git(clone, "rm", "-q", "--cached", "dir/d")
			w.git(clone, "add", "dir/renamed")
		}
		s := w.at(clone)
		a, err := s.Create(background, store.CreateRequest{Title: "mine", Scope: []string{"src"}})
		if err != nil {
			t.Fatal(err)
		}
		path := a.Result.FilePath
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, head := range []string{strings.Repeat("1", 40), first, w.git(clone, "rev-parse", "HEAD")} {
			with := strings.Replace(string(text), "\nhead: ", "\nhead: \""+head+"\" # ", 1)
			if err := os.WriteFile(path, []byte(with), 0o666); err != nil {
				t.Fatal(err)
			}
			d, err := s.Drift(background, store.DriftRequest{LockID: &a.Result.ID})
			switch {
			case filter == "tree:0":
				wantCode(t, err, store.GitFailed)
			case err != nil:
				t.Errorf("%s, head %s: %v", filter, head, err)
			case !strings.Contains(fmt.Sprint(d.Result[0].Changed), "dir/renamed") || !strings.Contains(fmt.Sprint(d.Result[0].Changed), "dir/c"):
				t.Errorf("%s, head %s: %q", filter, head, d.Result[0].Changed)
			}
			if fetched() {
				t.Errorf("%s, head %s: drift asked the remote", filter, head)
			}
		}
		if w.git(clone, "status", "--porcelain"); !fetched() {
			t.Errorf("%s: git itself does not ask here, so nothing is tested", filter)
		}
	}
}

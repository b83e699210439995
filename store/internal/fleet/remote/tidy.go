package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxPacks = 32       // git gets slow with more
	maxSize  = 20 << 20 // of all objects
)

// Tidy keeps the repository small and fast. If there are many packs, or due is set, it
// repacks everything into one pack. If that is not enough, it recreates the repository.
func (r *Repository) Tidy(ctx context.Context, due bool) error {
	packs, err := filepath.Glob(filepath.Join(r.Dir, "objects", "pack", "*.pack"))
	if err != nil || !due && len(packs) <= maxPacks {
		return err
	}
	if err := r.sweep(); err != nil {
		return err
	}
	if out, err := r.inRepository(ctx, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q"); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := (&Unanswered{words(out.stderr), err}); !Damaged(err) {
			return err
		}
		return r.Remake(ctx)
	}
	size, err := r.size()
	if err != nil || size <= maxSize {
		return err
	}
	return r.Remake(ctx)
}

// sweep removes temporary files of a git that failed or was killed. git itself removes
// them only in gc, and a pack may have many megabytes. No other process works in the
// repository meanwhile.
func (r *Repository) sweep() error {
	return filepath.WalkDir(filepath.Join(r.Dir, "objects"), func(path string, d fs.DirEntry, err error) error {
		name := ""
		if err == nil && !d.IsDir() {
			name = d.Name()
		}
		for _, half := range []string{"tmp_pack_", "tmp_idx_", "tmp_rev_", "tmp_obj_"} {
			if strings.HasPrefix(name, half) {
				err = os.Remove(path)
			}
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// size returns the total size of all objects.
func (r *Repository) size() (size int64, err error) {
	err = filepath.WalkDir(filepath.Join(r.Dir, "objects"), func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

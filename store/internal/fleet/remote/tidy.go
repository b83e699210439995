package remote

import "context"

// Tidy keeps the repository small and quick: many packs become one, and where
// that does not do, it is made again. It reports whether it was.
func (r *Repository) Tidy(ctx context.Context) (remade bool, err error) {
	packs, size, err := r.Size()
	if err != nil {
		return false, err
	}
	if packs > maxPacks {
		if out, err := r.inRepository(ctx, "-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q"); err != nil {
			return false, &Unanswered{words(out.stderr), err}
		}
		if _, size, err = r.Size(); err != nil {
			return false, err
		}
	}
	if size > maxSize {
		return true, r.Remake(ctx)
	}
	return false, nil
}

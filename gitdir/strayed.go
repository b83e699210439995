package gitdir

import (
	"os"
	"path/filepath"
	"slices"
)

// Strayed lists the linked worktrees that are not at their recorded path and stand
// beside it, or beside another worktree, instead: they were moved without `git worktree
// move`. git works in them, and `git worktree repair` there would record the new path.
func (r *Repo) Strayed() (roots []string) {
	dir := filepath.Join(r.CommonDir, worktreesDir)
	names, _ := os.ReadDir(dir) // Worktrees reports the error
	beside := []string{filepath.Dir(r.Root)}
	var gone []string
	for _, name := range names {
		gitDir := filepath.Join(dir, name.Name())
		root, err := recordedRoot(gitDir)
		if err != nil || root == "" {
			continue
		}
		if beside = append(beside, filepath.Dir(root)); gitDir != r.GitDir && !Stands(root) {
			gone = append(gone, gitDir)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(beside)
	for _, dir := range slices.Compact(beside) {
		entries, _ := os.ReadDir(dir) // what cannot be read was not a place for worktrees
		for _, entry := range entries {
			root := filepath.Join(dir, entry.Name())
			if led, there := ledTo(root); there && entry.IsDir() && slices.Contains(gone, led) {
				roots = append(roots, root)
			}
		}
	}
	return roots
}

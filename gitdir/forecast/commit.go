package forecast

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// readHeads reads the commits that the sides stand on.
func (f *forecast) readHeads(ctx context.Context) (read func() ([][]byte, error)) {
	var heads []string
	for _, s := range f.Sides {
		heads = append(heads, s.headOrNone())
	}
	var texts [][]byte
	var err error
	done := make(chan struct{})
	go func() {
		texts, err = f.scratch.catFile(ctx, heads)
		close(done)
	}()
	return func() ([][]byte, error) {
		<-done
		return texts, err
	}
}

// commitAll makes commits of the snapshots. A side that is as its HEAD has it is
// that commit.
func (f *forecast) commitAll(ctx context.Context, heads func() ([][]byte, error)) error {
	texts, err := heads()
	if err != nil {
		return err
	}
	var files []string
	var made []int
	for i := range f.Sides {
		s := &f.Sides[i]
		if s.Failed != "" {
			continue
		}
		var ok bool
		s.head, ok = parseCommit(texts[i])
		switch {
		case !ok:
			s.Failed = fmt.Sprintf("its commit %s is not in the repository", s.Head)
			continue
		case s.commit == s.Head:
			s.tree = s.head.tree
			continue
		case s.tree == s.head.tree && len(s.merged) == 0:
			s.commit = s.Head
			continue
		}
		name := fmt.Sprintf("commit%d", i)
		text := commit{s.tree, s.head.date}.text(append([]string{s.Head}, s.merged...), i)
		if err := f.scratch.write(name, text); err != nil {
			return err
		}
		files, made = append(files, name), append(made, i)
	}
	if err := f.findLost(ctx); err != nil || len(files) == 0 {
		return err
	}
	out, err := f.scratch.git.Run(ctx, []byte(strings.Join(files, "\n")+"\n"), "hash-object", "-t", "commit", "-w",
		"--stdin-paths")
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	if len(ids) != len(made) {
		return fmt.Errorf("git hash-object printed %d ids for %d commits", len(ids), len(made))
	}
	for n, i := range made {
		f.Sides[i].commit = ids[n]
	}
	return nil
}

// findLost finds trees of commits that the repository lacks, although there are snapshots
// of the same files, with which they were written again: git would take them for empty.
func (f *forecast) findLost(ctx context.Context) error {
	var written []string
	var git *gitdir.Runner
	for i := range f.Sides {
		s := &f.Sides[i]
		if s.Failed != "" {
			continue
		}
		if s.repo != nil && git == nil {
			here := s.repo.Here(nil, nil)
			git = &here
		}
		if tree := s.head.tree; exists(f.scratch.path("objects/" + tree[:2] + "/" + tree[2:])) {
			written = append(written, tree)
		}
	}
	if len(written) == 0 || git == nil {
		return nil
	}
	out, err := git.Run(ctx, []byte(strings.Join(written, "\n")+"\n"), "cat-file", "--batch-check=%(objecttype)")
	for line := range strings.Lines(string(out)) {
		if id, lost := strings.CutSuffix(strings.TrimSpace(line), " missing"); lost {
			for i := range f.Sides {
				f.Sides[i].Failed = cmp.Or(f.Sides[i].Failed, "the repository lacks the tree "+id)
			}
		}
	}
	return err
}

// headOrNone is a side's commit, or an id that no object has, so that each side
// has one answer.
func (s *Side) headOrNone() string {
	if s.Head == "" {
		return strings.Repeat("0", 40)
	}
	return s.Head
}

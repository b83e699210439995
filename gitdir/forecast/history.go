package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A history is what each side of a pair changed since their common ancestor, by
// the first of several; or why that is not known.
type history struct {
	yours, theirs []change
	err           error
}

var errUnrelated = errors.New("they have no common ancestor")

// histories asks for those of some pairs. Sides that began at the same commits
// share their questions.
func (f *forecast) histories(ctx context.Context, pairs []*Pair) []history {
	all := make([]history, len(pairs))
	bases := f.bases(ctx, pairs, all)
	trees, err := f.treesOf(ctx, bases)
	if err != nil {
		for n := range all {
			all[n].err = errors.Join(all[n].err, err)
		}
		return all
	}
	known := map[[2]string]*history{} // of two trees: what changed, as yours
	ask := func(base string, side int) *history {
		between := [2]string{trees[base], f.Sides[side].tree}
		if known[between] == nil {
			known[between] = &history{}
		}
		return known[between]
	}
	var comparisons []comparison
	for n, p := range pairs {
		for _, side := range []int{p.Yours, p.Theirs} {
			before := len(known)
			h := ask(bases[n], side)
			if all[n].err != nil || len(known) == before {
				continue
			}
			comparisons = append(comparisons, comparison{trees[bases[n]], f.Sides[side].tree,
				func(c change) { h.yours = append(h.yours, c) },
				func(why string) { h.err = errors.New(why) }})
		}
	}
	f.compareEach(ctx, comparisons, f.rules.renameFlags()...)
	for n, p := range pairs {
		yours, theirs := ask(bases[n], p.Yours), ask(bases[n], p.Theirs)
		all[n] = history{yours.yours, theirs.yours, errors.Join(all[n].err, yours.err, theirs.err)}
	}
	return all
}

// bases are the common ancestors of pairs. A pair without one has an error.
func (f *forecast) bases(ctx context.Context, pairs []*Pair, all []history) []string {
	type heads struct{ yours, theirs string }
	var ask []heads
	for _, p := range pairs {
		ask = append(ask, heads{f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit})
	}
	bases := make([]string, len(pairs))
	f.each(len(ask), func(n int) {
		out, err := f.scratch.git.Run(ctx, nil, "merge-base", ask[n].yours, ask[n].theirs)
		bases[n] = strings.TrimSpace(string(out))
		switch {
		case gitdir.Exited(err) == 1 && len(out) == 0:
			all[n].err = errUnrelated
		default:
			all[n].err = err
		}
	})
	return bases
}

// treesOf are the trees of commits.
func (f *forecast) treesOf(ctx context.Context, commits []string) (map[string]string, error) {
	ids := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(commits))), func(id string) bool {
		return id == ""
	})
	texts, err := f.scratch.catFile(ctx, ids)
	if err != nil {
		return nil, err
	}
	trees := map[string]string{}
	for i, id := range ids {
		c, _ := parseCommit(texts[i])
		trees[id] = c.tree
	}
	return trees, nil
}

// A both is a file that both sides changed.
type both struct{ yours, theirs change }

// shared lists the files that both sides changed, by their names in the ancestor.
func (h history) shared() []both {
	theirs := map[string]change{}
	for _, c := range h.theirs {
		theirs[c.from] = c
	}
	var all []both
	for _, c := range h.yours {
		if t, ok := theirs[c.from]; ok && c.added() == t.added() {
			all = append(all, both{c, t})
		}
	}
	return all
}

// place is where the merged file is.
func (b both) place() string {
	if b.yours.to != b.yours.from {
		return b.yours.to
	}
	return b.theirs.to
}

// contents reports whether two new contents of a file are to be merged.
func (b both) contents() bool {
	return isFile(b.yours.newMode) && isFile(b.theirs.newMode) && b.yours.newID != b.theirs.newID &&
		b.yours.newID != b.yours.oldID && b.theirs.newID != b.theirs.oldID
}

func isFile(mode string) bool { return strings.HasPrefix(mode, "100") }

func (b both) kind() string {
	if b.yours.added() {
		return BothAdded
	}
	return Content
}

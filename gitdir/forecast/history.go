package forecast

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A history is what each side of a pair changed since their common ancestor, by
// the first of several, and the names at which these differ; or why that is not
// known.
type history struct {
	yours, theirs []change
	among         map[string]bool
	bases         []string
	err           error
}

var errUnrelated = errors.New("they have no common ancestor")

// histories asks for those of some pairs. What is asked more than once is compared
// once.
func (f *forecast) histories(ctx context.Context, pairs []*Pair) []history {
	all := make([]history, len(pairs))
	bases, trees, err := f.bases(ctx, pairs, all)
	type found struct {
		changes []change
		err     error
	}
	known := map[[3]string]*found{} // by two trees and how they are compared
	var comparisons []comparison
	ask := func(p *Pair, from, to string) *found {
		c := comparison{a: from, b: to, renames: f.rulesAt(p.Yours).renameFlags(f.Old), attributes: p.attributes}
		between := [3]string{from, to, c.how()}
		if known[between] == nil {
			at := &found{}
			known[between] = at
			c.each = func(c change) { at.changes = append(at.changes, c) }
			c.fail = func(why string) { at.err = errors.New(why) }
			comparisons = append(comparisons, c)
		}
		return known[between]
	}
	answers := make([][]*found, len(pairs)) // yours, theirs, and of the further ancestors
	for n, p := range pairs {
		if all[n].err = errors.Join(all[n].err, err); all[n].err != nil {
			continue
		}
		all[n].bases = bases[n]
		first := trees[bases[n][0]]
		answers[n] = []*found{ask(p, first, f.Sides[p.Yours].tree), ask(p, first, f.Sides[p.Theirs].tree)}
		for _, base := range bases[n][1:] {
			answers[n] = append(answers[n], ask(p, first, trees[base]))
		}
	}
	f.compareEach(ctx, comparisons)
	for n, answers := range answers {
		h := &all[n]
		for i, a := range answers {
			h.err = errors.Join(h.err, a.err)
			switch i {
			case 0:
				h.yours = a.changes
			case 1:
				h.theirs = a.changes
			default:
				h.differ(a.changes)
			}
		}
	}
	return all
}

// differ adds what differs among the ancestors.
func (h *history) differ(changes []change) {
	if h.among == nil {
		h.among = map[string]bool{}
	}
	for _, c := range changes {
		h.among[c.from], h.among[c.to] = true, true
	}
}

// bases are the common ancestors of pairs, and the trees of these. A pair without one
// has an error.
func (f *forecast) bases(ctx context.Context, pairs []*Pair, all []history) ([][]string, map[string]string, error) {
	var commits []string
	for _, p := range pairs {
		commits = append(commits, f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit)
	}
	ancestry := f.askAncestry(ctx, slices.Compact(slices.Sorted(slices.Values(commits))))
	bases, trees := make([][]string, len(pairs)), map[string]string{}
	var others []int
	for n, p := range pairs {
		if base, tree := ancestry.base(f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit); base != "" {
			bases[n], trees[base] = []string{base}, tree
		} else {
			others = append(others, n)
		}
	}
	f.each(len(others), func(k int) {
		n := others[k]
		p := pairs[n]
		out, err := f.scratch.git.Run(ctx, nil, "merge-base", "--all", f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit)
		bases[n] = strings.Fields(string(out))
		switch {
		case len(bases[n]) == 0 && (err == nil || gitdir.Exited(err) == 1):
			all[n].err = errUnrelated
		default:
			all[n].err = err
		}
	})
	return bases, trees, f.addTrees(ctx, trees, slices.Concat(bases...))
}

// addTrees adds the trees of commits that are not known yet.
func (f *forecast) addTrees(ctx context.Context, trees map[string]string, commits []string) error {
	ids := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(commits))), func(id string) bool {
		return trees[id] != ""
	})
	texts, err := f.scratch.catFile(ctx, ids)
	if err != nil {
		return err
	}
	for i, id := range ids {
		c, _ := parseCommit(texts[i])
		trees[id] = c.tree
	}
	return nil
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

package forecast

import (
	"context"
	"fmt"
	"strings"
)

// Which commits two sides have in common git says of one pair at a time, in a process
// each. Of many pairs it is read off the part of history in which all answers are: what
// the sides contain, down to what they all have in common.

const maxAncestry = 20_000 // commits; of more, pairs are asked about one by one

// An ancestry is that part of history, children first.
type ancestry struct {
	commits  []ancestor
	contains map[string][]bool // by side: which of the commits
}

type ancestor struct {
	id, tree string
	parents  []int // places in the ancestry
}

// askAncestry asks for that of some commits; nil where not all have something in
// common, or git does not answer: then pairs are asked about one by one.
func (f *forecast) askAncestry(ctx context.Context, commits []string) *ancestry {
	if n := len(commits); n < 3 || n*(len(commits[0])+1) > maxNames {
		return nil
	}
	out, err := f.scratch.git.Run(ctx, nil, append([]string{"merge-base", "--octopus", "--all"}, commits...)...)
	common := strings.Fields(string(out))
	if err != nil || len(common) == 0 {
		return nil
	}
	input := strings.Join(commits, "\n") + "\n"
	for _, id := range common { // of what all have in common, nothing older is the best that two have
		input += "^" + id + "^@\n"
	}
	out, err = f.scratch.git.Run(ctx, []byte(input), "rev-list", "--topo-order", "--format=%H %T %P",
		fmt.Sprint("--max-count=", maxAncestry), "--stdin")
	a := parseAncestry(string(out))
	if err != nil || len(a.commits) == maxAncestry {
		return nil
	}
	for _, id := range commits {
		a.contains[id] = a.reach(id)
	}
	return a
}

// parseAncestry reads lines of a commit, its tree and its parents; others are not
// about that.
func parseAncestry(out string) *ancestry {
	a := &ancestry{contains: map[string][]bool{}}
	places, parents := map[string]int{}, [][]string{}
	for line := range strings.Lines(out) {
		if fields := strings.Fields(line); len(fields) > 1 && isID(fields[0]) {
			places[fields[0]] = len(a.commits)
			a.commits, parents = append(a.commits, ancestor{id: fields[0], tree: fields[1]}), append(parents, fields[2:])
		}
	}
	for n, ids := range parents {
		for _, id := range ids {
			if at, inside := places[id]; inside {
				a.commits[n].parents = append(a.commits[n].parents, at)
			}
		}
	}
	return a
}

// reach tells which of the commits one contains: itself and what is behind it.
func (a *ancestry) reach(id string) []bool {
	contains := make([]bool, len(a.commits))
	for n, c := range a.commits {
		if contains[n] = contains[n] || c.id == id; contains[n] {
			for _, parent := range c.parents {
				contains[parent] = true
			}
		}
	}
	return contains
}

// base is the best common ancestor of two commits, and its tree; "" where it is not the
// only one, or is not known.
func (a *ancestry) base(yours, theirs string) (id, tree string) {
	if a == nil {
		return "", ""
	}
	behind := make([]bool, len(a.commits)) // another common one
	for n, c := range a.commits {
		if !a.contains[yours][n] || !a.contains[theirs][n] {
			continue
		}
		if !behind[n] && id != "" {
			return "", ""
		}
		if !behind[n] {
			id, tree = c.id, c.tree
		}
		for _, parent := range c.parents {
			behind[parent] = true
		}
	}
	return id, tree
}

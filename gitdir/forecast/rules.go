package forecast

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Of the user's settings, those that decide what a merge finds are passed on.
// Merge drivers are programs, and none is run.

// rules are the repository's own rules for merging.
type rules struct {
	passed   []string // name=value, of a merge
	replaces []string // the same, of which objects stand for others
	drivers  []string // that have settings
	usual    string   // merge.default: the driver of files without an attribute
	renames  bool
	follows  bool   // what others add to a directory that was renamed moves along
	silently bool   // and does not conflict
	limit    string // of renames
	remotes  bool   // there are some
	unlike   string // a setting by which git merges otherwise than here
	local    bool   // other worktrees may have other settings
}

const settingsOfMerges = `^(core\.usereplacerefs|merge\..*|pull\.twohead|` +
	`diff\.(renames|renamelimit|algorithm)|remote\..*\.url|extensions\.worktreeconfig|includeif\..*)$`

func askRules(ctx context.Context, r *gitdir.Repo) (rules, error) {
	settings, err := r.SettingsOf(ctx, settingsOfMerges)
	if err != nil {
		return rules{}, err
	}
	return rulesOf(settings), nil
}

func rulesOf(settings map[string]string) rules {
	r := rules{renames: true, follows: true}
	for _, name := range []string{"diff.renames", "merge.renames", "diff.renamelimit", "merge.renamelimit",
		"merge.directoryrenames", "diff.algorithm"} {
		value, set := settings[name]
		if !set {
			continue
		}
		r.passed = append(r.passed, name+"="+value)
		switch {
		case strings.HasSuffix(name, ".renames"):
			on, err := gitdir.ParseBool(value)
			r.renames = on || err != nil // "copies"
		case strings.HasSuffix(name, ".renamelimit"):
			r.limit = value
		case name == "merge.directoryrenames":
			on, err := gitdir.ParseBool(value)
			r.follows, r.silently = on || err != nil, on && err == nil // else "conflict"
		}
	}
	if value, set := settings["core.usereplacerefs"]; set {
		r.replaces = []string{"core.usereplacerefs=" + value}
	}
	r.usual = settings["merge.default"]
	if on, err := gitdir.ParseBool(settings["merge.renormalize"]); on && err == nil {
		r.unlike = "merge.renormalize"
	}
	for _, strategy := range strings.Fields(settings["pull.twohead"]) {
		if strategy != "ort" {
			r.unlike = "pull.twohead=" + strategy
		}
	}
	for key := range settings {
		name, of := strings.CutPrefix(key, "merge.")
		if dot := strings.LastIndexByte(name, '.'); of && dot >= 0 {
			r.drivers = append(r.drivers, name[:dot])
		}
		r.remotes = r.remotes || strings.HasPrefix(key, "remote.")
		r.local = r.local || strings.HasPrefix(key, "includeif.") || key == "extensions.worktreeconfig"
	}
	slices.Sort(r.drivers)
	r.drivers = slices.Compact(r.drivers)
	return r
}

// settings are those of the scratch repository.
func (r rules) settings() []string {
	return append([]string{"merge.default=text", "merge.conflictStyle=merge"}, r.replaces...)
}

// flags give git the settings of a merge.
func (r rules) flags() []string {
	var flags []string
	for _, setting := range r.passed {
		flags = append(flags, "-c", setting)
	}
	return flags
}

// rulesFor are those of the worktree in which a pair would be merged.
func (f *forecast) rulesFor(p *Pair) rules { return f.Sides[p.Yours].rules }

// findRules asks for a side's own rules, where they can be others than the caller's.
func (f *forecast) findRules(ctx context.Context, s *Side) (err error) {
	s.rules = f.rules
	if f.request.All && f.rules.local {
		s.rules, err = askRules(ctx, s.repo)
	}
	return err
}

// alike groups pairs by the flags that are to be the same for all of a group: places
// in a list of n.
func alike(n int, flags func(at int) []string) (groups [][]int) {
	known := map[string]int{}
	for at := range n {
		key := strings.Join(flags(at), "\x00")
		group, is := known[key]
		if !is {
			group = len(groups)
			known[key], groups = group, append(groups, nil)
		}
		groups[group] = append(groups[group], at)
	}
	return groups
}

const usualRenames = "7000" // of renames in a merge; a diff's own is lower

// renameFlags has a diff find renames as a merge would.
func (r rules) renameFlags() []string {
	if !r.renames {
		return []string{"--no-renames"}
	}
	return []string{"-M", "-l" + cmp.Or(r.limit, usualRenames)}
}

// How git merges two contents of a file (gitattributes(5), merge).
type manner int

const (
	asText  manner = iota
	never          // any two changes conflict
	union          // both are taken
	program        // a driver decides
)

// mannerOf reads the merge attribute of a file. A name of which there are
// settings is the user's driver: first of all, and without a command git dies of
// it. One that nobody knows is text to git.
func (r rules) mannerOf(attribute string) manner {
	if attribute == "unspecified" {
		if attribute = r.usual; attribute == "" {
			return asText
		}
	}
	switch {
	case attribute == "set":
		return asText
	case attribute == "unset":
		return never
	case slices.Contains(r.drivers, attribute):
		return program
	case attribute == "binary":
		return never
	case attribute == "union":
		return union
	}
	return asText
}

package forecast

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Of the user's settings, those that decide what a merge finds are passed on.
// Merge drivers are programs, and none is run.

// rules are a worktree's own for merging.
type rules struct {
	passed     []string          // name=value, or only the name: as git has them, each value in its turn
	drivers    []string          // that have settings
	binary     map[string]string // by diff driver: the attribute that its setting `binary` stands for
	usual      string            // merge.default: the driver of files without an attribute
	attributes string            // core.attributesFile
	renames    bool              // for an old strategy: ort of git 2.39 finds some all the same
	follows    bool              // what others add to a directory that was renamed moves along
	silently   bool              // and does not conflict
	limit      int               // of renames; 0: the usual one
	remotes    bool              // there are some
	unlike     []string          // settings by which git merges otherwise than here
	local      bool              // other worktrees may have other settings
}

const settingsOfMerges = `^(core\.(usereplacerefs|attributesfile)|merge\..*|pull\.twohead|` +
	`diff\.(renames|renamelimit|algorithm)|diff\..*\.binary|remote\..*\.url|extensions\.worktreeconfig|includeif\..*)$`

// Which of git's settings decide what a merge finds: TestSettingsOfMerges.
var passedOn = []string{"core.usereplacerefs", "diff.algorithm", "diff.renamelimit", "diff.renames",
	"merge.conflictstyle", "merge.directoryrenames", "merge.renamelimit", "merge.renames"}

func askRules(ctx context.Context, r *gitdir.Repo) (rules, error) {
	out, err := r.Git(ctx, "config", "-z", "--get-regexp", settingsOfMerges)
	if err != nil && gitdir.Exited(err) != 1 { // 1: there are none
		return rules{}, err
	}
	return rulesOf(string(out)), nil
}

// rulesOf reads `config -z --get-regexp`: a key and, unless it has none, a newline and its
// value.
func rulesOf(out string) rules {
	r := rules{renames: true, follows: true, binary: map[string]string{}}
	last := map[string]string{}
	for record := range records([]byte(out)) {
		name, value, valued := strings.Cut(record, "\n")
		if slices.Contains(passedOn, name) {
			r.passed = append(r.passed, strings.Replace(record, "\n", "=", 1))
		}
		if !valued {
			value = "true"
		}
		last[name] = value
		r.addNamed(name, value)
	}
	for _, name := range []string{"diff.renames", "merge.renames"} {
		if value, set := last[name]; set {
			on, err := gitdir.ParseBool(value)
			r.renames = on || err != nil // "copies"
		}
	}
	r.limit = limitOf(cmp.Or(last["merge.renamelimit"], last["diff.renamelimit"]))
	if value, set := last["merge.directoryrenames"]; set {
		on, err := gitdir.ParseBool(value)
		r.follows, r.silently = on || err != nil, on && err == nil // else "conflict"
	}
	r.usual, r.attributes = last["merge.default"], last["core.attributesfile"]
	if on, err := gitdir.ParseBool(last["merge.renormalize"]); on && err == nil {
		r.unlike = append(r.unlike, "merge.renormalize")
	}
	for _, strategy := range strings.Fields(last["pull.twohead"]) {
		if strategy != "ort" {
			r.unlike = append(r.unlike, "pull.twohead="+strategy)
		}
	}
	if r.binary["default"] != "" {
		r.unlike = append(r.unlike, "diff.default.binary")
	}
	if on, err := gitdir.ParseBool(last["extensions.worktreeconfig"]); on && err == nil {
		r.local = true
	}
	slices.Sort(r.drivers)
	r.drivers = slices.Compact(r.drivers)
	return r
}

// addNamed adds a setting whose key has a name in it.
func (r *rules) addNamed(key, value string) {
	section, rest, _ := strings.Cut(key, ".")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return
	}
	switch name := rest[:dot]; section {
	case "merge":
		r.drivers = append(r.drivers, name)
	case "remote":
		r.remotes = true
	case "diff":
		switch on, err := gitdir.ParseBool(value); {
		case err != nil: // "auto", or what git dies of in every diff
			r.binary[name] = ""
		case on:
			r.binary[name] = "-diff"
		default:
			r.binary[name] = "diff"
		}
	case "includeif":
		// Worktrees have one common directory: a condition that names one above it, as for an
		// identity, is true of all or none.
		above := strings.HasPrefix(name, "gitdir") && strings.HasSuffix(name, "/") && !strings.Contains(name, "worktrees")
		r.local = r.local || !above && !strings.HasPrefix(name, "hasconfig:")
	}
}

// settings are those of the scratch repository, whatever it does.
func (r rules) settings() (all []string) {
	for _, s := range r.passed {
		if strings.HasPrefix(s, "core.") {
			all = append(all, s)
		}
	}
	return append(all, "merge.default=text")
}

// merging are git's flags for a merge as in the worktree.
func (r rules) merging() (flags []string) {
	for _, s := range r.passed {
		flags = append(flags, "-c", s)
	}
	return flags
}

// rulesAt are those of a side's worktree.
func (f *forecast) rulesAt(side int) *rules { return cmp.Or(f.Sides[side].rules, &f.rules) }

// findRules asks for a side's own rules, where they can be others than the caller's.
func (f *forecast) findRules(ctx context.Context, s *Side) error {
	if !f.rules.local || s.repo == f.repo {
		return nil
	}
	own, err := askRules(ctx, s.repo)
	if !reflect.DeepEqual(own, f.rules) {
		s.rules = &own
	}
	return err
}

// limitOf reads a limit of renames; 0 where git has its own, or dies of it.
func limitOf(value string) int {
	digits := strings.TrimRight(value, "kKmMgG")
	n, err := strconv.Atoi(digits)
	for _, unit := range strings.ToLower(value[len(digits):]) {
		n <<= 10 * (1 + strings.IndexRune("kmg", unit))
	}
	if err != nil {
		return 0
	}
	return max(n, 0)
}

const usualRenames = 7000 // of renames in a merge; a diff's own is lower

// renameFlags has a diff find renames as a merge would. ort follows merge.renames=false
// only in newer versions of git, so that what it may find counts.
func (r rules) renameFlags(old bool) []string {
	if old && !r.renames {
		return nil
	}
	return []string{"-M", fmt.Sprint("-l", cmp.Or(r.limit, usualRenames))}
}

// How git merges two contents of a file (gitattributes(5), merge).
type manner int

const (
	asText  manner = iota
	never          // any two changes conflict
	union          // both are taken
	program        // a driver decides
)

// diffOf is the attribute by which git, when it looks for renames, takes a file for a text
// or not; "" where it goes by the content.
func (r rules) diffOf(attribute string) string {
	switch attribute {
	case "unspecified":
		return ""
	case "set":
		return "diff"
	case "unset":
		return "-diff"
	}
	return r.binary[attribute]
}

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

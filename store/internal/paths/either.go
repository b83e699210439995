package paths

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// fromHere doubts an entry that names nothing from the root, as it is read, but
// would name something from the caller's directory.
func (r *Reader) fromHere(text string, e *overlap.Entry, how overlap.Context) (doubt, bool) {
	text = strings.TrimSpace(text)
	if r.repo.Prefix == "" || r.repo.Worktree == "" || absolute(text) || r.exists(e) {
		return doubt{}, false
	}
	spellings := []string{"./" + text}
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		spellings = append(spellings, "@./"+rest)
	}
	for _, here := range spellings {
		other, err := overlap.Parse(here, how)
		if err != nil || other.String() == e.String() { // it was relative to that directory anyway
			continue
		}
		missing := fault.InQuotes(text)
		switch {
		case r.exists(other):
		case r.lies(other) && !r.lies(e):
			missing = "the directory of " + missing
		case e.Floating() || !r.matches(other, false) || r.matches(e, true):
			continue
		}
		_, name, _ := strings.Cut(here, "./")
		up := strings.Repeat("../", strings.Count(r.repo.Prefix, "/")+1) + name
		return doubt{
			what:     missing + " does not exist at the repository's root, but does in the current directory",
			asked:    "both are looked for",
			hint:     "write " + fault.InQuotes(here) + ", or " + fault.InQuotes(up) + " if you mean the root",
			readings: []*overlap.Entry{other},
			where:    true,
		}, true
	}
	return doubt{}, false
}

// exists reports whether a file or directory is named like the entry's text, or
// like the name that it stands for.
func (r *Reader) exists(e *overlap.Entry) bool {
	name := e.Name()
	return r.kindHere(e.String()) != overlap.Unknown || name != "" && r.kindHere(name) != overlap.Unknown
}

// lies reports whether the directory that contains everything covered by the
// entry exists.
func (r *Reader) lies(e *overlap.Entry) bool {
	return e.Directory() == "" || r.kindHere(e.Directory()) == overlap.Dir
}

// maxSeen limits how many names a call examines to find out what patterns
// match.
const maxSeen = 4096

// matches reports whether a pattern matches the name of anything. It is false
// for floating patterns. If maxSeen was exceeded before a match was found, it
// returns unknown.
func (r *Reader) matches(e *overlap.Entry, unknown bool) bool {
	if e.Name() != "" || e.Floating() {
		return false
	}
	found := r.matchesUnder(e, e.Directory())
	return found || unknown && r.seen > maxSeen
}

func (r *Reader) matchesUnder(e *overlap.Entry, dir string) bool {
	entries, err := r.readDir(filepath.FromSlash(dir))
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if r.seen++; r.seen > maxSeen {
			return false
		}
		switch name := path.Join(dir, entry.Name()); {
		case name == ".git":
		case !entry.IsDir():
			if e.Matches(name) {
				return true
			}
		case e.Matches(name + "/\u00a7"): // a directory covered as a whole: any name in it matches
			return true
		case r.leadsInto(e, name) && r.matchesUnder(e, name):
			return true
		}
	}
	return false
}

// leadsInto reports whether an entry may cover something in a directory.
func (r *Reader) leadsInto(e *overlap.Entry, dir string) bool {
	in, err := overlap.Parse(Literal(dir), r.how())
	return err != nil || e.Compare(in).Overlap
}

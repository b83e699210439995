package paths

import (
	"strings"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// An either is an entry, read from the root, that names nothing there and would
// name something from the caller's directory.
type either struct {
	missing  string // what does not exist at the root, but does here
	here     string // the text for what is in the caller's directory
	fromRoot string // the text for what is meant from the root
	other    *overlap.Entry
}

// fromHere looks for the other reading of an entry.
func (r *Reader) fromHere(text string, e *overlap.Entry, how overlap.Context) (either, bool) {
	text = strings.TrimSpace(text)
	if r.repo.Prefix == "" || r.repo.Worktree == "" || absolute(text) || r.exists(e) {
		return either{}, false
	}
	spellings := []string{"./" + text}
	if rest, ok := strings.CutPrefix(text, "@"); ok {
		spellings = append(spellings, "@./"+rest)
	}
	for _, here := range spellings {
		other, err := overlap.Parse(here, how)
		if err != nil || other.String() == e.String() { // it was relative to that directory anyhow
			continue
		}
		missing := fault.InQuotes(text)
		if !r.exists(other) {
			if missing = "the directory of " + missing; !r.lies(other) || r.lies(e) {
				continue
			}
		}
		_, name, _ := strings.Cut(here, "./")
		up := strings.Repeat("../", strings.Count(r.repo.Prefix, "/")+1)
		return either{missing, here, up + name, other}, true
	}
	return either{}, false
}

// exists reports whether something has an entry's text as its name.
func (r *Reader) exists(e *overlap.Entry) bool { return r.kindHere(e.String()) != overlap.Unknown }

// lies reports whether the directory exists in which all lies that an entry covers.
func (r *Reader) lies(e *overlap.Entry) bool {
	return e.Directory() == "" || r.kindHere(e.Directory()) == overlap.Dir
}

func refuseEither(e either) (*overlap.Entry, error) {
	return nil, fault.New(fault.BadScope, "%s", e.twoReadings()).
		WithHint("write " + fault.InQuotes(e.here) + ", or " + fault.InQuotes(e.fromRoot) + " if you mean the root")
}

func (e either) twoReadings() string {
	return e.missing + " does not exist at the repository's root, but does in the current directory"
}

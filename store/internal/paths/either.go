package paths

import (
	"strings"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// An either is an entry, read from the root, that names nothing there and would
// name something from the caller's directory.
type either struct {
	text     string
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
		if r.exists(other) || r.lies(other) && !r.lies(e) {
			_, name, _ := strings.Cut(here, "./")
			up := strings.Repeat("../", strings.Count(r.repo.Prefix, "/")+1)
			return either{text, here, up + name, other}, true
		}
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
	text, here, fromRoot := fault.InQuotes(e.text), fault.InQuotes(e.here), fault.InQuotes(e.fromRoot)
	return nil, fault.New(fault.BadScope, "%s %s", text, leadsSomewhere).
		WithHint("write " + here + ", or " + fromRoot + " for what is yet to be made from the root")
}

const leadsSomewhere = "leads nowhere from the repository's root, and somewhere from the caller's directory"

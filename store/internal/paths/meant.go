package paths

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A doubt describes an entry that probably does not mean what it says.
type doubt struct {
	what     string           // what is wrong; empty to accept it silently
	asked    string           // how a question treats it; empty to refuse it
	readings []*overlap.Entry // further readings for a question
	claimed  string           // how a claim treats it; empty to refuse it
	hint     string           // what to write instead
	where    bool             // only its starting directory is in doubt
}

// A piece is a path found inside an entry's text.
type piece struct {
	text   string
	entry  *overlap.Entry
	exists bool // it exists, or is certainly a path
	sure   bool // unlikely to be part of a new file's name
	vague  bool // it merely looks like a path
	quiet  bool // not mentioned, since the whole text looks like a path, too
}

// maxCuts is the number of cuts beyond which an entry's text is not searched
// for pieces. No file has such a name.
const maxCuts = 64

// maxTried limits the cost per call of looking for pieces: the bytes tried,
// plus 64 for each attempt. Texts of up to fewCuts cuts are cheap and do not
// count.
const (
	maxTried = 1 << 20
	fewCuts  = 4
)

// maxMarks is the most marks in a piece, as in
// app/(group)/[id]/(.)[slug]/page.tsx.
const maxMarks = 16

// misread looks for paths in an entry that names nothing itself.
func (r *Reader) misread(typed string, e *overlap.Entry, how overlap.Context) (doubt, bool) {
	typed = fault.InQuotes(strings.TrimSpace(typed))
	text := overlap.Mentioned(e.String())
	cuts := cuts(text)
	if len(cuts) == 0 && stretchOf(text, cuts, 0, 0).unlike == text {
		return doubt{}, false
	}
	if r.exists(e) || r.kindHere(text) != overlap.Unknown || r.here(text, how) != nil {
		return doubt{}, false
	}
	tooMuch := doubt{what: typed + " names nothing, and is too much text to look for paths in", hint: apart}
	if len(cuts) > maxCuts {
		return tooMuch, true
	}
	how.Inexact = true
	found, fields := r.pieces(text, cuts, how, false), fields(text, cuts)
	if len(found) == 0 && fields == nil {
		found = r.pieces(text, cuts, how, true)
	}
	switch {
	case r.tried > maxTried && len(cuts) > fewCuts:
		return tooMuch, true
	case len(found) == 0:
		return r.several(typed, e, fields, how)
	case r.matches(e, false):
		return doubt{}, false
	}
	dir := literalDirectory(text)
	return holding(typed, found, dir != "" && r.kindHere(dir) == overlap.Dir), true
}

// holding returns the doubt about an entry that contains paths. grounded
// reports whether the directory of the entry, as typed, exists: then it may be
// the name of a new file there.
func holding(typed string, found []piece, grounded bool) doubt {
	d := doubt{asked: "looked for as well", claimed: "it is claimed as one path"}
	var names []string
	refused := false
	for _, p := range found {
		d.readings = append(d.readings, p.entry)
		if !p.quiet {
			names = append(names, fault.InQuotes(p.text))
			refused = refused || len(names) > 1 || p.sure && (p.exists || !grounded)
		}
	}
	if len(names) == 0 {
		return d
	}
	list := strings.Join(names, ", ")
	d.what, d.hint = typed+" names nothing, but holds "+list, "write "+list
	if len(names) > 1 {
		d.hint += ", each as an entry of its own"
	}
	d.hint += "; in the name of a new file put a * in place of the odd characters"
	if refused {
		d.claimed = ""
	}
	return d
}

// several returns the doubt about a text whose fields all look like paths,
// although none of them exists.
func (r *Reader) several(typed string, e *overlap.Entry, fields []string, how overlap.Context) (doubt, bool) {
	d := doubt{asked: apart, claimed: apart}
	if fields != nil && !slices.ContainsFunc(fields, func(f string) bool { return !strings.Contains(f, "*") }) {
		d.claimed, d.hint = "", apart+"; to match a blank put a ? in its place"
	}
	for _, field := range fields {
		if e, err := overlap.Parse(field, how); err == nil {
			d.readings = append(d.readings, e)
			d.asked = "its parts are looked for as well"
		}
	}
	text := e.String()
	switch blank := strings.IndexFunc(text, unicode.IsSpace); {
	case bareComma(text):
		d.what = typed + " is read as one path with a comma in it"
	case fields == nil:
		return doubt{}, false
	case blank >= 0:
		d.what = typed + " is read as one path with a blank in it"
	default:
		d.what = typed + " is read as one path"
	}
	return d, true
}

const apart = "give each path as a separate entry"

// literalDirectory returns the part of a text before its first pattern
// character, up to the last slash.
func literalDirectory(text string) string {
	if i := strings.IndexAny(text, "*?[{"); i >= 0 {
		text = text[:i]
	}
	return text[:max(strings.LastIndexByte(text, '/'), 0)]
}

// fileLike matches what looks like a file name rather than anything else.
var fileLike = regexp.MustCompile(`[^/.][^/]*\.[A-Za-z][A-Za-z0-9]*$`)

// pieces returns the paths in a text. Starting at each cut, it takes the
// longest name that exists, or else the shortest that could be a path or, if
// vague, merely looks like one.
func (r *Reader) pieces(text string, cuts []cut, how overlap.Context, vague bool) []piece {
	var found []piece
	for i := 0; i <= len(cuts); i++ {
		var best piece
		end := -1
		for j := min(i+maxMarks, len(cuts)); j >= i && !best.exists; j-- {
			s := stretchOf(text, cuts, i, j)
			if len(cuts) > fewCuts {
				if r.tried += len(s.text) + 64; r.tried > maxTried {
					return nil
				}
			}
			p, ok := r.pieceOf(s.text, s, how)
			if ok = ok && !(i == 0 && j == len(cuts)); !p.exists && s.unlike != s.text {
				if other, found := r.pieceOf(s.unlike, s, how); found && (other.exists || !ok) {
					p, ok, p.sure = other, true, true
				}
			}
			if ok && p.vague == vague {
				best, end = p, j
			}
		}
		if end >= 0 {
			found = append(found, best)
			i = end
		}
	}
	return found
}

// pieceOf reads part of a text as an entry. ok is false if it is not a path.
func (r *Reader) pieceOf(text string, s stretch, how overlap.Context) (piece, bool) {
	if utf8.RuneCountInString(text) < 2 || strings.Trim(text, "./") == "" {
		return piece{}, false
	}
	e, err := overlap.Parse(text, how)
	if err != nil || e.Custom() {
		return piece{}, false
	}
	there := r.exists(e)
	if there && e.Name() != "" {
		text = e.Name()
	} else if here := r.here(text, how); here != nil && !there {
		// For a mention, this is the path without the line number.
		if text = "./" + text; strings.HasPrefix(here.Name(), r.repo.Prefix+"/") {
			text = "." + strings.TrimPrefix(here.Name(), r.repo.Prefix)
		}
		e, there = here, true
	}
	if there {
		p := piece{text: text, entry: e, exists: true, sure: true}
		if s.next == 0 || r.kindHere(e.Name()) != overlap.Dir {
			return p, true
		}
		// A new file's name may start with the name of a directory.
		p.sure = !unicode.IsSpace(s.next) && s.next != '('
		return p, !strings.ContainsRune("[?@^+~", s.next)
	}
	p := piece{text: text, entry: e}
	switch {
	case !strings.Contains(text, "/"):
		return p, false
	case e.Directory() != "" && r.lies(e):
		p.sure = !s.first || s.next == 0
		if e.Name() == "" && strings.ContainsRune(separators, s.next) { // as in src/*.ts,*.tsx
			p.sure, p.exists = true, true
		}
		return p, e.Name() == "" || fileLike.MatchString(text)
	}
	p.vague, p.quiet = true, !s.first || s.next == 0
	return p, fileLike.MatchString(text)
}

// here reads a text relative to the caller's directory. It returns nil if
// nothing there has that name.
func (r *Reader) here(text string, how overlap.Context) *overlap.Entry {
	if r.repo.Prefix == "" || absolute(text) {
		return nil
	}
	if e, err := overlap.Parse("./"+text, how); err == nil && r.exists(e) {
		return e
	}
	return nil
}

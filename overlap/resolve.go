package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func nfc(s string) string { return norm.NFC.String(s) }

// A segment is one name of an entry, or a pattern for names.
type segment struct {
	seq     seq
	pattern string // its text
	offset  int
}

// name returns the segment's text where it is literal.
func (s segment) name() (string, bool) {
	if len(s.seq) == 1 && s.seq[0].op == opText {
		return s.seq[0].text, true
	}
	return "", false
}

// A resolved is an entry relative to the root: no segment is empty, "." or "..".
type resolved struct {
	segments []segment // none: the whole tree
	dir      bool
	moved    bool // was absolute or relative to the caller
	anchor   bool // must not be taken for floating
}

// resolve makes an entry relative to the root; rooted says that it already is.
func resolve(s seq, p *parser, rooted bool, c Context) (resolved, *fault) {
	segments := segmentsOf(s, p)
	r := resolved{dir: len(segments) > 1, moved: rooted}
	switch last := segments[len(segments)-1]; last.pattern {
	case "", ".", "..":
		r.dir = true
	default:
		r.dir = false
	}
	if first := segments[0].pattern; !rooted && (first == "." || first == "..") {
		r.moved = true
		segments = append(literalSegments(c.Prefix), segments...)
	}
	segments, f := clean(segments)
	if f != nil {
		return r, f
	}
	if p.groups {
		if f := confined(segments); f != nil {
			return r, f
		}
	}
	r.segments = segments
	r.anchor = r.moved && p.wild
	return r, nil
}

// segmentsOf splits a sequence at the slashes outside groups.
func segmentsOf(s seq, p *parser) []segment {
	segments := make([]segment, 0, len(p.slashes)+1)
	start, node := 0, 0
	for i := 0; i <= len(p.slashes); i++ {
		end := len(p.in)
		if i < len(p.slashes) {
			end = p.slashes[i]
		}
		last := node
		for last < len(s) && s[last].op != opSlash {
			last++
		}
		segments = append(segments, segment{seq: s[node:last], pattern: p.in[start:end], offset: start})
		start, node = end+1, last+1
	}
	return segments
}

// literalSegments returns the segments of a path that is not a pattern.
func literalSegments(path string) []segment {
	var segments []segment
	for name := range strings.SplitSeq(nfc(path), "/") {
		if name != "" {
			segments = append(segments, segment{seq: seq{{op: opText, text: name}}, pattern: escape(name)})
		}
	}
	return segments
}

// clean removes empty segments and ".", resolves "..", and reads "..." as "**".
func clean(segments []segment) ([]segment, *fault) {
	kept := segments[:0]
	for _, s := range segments {
		switch s.pattern {
		case "", ".":
			continue
		case "..":
			if len(kept) == 0 {
				return nil, outside(s.offset)
			}
			if _, ok := kept[len(kept)-1].name(); !ok {
				return nil, parentOfPattern(s.offset)
			}
			kept = kept[:len(kept)-1]
		case "...": // as in Go; ** covers everything that it may mean, its own name included
			s.seq, s.pattern = seq{{op: opStars, whole: true}}, "**"
			kept = append(kept, s)
		default:
			kept = append(kept, s)
		}
	}
	return kept, nil
}

func parentOfPattern(offset int) *fault {
	return &fault{offset: offset, reason: `has a ".." after a pattern`, hint: "write the path without it", anywhere: true}
}

func outside(offset int) *fault {
	return &fault{offset: offset, outside: true, reason: "is outside the repository",
		hint: "entries are relative to the repository's root; for a path in another repository pass `base_dir`"}
}

// joined returns the entry's glob reading.
func (r resolved) joined() seq {
	if len(r.segments) == 0 {
		return seq{{op: opStars, whole: true}}
	}
	n := len(r.segments) - 1
	for _, segment := range r.segments {
		n += len(segment.seq)
	}
	s := make(seq, 0, n)
	for i, segment := range r.segments {
		if i > 0 {
			s = append(s, node{op: opSlash})
		}
		s = append(s, segment.seq...)
	}
	return s
}

// storedText returns the entry's text for storage: parsed again, relative to
// the root, it means the same.
func (r resolved) storedText(windows bool) string {
	if len(r.segments) == 0 {
		return "**"
	}
	var b strings.Builder
	for i, s := range r.segments {
		if i > 0 {
			b.WriteByte('/')
		}
		if name, ok := s.name(); ok && windows {
			b.WriteString(name) // every backslash is a separator, so nothing can be escaped
			continue
		}
		b.WriteString(s.pattern)
	}
	if r.dir {
		b.WriteByte('/')
	}
	text := b.String()
	first, _ := utf8.DecodeRuneInString(text)
	misread := unicode.IsSpace(first) || misspelled(text, windows) != nil || fileScheme(text) || likesCustom(text) ||
		dotted(text)
	if misread || r.anchor && len(r.segments) == 1 {
		text = "./" + text
	}
	return text
}

// literalText returns the entry's text, read as a path.
func (r resolved) literalText() string {
	var names []string
	for _, s := range r.segments {
		for name := range strings.SplitSeq(unescape(s.pattern), "/") {
			if name != "" && name != "." {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, "/")
}

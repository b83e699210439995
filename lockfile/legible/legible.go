// Package legible says which characters of a text its reader cannot see, and
// writes them out.
//
// A title or a note is read by people and by models. What shows nothing, or
// reorders what is shown, can say one thing to the one and another to the
// other: tag characters spell whole sentences that no screen shows. So such
// text is refused where it is written (Find), and escaped where it is shown
// (Plain, Lines, Quote, JSON), by one table (kind) and one set of exceptions
// (joins).
package legible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is what is wrong with a character.
type Kind string

// The kinds. Of text in several lines, its newlines and tabs are controls, too.
const (
	Control   Kind = "control character"
	Separator Kind = "line separator"
	Bidi      Kind = "bidirectional control"
	Tag       Kind = "tag character"
	Invisible Kind = "invisible character"
	NotUTF8   Kind = "byte that is not UTF-8"
)

// An Oddity is one character that its reader cannot see.
type Oddity struct {
	Rune rune
	Kind Kind
	At   int // in bytes
	Size int // in bytes
}

// kind is what is wrong with a character that stands alone; "" if nothing is.
// Invisible are Unicode's default ignorable code points, which a font need not
// have, and all other format characters except those that are drawn (the
// Arabic number signs, hieroglyphs' joiners).
func kind(r rune) Kind {
	switch {
	case r < utf8.RuneSelf:
		if r < ' ' || r == 0x7f {
			return Control
		}
		return ""
	case r < 0xa0:
		return Control
	case r == '\u2028', r == '\u2029':
		return Separator
	case r == '\u061c', r == '\u200e', r == '\u200f', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		return Bidi
	case 0xe0000 <= r && r <= 0xe007f:
		return Tag
	case 0xe0080 <= r && r <= 0xe0fff, 0xfff0 <= r && r <= 0xfff8: // unassigned, and ignorable for ever
		return Invisible
	case 0x13430 <= r && r <= 0x1343f, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return ""
	case unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point):
		return Invisible
	}
	return ""
}

// next is the first oddity of s at from or after it; its Size is 0 where there
// is none.
func next(s string, from int) Oddity {
	for i := from; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return Oddity{Rune: rune(c), Kind: Control, At: i, Size: 1}
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return Oddity{Rune: r, Kind: NotUTF8, At: i, Size: 1}
		}
		if k := kind(r); k != "" && !joins(r, s[:i], s[i+n:]) {
			return Oddity{Rune: r, Kind: k, At: i, Size: n}
		}
		if r == blackFlag {
			n += subdivision(s[i+n:])
		}
		i += n
	}
	return Oddity{At: len(s)}
}

// Find is the first character of s that its reader cannot see, of any kind but
// those that are allowed.
func Find(s string, allowed ...rune) (Oddity, bool) {
	for at := 0; ; {
		o := next(s, at)
		if o.Size == 0 {
			return o, false
		}
		if !strings.ContainsRune(string(allowed), o.Rune) {
			return o, true
		}
		at = o.At + o.Size
	}
}

// rewritten is s with each of its oddities written by write.
func rewritten(s string, write func(*strings.Builder, Oddity)) string {
	o := next(s, 0)
	if o.Size == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for ; o.Size > 0; o = next(s, at) {
		b.WriteString(s[at:o.At])
		write(&b, o)
		at = o.At + o.Size
	}
	b.WriteString(s[at:])
	return b.String()
}

// escape writes an oddity as Go's string literals do.
func (o Oddity) escape(b *strings.Builder, s string) {
	short := map[rune]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`}
	switch text := short[o.Rune]; {
	case o.Kind == NotUTF8:
		fmt.Fprintf(b, `\x%02x`, s[o.At])
	case text != "":
		b.WriteString(text)
	case o.Rune < utf8.RuneSelf:
		fmt.Fprintf(b, `\x%02x`, o.Rune)
	case o.Rune > 0xffff:
		fmt.Fprintf(b, `\U%08x`, o.Rune)
	default:
		fmt.Fprintf(b, `\u%04x`, o.Rune)
	}
}

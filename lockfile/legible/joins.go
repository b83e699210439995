package legible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
	keycap    = '\u20e3'
	blackFlag = '\U0001f3f4'
)

// joins reports whether a character that shows nothing alone is part of what is
// shown, by the text before and after it:
//
//   - a zero-width joiner between two emoji (UTS 51, ED-16);
//   - one joiner or non-joiner within a word of a script whose letters join
//     (UAX 31, section 2.3, without its tables of joining types);
//   - one variation selector after a symbol, before a keycap, after an
//     ideograph (UTS 37), or after a Mongolian letter.
//
// A second one in a row joins nothing, so none of this carries a message.
func joins(r rune, before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	switch {
	case r == joiner:
		return joining(last) || emoji(base(before)) && emoji(first)
	case r == nonJoiner:
		return joining(last) && joining(first)
	case '\ufe00' <= r && r <= '\ufe0f':
		keyed := first == keycap && strings.ContainsRune("0123456789#*", last)
		return emoji(last) || keyed || unicode.Is(unicode.Han, last)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.Is(unicode.Han, last)
	case '\u180b' <= r && r <= '\u180f':
		return unicode.Is(unicode.Mongolian, last) && kind(last) == ""
	}
	return false
}

// emoji reports whether r is a symbol, or lies where emoji are: generously, so
// that the emoji of next year need no new table.
func emoji(r rune) bool {
	const exclamations, information, wave = "\u203c\u2049", '\u2139', '\u3030'
	if r == utf8.RuneError { // nothing, or no text; to Unicode it is a symbol
		return false
	}
	return unicode.In(r, unicode.So, unicode.Sm) || strings.ContainsRune(exclamations, r) || r == information ||
		r == wave ||
		0x1f000 <= r && r <= 0x1fffd && !modifier(r)
}

// modifier reports whether r gives the emoji before it another skin.
func modifier(r rune) bool { return 0x1f3fb <= r && r <= 0x1f3ff }

// base is the last character before a joiner, without what only modifies it.
func base(before string) rune {
	last, n := utf8.DecodeLastRuneInString(before)
	if last == '\ufe0f' || modifier(last) {
		last, _ = utf8.DecodeLastRuneInString(before[:len(before)-n])
	}
	return last
}

// joining reports whether r is a letter or mark of a script in which a joiner
// changes what is shown.
func joining(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M) && kind(r) == "" && unicode.In(r,
		unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mandaic, unicode.Mongolian, unicode.Phags_Pa, unicode.Adlam,
		unicode.Hanifi_Rohingya, unicode.Manichaean, unicode.Sogdian,
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
		unicode.Balinese,
		unicode.Javanese, unicode.Sundanese, unicode.Meetei_Mayek, unicode.Limbu, unicode.Lepcha, unicode.Chakma,
		unicode.Inherited) // marks that are shared between scripts
}

// subdivision is how many bytes after a black flag make it one of the three
// flags of a subdivision that Unicode recommends (UTS 51, ED-14): England,
// Scotland, Wales. Any other sequence of tags is a text that nobody sees.
func subdivision(after string) int {
	for _, name := range []string{"gbeng", "gbsct", "gbwls"} {
		tags := ""
		for _, c := range name {
			tags += string(0xe0000 + c)
		}
		if tags += "\U000e007f"; strings.HasPrefix(after, tags) {
			return len(tags)
		}
	}
	return 0
}

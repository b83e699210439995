package overlap

import "strings"

// readPosix reads [:digit:] and its like inside a bracket, as git's wildmatch does:
// of ASCII only, and not where nothing ends the class. It reports false where the
// [ is but a character.
func (p *parser) readPosix() (spans []span, ok bool, f *fault) {
	name, kind := posixName(p.in[p.pos:])
	if kind == 0 {
		return nil, false, nil
	}
	start := p.pos
	p.pos += len("[::]") + len(name)
	if kind != ':' {
		return nil, false, &fault{offset: start, hint: "name the characters themselves",
			reason: "has " + quote(p.in[start:p.pos]) + " inside brackets, which is not supported"}
	}
	if spans = posixSpans(name); spans == nil {
		return nil, false, &fault{offset: start, reason: "has the unknown class " + quote(p.in[start:p.pos]),
			hint: "known are alnum, alpha, blank, cntrl, digit, graph, lower, print, punct, space, upper and xdigit; " +
				"or name the characters, as in [0-9]"}
	}
	return spans, true, nil
}

// posixName is the name in [:name:], [.name.] or [=name=], and which of them it
// is; 0 where the text begins with none.
func posixName(text string) (name string, kind byte) {
	if len(text) < len("[::]") || text[0] != '[' || strings.IndexByte(":.=", text[1]) < 0 {
		return "", 0
	}
	end := strings.IndexByte(text[2:], ']') + 2
	if end < 4-1 || text[end-1] != text[1] {
		return "", 0
	}
	return text[2 : end-1], text[1]
}

// posixSpans are the characters of a class; nil where there is none of the name.
// NUL is in no name.
func posixSpans(name string) []span {
	switch name {
	case "alnum":
		return []span{{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}
	case "alpha":
		return []span{{'A', 'Z'}, {'a', 'z'}}
	case "blank":
		return []span{{'\t', '\t'}, {' ', ' '}}
	case "cntrl":
		return []span{{1, 0x1f}, {0x7f, 0x7f}}
	case "digit":
		return []span{{'0', '9'}}
	case "graph":
		return []span{{'!', '~'}}
	case "lower":
		return []span{{'a', 'z'}}
	case "print":
		return []span{{' ', '~'}}
	case "punct":
		return []span{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	case "space":
		return []span{{'\t', '\r'}, {' ', ' '}}
	case "upper":
		return []span{{'A', 'Z'}}
	case "xdigit":
		return []span{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	}
	return nil
}

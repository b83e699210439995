package overlap

import (
	"strings"
	"unicode/utf8"
)

// Entries are pasted from other places: shells, editors, git. A text that means
// something else there is read as meant, where that is beyond doubt (file: URIs),
// or refused: as a plain name it would be a claim on nothing that looks like one.
// A name that really begins so is written with "./" before it.

// misspelled refuses the text of an entry that is written in another notation.
func misspelled(text string, windows bool) *fault {
	if text == "" {
		return nil
	}
	switch text[0] {
	case '~':
		return unexpanded(text)
	case '$':
		return variable(text)
	case '!':
		return exclusion(text)
	case ':':
		return pathspec(text)
	case '"', '\'', '`', "\u2018"[0]:
		return quoted(text)
	case '\\':
		return network(text, windows)
	}
	if colon := strings.IndexByte(text, ':'); colon > 0 && colon+1 < len(text) {
		return beforeColon(text, colon, windows)
	}
	return nil
}

// unexpanded refuses a home directory that no shell has written out.
func unexpanded(text string) *fault {
	if text != "~" && !strings.HasPrefix(text, "~/") && !strings.HasPrefix(text, `~\`) {
		return nil
	}
	return &fault{reason: "begins with a ~ that is not expanded here",
		hint: `write the path out; a directory of that name is "./~"`}
}

// variable refuses a variable that no shell has expanded: $PWD/src, ${ROOT}/src.
func variable(text string) *fault {
	name := strings.TrimPrefix(text[1:], "{")
	rest := strings.TrimLeft(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
	if after := strings.TrimPrefix(rest, "}"); rest == name || after != "" && after[0] != '/' && after[0] != '\\' {
		return nil
	}
	return &fault{reason: "begins with a variable that is not expanded here", anywhere: true,
		hint: "write the path out; a name that begins so is written " + quote("./"+text)}
}

func exclusion(text string) *fault {
	if strings.HasPrefix(text, "!(") {
		return nil
	}
	return &fault{reason: "begins with !, but exclusions are not supported", meant: text[1:],
		hint: `list what is covered; a name that begins with ! is written "./!name"`}
}

// pathspec refuses the magic of git's pathspecs: :(glob)src/**, :/src, :!src.
func pathspec(text string) *fault {
	if len(text) < 2 || strings.IndexByte("(/!^", text[1]) < 0 {
		return nil
	}
	rest := strings.TrimLeft(text, ":/!^")
	if _, after, ok := strings.Cut(rest, ")"); ok && text[1] == '(' {
		rest = after
	}
	return &fault{reason: "begins with git's pathspec magic, which is not supported", meant: rest,
		hint: "write " + quote(rest) + `; a name that begins with : is written "./:name"`}
}

// quoted refuses quotation marks around the whole.
func quoted(text string) *fault {
	opening, n := utf8.DecodeRuneInString(text)
	closing, m := utf8.DecodeLastRuneInString(text)
	if len(text) < n+m || !strings.Contains("\"\" '' `` \u201c\u201d \u2018\u2019", string(opening)+string(closing)) {
		return nil
	}
	inner := strings.TrimSpace(text[n : len(text)-m])
	return &fault{reason: "has quotation marks around it", meant: inner,
		hint: "leave them out; a name that has them is written " + quote("./"+text)}
}

// network refuses a Windows network path, \\host\share.
func network(text string, windows bool) *fault {
	host, ok := strings.CutPrefix(text, `\\`)
	if !ok || windows {
		return nil
	}
	i := strings.IndexAny(host, `\/`)
	if i <= 0 || host[i] == '/' || i+1 == len(host) || escapes(host[i+1:]) {
		return nil
	}
	return &fault{reason: "is a network path", hint: "write the path from the repository's root", anywhere: true}
}

// beforeColon refuses what comes before a colon: a drive where there are none, or
// the scheme of a URI.
func beforeColon(text string, colon int, windows bool) *fault {
	rest := text[colon+1:]
	switch {
	case colon == 1 && drive(text) && (rest[0] == '/' || rest[0] == '\\'):
		if windows {
			return nil
		}
		return &fault{reason: "begins with a drive, and there are none here", anywhere: true,
			hint: "write the path from the repository's root; a directory of that name is written " + quote("./"+text[:2])}
	case strings.HasPrefix(rest, "//") && scheme(text[:colon]):
		return &fault{reason: "is a URI, which names no file in the repository", outside: true,
			hint: "write the path from the repository's root; a directory of that name is written " + quote("./"+text[:colon+1])}
	}
	return nil
}

// scheme reports whether a text may be the scheme of a URI (RFC 3986, 3.1).
func scheme(text string) bool {
	for i := range len(text) {
		switch c := text[i] | 0x20; {
		case 'a' <= c && c <= 'z':
		case i > 0 && strings.IndexByte("0123456789+.-", text[i]) >= 0:
		default:
			return false
		}
	}
	return len(text) > 1
}

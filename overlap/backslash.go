package overlap

import "strings"

// separate turns each backslash that is no escape into a slash. The offsets
// stay.
func separate(text string, windows bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if !windows && escapes(text[i+1:]) && !(i <= 2 && dotted(text)) {
			i++
			continue
		}
		b[i] = '/'
	}
	return string(b)
}

// dotted reports whether a text begins with .\ or ..\, which is where the caller
// stands whatever follows.
func dotted(text string) bool {
	return strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, `..\`)
}

// escapes reports whether a backslash before rest is an escape.
func escapes(rest string) bool {
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '*', '?', '[', ']', '{', '}', '(', ')', '\\':
		return true
	case '!', '+', '@':
		return strings.HasPrefix(rest[1:], "(")
	}
	return false
}

// unescape removes the backslashes that escape.
func unescape(pattern string) string {
	if strings.IndexByte(pattern, '\\') < 0 {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// escape writes a path as a pattern for it alone.
func escape(path string) string {
	if strings.Contains(path, "...") {
		names := strings.Split(path, "/")
		for i, name := range names {
			if names[i] = escapeName(name); name == "..." { // else read as in Go
				names[i] = "@(.).."
			}
		}
		return strings.Join(names, "/")
	}
	return escapeName(path)
}

func escapeName(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '*', '?', '[', ']', '{', '}', '\\':
			b.WriteByte('\\')
		case '!', '+', '@':
			if strings.HasPrefix(path[i+1:], "(") {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

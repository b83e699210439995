package overlap

import (
	"net/url"
	"strings"
)

// fileScheme reports whether a text is a file: URI: scheme and a slash.
func fileScheme(text string) bool {
	const prefix = "file:/"
	return len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// FilePath returns the path that a file: URI names, and its text as it is where
// it is no such URI. An error is an *Error.
func FilePath(text string, windows bool) (string, error) {
	if !fileScheme(text) {
		return text, nil
	}
	path, f := uriPath(text)
	if f == nil {
		path, f = decodePercent(path, func(b byte) string { return string([]byte{b}) })
	}
	if f != nil {
		return "", f.of(text)
	}
	return localPath(path, windows), nil
}

// fromURI is the entry that a file: URI stands for. What stands percent-encoded
// in it is part of a name; the rest is read as in any entry.
func fromURI(text string, windows bool) (string, *fault) {
	path, f := uriPath(text)
	if f != nil {
		return "", f
	}
	path, f = decodePercent(path, func(b byte) string {
		if !windows && strings.IndexByte(`*?[]{}()\`, b) >= 0 {
			return `\` + string([]byte{b})
		}
		return string([]byte{b})
	})
	return localPath(path, windows), f
}

// uriPath is the path of a file: URI, still percent-encoded (RFC 8089).
func uriPath(text string) (string, *fault) {
	rest, _, _ := strings.Cut(text[len("file:"):], "#")
	if strings.Contains(rest, "?") {
		return "", uriFault("has a query")
	}
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		host, _, _ := strings.Cut(authority, "/")
		if rest = authority[len(host):]; rest == "" || host != "" && !strings.EqualFold(host, "localhost") {
			return "", uriFault("names another host")
		}
	}
	return rest, nil
}

// decodePercent replaces each %XX by what its byte is written as.
func decodePercent(path string, write func(byte) string) (string, *fault) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(path, "%")
		b.WriteString(before)
		if !found {
			return b.String(), nil
		}
		code := "%" + after[:min(2, len(after))]
		text, err := url.PathUnescape(code)
		if err != nil || len(text) != 1 {
			return "", uriFault("has the bad escape " + quote(code))
		}
		b.WriteString(write(text[0]))
		path = after[len(code)-1:]
	}
}

func uriFault(what string) *fault {
	return &fault{reason: "is a file: URI that " + what, anywhere: true, hint: "write the path instead"}
}

// localPath is a URI's path as the system writes it: /C:/x is C:/x on Windows.
func localPath(path string, windows bool) string {
	if windows && strings.HasPrefix(path, "/") && drive(path[1:]) {
		return path[1:]
	}
	return path
}

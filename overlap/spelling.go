package overlap

import (
	"errors"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Entries are pasted from other places: shells, editors, git. A text with
// another meaning there is read as meant, if that is certain (file: URIs), or
// refused: taken as a plain name, it would claim nothing of what it seems to.
// To use such a name literally, write "./" before it.

// A notation is one of another program. hint is the way out; %r in it is the rest
// of the text, to which the notation applies. spelled says how to write a name that
// really looks like that: with "./" before it (%t).
type notation struct {
	pattern       *regexp.Regexp // its group, if any, is the rest
	reason        string
	hint, spelled string
	fault         fault // has what is known of the name that was meant
}

var notations = sync.OnceValue(func() []notation {
	return []notation{
		{regexp.MustCompile(`^~(?:[A-Za-z_][\w-]*[/\\]|$|[/\\])`), "begins with a ~ that is not expanded here",
			"write the path out", beginsSo, fault{anywhere: true}},
		{regexp.MustCompile(`^(?:\$\{?[A-Z_0-9]+\}?|%\w+%)(?:$|[/\\])`), "begins with a variable that is not expanded here",
			"write the path out", beginsSo, fault{anywhere: true}},
		{regexp.MustCompile("^(?:\\$\\(.*\\)|`[^`]+`)[/\\\\]"), "begins with a command that is not run here",
			"write the path out", beginsSo, fault{anywhere: true}},
		{regexp.MustCompile(`^!((?:[^(].*)?)$`), "begins with !, but exclusions are not supported",
			"list what is covered", `a name that begins with ! is written "./!name"`, fault{}},
		{regexp.MustCompile(`^:(?:\([^)]*\)|[/!^:]*)(.*)$`), "begins with git's pathspec magic, which is not supported",
			"write %r", `a name that begins with : is written "./:name"`, fault{}},
		{regexp.MustCompile("^(?:\"(.*)\"|'(.*)'|`(.*)`|\u201c(.*)\u201d|\u2018(.*)\u2019)$"),
			"has quotation marks around it",
			"remove them", "a name that has them is written %t", fault{}},
		{regexp.MustCompile(`^[\[{]\s*["']`), "is written as JSON",
			"give each path as a separate entry, without quotation marks", beginsSo, fault{anywhere: true}},
		{regexp.MustCompile(`^\\\\[^\\/]+\\[^*?\[\]{}()\\]`), "is a network path",
			"write the path from the repository's root", "", fault{anywhere: true}},
		{regexp.MustCompile(`^[A-Za-z]:[^\s0-9]`), "begins with a drive letter, and this system has none",
			"write the path from the repository's root", directorySo, fault{anywhere: true}},
		{regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+://`), "is a URI, which names no file in the repository",
			"write the path from the repository's root, or custom://name for what is not a file, as in custom://port-3000",
			directorySo, fault{outside: true}},
		{regexp.MustCompile(`^\^.*[*$\\]|\.\*(?:\\\.|.*\$$)|(?:^|[^\\])\\\.\w+\$$`), "is a regular expression",
			"write a glob, as in src/**/*.ts", beginsSo, fault{anywhere: true}},
		{regexp.MustCompile(`^(?:[^\\]|\\[!@]\(|\\[^!@` + shellEscaped + `])*\\(?:[!@](?:[^(]|$)|[` + shellEscaped + `])`),
			"has a backslash that a shell would remove", "remove that backslash; to separate directories write /", "",
			fault{}},
	}
})

const (
	beginsSo    = "a name that begins like this is written %t"
	directorySo = "a directory of that name is written %t"
)

// shellEscaped are, with ! and @, the characters that shells put a backslash before
// and that mean nothing here.
const shellEscaped = " \"#$&',:;<=>^`|~"

// misspelled refuses an entry in another notation. On Windows, drives and
// network paths are allowed.
func misspelled(text string, windows bool) *fault {
	if text == "" || strings.IndexByte("~$!:%[{^\"'`\xe2", text[0]) < 0 && !strings.ContainsAny(text, `:\`) &&
		text[len(text)-1] != '$' {
		return nil
	}
	for _, n := range notations() {
		m := n.pattern.FindStringSubmatch(text)
		if m == nil || windows && (text[0] == '\\' || drive(text)) {
			continue
		}
		f := n.fault
		f.meant = strings.TrimSpace(strings.Join(m[1:], ""))
		f.reason = n.reason
		f.unless(strings.Replace(n.hint, "%r", quote(f.meant), 1), n.spelled, text)
		return &f
	}
	return nil
}

// unless sets the fault's hint: the way out, and how to write a name that is really
// spelled like the text. Remote callers cannot use "./"; for them brackets around the
// first character do the same, where they help.
func (f *fault) unless(way, spelled, text string) {
	f.hint, f.hintAfar = way, way
	if spelled == "" {
		return
	}
	f.hint += "; " + strings.Replace(spelled, "%t", quote("./"+text), 1)
	if strings.IndexByte("~$%", text[0]) >= 0 {
		f.hintAfar += "; " + strings.Replace(spelled, "%t", quote("["+text[:1]+"]"+text[1:]), 1)
	}
}

// fileScheme reports whether a text is a file: URI, with a slash after the scheme.
func fileScheme(text string) bool {
	const prefix = "file:/"
	return len(text) > len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// FilePath returns the path that a file: URI names, or any other text
// unchanged. The error is an *Error.
func FilePath(text string, windows bool) (string, error) {
	if !fileScheme(text) {
		return text, nil
	}
	path, f := uriPath(text, windows)
	if f != nil {
		return "", f.of(text)
	}
	return path, nil
}

// uriPath returns the path of a file: URI (RFC 8089).
func uriPath(text string, windows bool) (string, *fault) {
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
	path, err := url.PathUnescape(rest)
	if bad, ok := errors.AsType[url.EscapeError](err); ok {
		return "", uriFault("has the bad escape " + quote(string(bad)))
	}
	if windows && drive(strings.TrimPrefix(path, "/")) { // /C:/x is C:/x there
		path = strings.TrimPrefix(path, "/")
	}
	return path, nil
}

func uriFault(what string) *fault {
	return &fault{reason: "is a file: URI that " + what, anywhere: true, hint: "write the path instead"}
}

// Absolute reports whether an entry is absolute, so that Context.Roots is needed.
func Absolute(entry string, windows bool) bool {
	text := strings.TrimPrefix(strings.TrimSpace(entry), "@")
	return fileScheme(text) || absolute(text, windows)
}

func absolute(text string, windows bool) bool {
	return strings.HasPrefix(text, "/") || windows && (drive(text) || strings.HasPrefix(text, `\`))
}

// relative returns the part of an absolute entry below the deepest root that
// contains it. Roots are compared with the text as it is, before any of it is
// parsed as a pattern, since a root's own name may contain brackets.
//
// Symlinks are resolved above the root but not below it; a link from outside
// may lead past the root, into the tree.
func (c Context) relative(text string) (string, *fault) {
	names, f := cleanNames(c.plainPath(text))
	if f != nil {
		return "", f
	}
	path := strings.Join(names, "/")
	if !c.Windows || !drive(path) {
		path = "/" + path
	}
	if c.Resolve != nil {
		c.Budget.spend(len(names))
		path = c.Resolve(path)
	}
	inside, depth := c.underRoot(path)
	if depth < 0 {
		f := absoluteOutside(text)
		f.anywhere = c.NoRoots
		return "", f
	}
	// What no link has changed stays as typed; the rest are names.
	same := 0
	for same < min(len(inside), len(names)) && inside[len(inside)-1-same] == names[len(names)-1-same] {
		same++
	}
	for i := range len(inside) - same {
		inside[i] = escape(inside[i])
	}
	rest := strings.Join(inside, "/")
	if strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/.") {
		rest += "/"
	}
	return rest, nil
}

// cleanNames returns the names of an absolute path, which may be patterns,
// without empty ones, "." and "..".
func cleanNames(path string) ([]string, *fault) {
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		switch last := len(names) - 1; {
		case name == "" || name == ".":
		case name != "..":
			names = append(names, name)
		case last < 0: // the parent of / is /
		case strings.ContainsAny(names[last], "*?[{("):
			return nil, parentOfPattern(strings.Index(path, "/.."))
		default:
			names = names[:last]
		}
	}
	return names, nil
}

func absoluteOutside(text string) *fault {
	f := outside(0)
	if rest := strings.TrimLeft(text, "/"); strings.HasPrefix(text, "/") && rest != "" {
		f.hint = "entries are relative to the repository's root: omit the slash, as in " + quote(rest) +
			"; for a path in another repository pass `base_dir`"
	}
	return f
}

// underRoot returns the names on the way from the deepest root that contains an
// absolute path, and how many names lead to that root; -1 if no root contains it.
func (c Context) underRoot(path string) (names []string, depth int) {
	parts := c.parts(path)
	depth = -1
	for _, root := range c.Roots {
		if n := c.parts(root); len(n) > depth && len(n) <= len(parts) && c.samePath(n, parts[:len(n)]) {
			depth = len(n)
		}
	}
	return parts[max(depth, 0):], depth
}

// samePath reports whether names lead to the same place.
func (c Context) samePath(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] && !(c.FoldCase && comparable(a[i], true) == comparable(b[i], true)) {
			return false
		}
	}
	return true
}

// parts returns the names of an absolute path.
func (c Context) parts(path string) []string {
	path = strings.Trim(c.plainPath(path), "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// plainPath returns the form in which absolute paths are compared.
func (c Context) plainPath(path string) string {
	if c.Windows {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	if trimmed := strings.TrimRight(path, "/"); trimmed != "" {
		path = trimmed
	}
	return nfc(path)
}

// drive reports whether a path begins with a Windows drive.
func drive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && ('a' <= path[0]|0x20 && path[0]|0x20 <= 'z')
}

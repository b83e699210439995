package overlap

import "strings"

// Absolute reports whether an entry is read from the file system's root, so that
// Context.Roots must be known.
func Absolute(entry string, windows bool) bool {
	text := strings.TrimPrefix(strings.TrimSpace(entry), "@")
	return fileScheme(text) || absolute(text, windows)
}

func absolute(text string, windows bool) bool {
	return strings.HasPrefix(text, "/") || windows && (drive(text) || strings.HasPrefix(text, `\`))
}

// relative returns what follows the deepest root that an absolute entry lies in.
// Roots are compared with the text as it is, before anything in it is read as a
// pattern: a root's own name may have brackets. A backslash is read as in
// patterns only where that leads to a deeper root.
//
// Symlinks count down to the root, never under it; a link from outside may lead
// past the root, into the tree.
func (c Context) relative(text string) (string, *fault) {
	if c.Windows {
		text = separate(text, true)
	}
	rest, deep, f := c.under(text)
	if strings.Contains(text, `\`) {
		if read, deeper, g := c.under(unescape(separate(text, false))); deeper > deep {
			return read, g
		}
	}
	return rest, f
}

// under is relative for one reading of the text, and how deep the root lies.
func (c Context) under(text string) (rest string, depth int, f *fault) {
	names, f := cleanNames(c.plainPath(text))
	if f != nil {
		return "", -1, f
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
		return "", depth, f
	}
	// What no link has changed stays as it was typed; the rest are names.
	same := 0
	for same < min(len(inside), len(names)) && inside[len(inside)-1-same] == names[len(names)-1-same] {
		same++
	}
	for i := range len(inside) - same {
		inside[i] = escape(inside[i])
	}
	rest = strings.Join(inside, "/")
	if strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/.") {
		rest += "/"
	}
	return rest, depth, nil
}

// cleanNames are the names of an absolute path, which may be patterns, without
// empty ones, "." and "..".
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
		f.hint = "entries are relative to the repository's root: leave the slash out, as in " + quote(rest) +
			"; for a path in another repository pass `base_dir`"
	}
	return f
}

// underRoot gives the names that lead to an absolute path from the deepest of the
// roots that it lies in, and how many lead to that; -1 where it lies in none.
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

// parts are the names of an absolute path.
func (c Context) parts(path string) []string {
	path = strings.Trim(c.plainPath(path), "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}

// plainPath is the form in which absolute paths are compared.
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

package overlap

import (
	"regexp"
	"slices"
	"strings"
)

// The oracle decides by brute force what an entry covers. It shares no code
// with the package: alternatives are expanded as text, each expansion becomes
// a regular expression, and every path over a small alphabet is tried. It
// knows the part of the grammar that the generator in property_test.go writes.
type oracle struct {
	forms []form
	lead  []string // the literal leading directories
}

// A form is one reading of an entry.
type form struct {
	match *regexp.Regexp
	file  bool
}

func newOracle(entry string) oracle {
	text, dir := strings.CutSuffix(strings.TrimPrefix(entry, "./"), "/")
	float := strings.ContainsAny(strings.ReplaceAll(text, `\[`, ""), "*?[") && !strings.Contains(text, "/") && !strings.HasPrefix(entry, "./")
	var o oracle
	file := !dir // it is one where each expansion looks like one
	var exprs []string
	for _, e := range expand(text) {
		if last := e[strings.LastIndexByte(e, '/')+1:]; last != "" && strings.Trim(last, nothing) == "" {
			file = false
			continue // an extglob's nothing is not a name
		}
		if last := e[strings.LastIndexByte(e, '/')+1:]; strings.HasSuffix(last, nothing) && strings.ReplaceAll(last, nothing, "") == "**" {
			e = strings.TrimSuffix(e, last) + "*" // nor does it make a whole segment of the stars before it
		}
		for strings.Contains(e, nothing) { // one after the other: each may stand between stars
			before, after, _ := strings.Cut(e, nothing)
			e = joined(before, after)
		}
		file = file && looks.MatchString(e)
		if expr := regexOf(e); expr != "" {
			exprs = append(exprs, expr)
		}
	}
	for _, expr := range exprs {
		o.add(expr, float, file)
	}
	name := strings.ReplaceAll(text, `\`, "")
	o.add(regexp.QuoteMeta(name)+"/", float, file)

	segments := strings.Split(text, "/")
	for i, s := range segments {
		if i == len(segments)-1 && !dir || strings.ContainsAny(strings.ReplaceAll(s, `\[`, ""), "*?[{(") {
			break
		}
		o.lead = append(o.lead, strings.ReplaceAll(strings.Join(segments[:i+1], "/"), `\`, ""))
	}
	return o
}

func (o *oracle) add(expr string, float, file bool) {
	if float {
		expr = "(?:[^/]+/)*(?:" + expr + ")"
	}
	o.forms = append(o.forms, form{regexp.MustCompile("^(?:" + expr + ")$"), file})
}

// covers reports whether the entry covers a path, given the directories that
// the other entry's literal leading directories are.
func (o oracle) covers(path string, dirs []string) bool {
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		name := path[:i]
		for _, f := range o.forms {
			if (i == len(path) || !f.file || slices.Contains(dirs, name)) && f.match.MatchString(name+"/") {
				return true
			}
		}
	}
	return false
}

// looks is what a file looks like: an extension of letters and digits, of
// which some may be given as a class or as +(...).
var looks = func() *regexp.Regexp {
	letter, group := `[a-z]|\[[a-z]*\]|\[a-b\]`, `\+\([a-z|]*\)`
	return regexp.MustCompile(`[^/]\.(?:` + letter + `|` + group + `)(?:` + letter + `|` + group + `|[0-9]|\[[0-9a-z]*\]|\[0-9\])*$`)
}()

// twoStars stands between stars that an alternative brings together: they are two.
const twoStars = "\x02"

func joined(a, b string) string {
	if strings.HasSuffix(a, "*") && strings.HasPrefix(b, "*") && !strings.HasPrefix(b, "*(") {
		return a + twoStars + b
	}
	return a + b
}

// nothing is what an extglob stands for that stands for none of its patterns.
const nothing = "\x01"

// expand lists the texts that braces, @(), ?() and *() stand for; +() is left.
func expand(text string) []string {
	for i := 0; i < len(text); i++ {
		opening, separator, closing := i, byte(','), byte('}')
		switch {
		case text[i] == '\\':
			i++
			continue
		case text[i] == '*' && strings.HasPrefix(text[i+1:], "("):
			end := i + strings.IndexByte(text[i:], ')')
			return append(expand(text[:i]+nothing+text[end+1:]), expand(text[:i]+"+"+text[i+1:])...)
		case (text[i] == '+' || text[i] == '!') && strings.HasPrefix(text[i+1:], "("):
			i += strings.IndexByte(text[i:], ')')
			continue
		case (text[i] == '@' || text[i] == '?') && strings.HasPrefix(text[i+1:], "("):
			opening, separator, closing = i+1, '|', ')'
		case text[i] != '{':
			continue
		}
		parts, end := alternatives(text, opening+1, separator, closing)
		if text[i] == '?' {
			parts = append(parts, nothing)
		}
		var all []string
		for _, part := range parts {
			all = append(all, expand(joined(joined(text[:i], part), text[end+1:]))...)
		}
		return all
	}
	return []string{text}
}

// alternatives splits what is between two brackets and says where they end.
func alternatives(text string, start int, separator, closing byte) (parts []string, end int) {
	var closers []byte
	from := start
	for i := start; ; i++ {
		c := text[i]
		switch {
		case c == '\\':
			i++
		case c == '{':
			closers = append(closers, '}')
		case c == '(':
			closers = append(closers, ')')
		case len(closers) > 0:
			if c == closers[len(closers)-1] {
				closers = closers[:len(closers)-1]
			}
		case c == separator:
			parts, from = append(parts, text[from:i]), i+1
		case c == closing:
			return append(parts, text[from:i]), i
		}
	}
}

// regexOf translates an expanded pattern; each name is ended by a slash. It is
// empty where there is no name.
func regexOf(text string) string {
	var b strings.Builder
	for s := range strings.SplitSeq(text, "/") {
		s = strings.ReplaceAll(s, nothing, "")
		if s == "" || s == "." {
			continue
		}
		if s == "**" {
			b.WriteString("(?:[^/]+/)*")
		} else {
			s = strings.ReplaceAll(s, twoStars, "")
			b.WriteString(segmentRegex(s) + "/")
		}
	}
	return b.String()
}

func segmentRegex(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
			b.WriteString(regexp.QuoteMeta(s[i : i+1]))
		case strings.IndexByte("*+!", c) >= 0 && strings.HasPrefix(s[i+1:], "("):
			end := i + strings.IndexByte(s[i:], ')')
			if c == '!' {
				b.WriteString("[^/]*")
			} else {
				b.WriteString("(?:" + s[i+2:end] + ")" + s[i:i+1])
			}
			i = end
		case c == '*':
			b.WriteString("[^/]*")
		case c == '?':
			b.WriteString("[^/]")
		case c == '[':
			end := i + strings.IndexByte(s[i:], ']')
			own := s[i : end+1]
			class := strings.Replace(own, "[!", "[^/", 1)
			b.WriteString("(?:" + class + "|" + regexp.QuoteMeta(own) + ")")
			i = end
		default:
			b.WriteString(regexp.QuoteMeta(s[i : i+1]))
		}
	}
	return b.String()
}

// universe lists all paths over "ab./" up to a length.
func universe(length int) []string { return pathsOver("ab./", length) }

// pathsOver lists all paths over some characters up to a length.
func pathsOver(alphabet string, length int) []string {
	var paths []string
	level := []string{""}
	for range length {
		var next []string
		for _, p := range level {
			for _, c := range alphabet {
				next = append(next, p+string(c))
			}
		}
		for _, p := range next {
			if isPath(p) {
				paths = append(paths, p)
			}
		}
		level = next
	}
	return paths
}

// isPath reports whether a text is a path; "..." is one, but no entry is it alone.
func isPath(p string) bool {
	return !slices.ContainsFunc(strings.Split(p, "/"), func(name string) bool {
		return name == "" || name == "." || name == ".." || name == "..."
	})
}

package lockfile

import "regexp"

// typed matches unquoted scalars that some YAML reader does not read as text.
// Lock files are shared with programs that use js-yaml (3.x through
// gray-matter, and 4.x), which resolves more scalars than yaml.v3 does: it
// reads the agent id 3818e424 as an infinite number. Each pattern covers the
// named source file of both versions, and the rules of YAML 1.1 for that type
// (yaml.org/type). A pattern may be wider than its source: quoting too much is
// harmless.
var typed = []*regexp.Regexp{
	// type/null.js
	regexp.MustCompile(`^(?:~|null|Null|NULL)$`),
	// type/bool.js; YAML 1.1 has the others
	regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n)$`),
	// type/int.js: binary, octal of YAML 1.2, hexadecimal
	regexp.MustCompile(`^[-+]?0[bBoOxX][0-9A-Fa-f_]+$`),
	// type/int.js, type/float.js: decimal, octal of YAML 1.1, base 60 (20:30, 20:30.5)
	regexp.MustCompile(`^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])*(?:\.[0-9_]*)?$`),
	// type/float.js: 2.5e4, 3818e424, .5, ._7245
	regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$`),
	// type/float.js: not finite
	regexp.MustCompile(`^[-+]?\.(?i:inf|nan)$`),
	// type/timestamp.js: a date, real or not; a date with a time
	regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
	regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?` +
		`(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$`),
	// type/merge.js; YAML 1.1 has a default value, too
	regexp.MustCompile(`^(?:<<|=)$`),
}

// isTyped reports whether some reader does not read s, unquoted, as text.
func isTyped(s string) bool {
	if s == "" {
		return true
	}
	// Every match begins with one of these; most text needs no pattern.
	switch c := s[0]; {
	case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == '~', c == '<', c == '=', c == 'e', c == 'E':
	case c == 't', c == 'T', c == 'f', c == 'F', c == 'y', c == 'Y', c == 'n', c == 'N', c == 'o', c == 'O':
	default:
		return false
	}
	for _, p := range typed {
		if p.MatchString(s) {
			return true
		}
	}
	return false
}

package lockfile

import "regexp"

// typed lists the unquoted scalars that some YAML reader takes for something
// other than their text. Lock files are shared with programs on js-yaml (3.x
// by way of gray-matter, and 4.x), whose resolvers take more than yaml.v3's:
// to them the agent id 3818e424 is a number, and infinite. Each pattern covers
// both versions of the file of js-yaml that it names, and YAML 1.1's rules for
// the type (yaml.org/type), which they are made from. A pattern may be wider
// than its source: a quote too many changes nothing.
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

// isTyped reports whether s, unquoted, is more than text to some reader.
func isTyped(s string) bool {
	if s == "" {
		return true
	}
	// Spares nearly every text the patterns: all begin with one of these.
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

package guard

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// self matches the ways in which a shell script can refer to itself.
const self = `\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?(?::-"?\$(?:0|\{0\})"?)?\})`

// dirOfSelf matches the ways to get the directory of that script.
const dirOfSelf = `\bdirname\s+(?:--\s+)?(?:"?(?:\$\(|` + "`" + `)(?:readlink|realpath)(?:\s+-\w+)*\s+(?:--\s+)?)?"?` +
	self +
	`|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}`

var (
	commentLine = lazily(`(?m)^[ \t]*#.*$`)
	// harmless matches what refers to the script but does not read it: awk
	// programs, whose $0 is something else, names of other files that begin
	// with this one's, comparisons, and text that is only printed.
	harmless = lazily(`\b[gmn]?awk\b(?:\s+-\w\s*'[^'\n]*'|[^\n'"$;|&])*'[^']*'` +
		`|(?:` + self + `|\$\(basename\s+(?:--\s+)?"?` + self + `"?\))"?[.][A-Za-z]` +
		`|` + self + `"?\s+(?:==?|!=)\s+(?:"?` + self + `)?|\s(?:==?|!=)\s+"?` + self +
		`|\bcase\s+"?` + self + `"?\s+in\b` +
		`|(?m:(?:^|[;&{]|\b(?:then|else|do)\b)[ \t]*(?:echo|printf)\b[^\n|;&()<` + "`" + `]*(?:[;&]|$))`)
	// namesDir and namesFile match the script's directory and file name.
	namesDir  = lazily(dirOfSelf)
	namesFile = lazily(`\bbasename\s+(?:--\s+)?"?` + self + `|\$\{(?:0|BASH_SOURCE(?:\[0\])?)##\*/\}`)
	// asksForItself matches everything else that leads to the script, or to a
	// line number in it.
	asksForItself = lazily(`\$\{?0|BASH_SOURCE|BASH_ARGV|LINENO|/proc/(?:\$\$|self)|\bcaller\b` +
		`|\$\{@:0|\bps\b[^\n;|&]*(?:\bargs\b|\bcommand\b|\$\$)` +
		`|ZSH_SCRIPT|ZSH_ARGZERO|\$\{\(%|funcfiletrace|\.sh\.(?:file|lineno)`)
	// ownName matches the hook's name, or a pattern that may match it.
	ownName = lazily(`(?m)(?:^|[^\w.-])(?:` + regexp.QuoteMeta(hookName) + `(?:$|[^\w.-])|p[\w-]*[*?[])` +
		`|(?:` + dirOfSelf + `)["')}]*/[*](?:[\s;"')]|$)`)
	// lastArgument matches $_, which initially has the script's path.
	lastArgument = lazily(`\$(?:_(?:\W|$)|\{_\})`)
)

// readsItself reports whether a shell script may read its own file or depend on
// its line numbers, unless it is known not to.
func readsItself(script string) bool {
	rest := harmless().ReplaceAllString(commentLine().ReplaceAllString(script, ""), " ")
	dir, file := namesDir().MatchString(rest), namesFile().MatchString(rest)
	if dir && (file || ownName().MatchString(rest)) {
		return true // it can construct its own path
	}
	rest = namesFile().ReplaceAllString(namesDir().ReplaceAllString(rest, ""), "")
	return asksForItself().MatchString(rest)
}

// findsItself reports whether a hook may open its own file through the hooks
// directory, where it would find it changed or replaced. A path to a different
// file there, given by name, is harmless.
func findsItself(hook file) bool {
	text := commentLine().ReplaceAllString(hook.text, "")
	shell := slices.Contains(shells(), interpreter(hook.text))
	if shell {
		text = harmless().ReplaceAllString(text, " ")
	}
	if strings.Contains(text, "hooksPath") || shell && lastArgument().MatchString(text) {
		return true
	}
	dir := filepath.Dir(hook.path)
	base, parent := filepath.Base(dir), filepath.Base(filepath.Dir(dir))
	way := regexp.MustCompile(`(?m)(--git-path[ =]["']?|[^\s/"'=(]*["')}]*/|^|[\s=("'])(?:` + regexp.QuoteMeta(base) +
		`|hooks)([\w.-]*)(["')}]*)(/?)([\w.-]*)(.?)`)
	for _, m := range way.FindAllStringSubmatch(text, -1) {
		lead, longer, closing, slash, name, next := m[1], m[2], m[3], m[4], m[5], m[6]
		above, under := strings.CutSuffix(lead, "/")
		switch {
		case longer != "": // a longer name
		case under && plainName().MatchString(above) && above != ".git" && above != parent: // another directory
		case !under && len(lead) < 2 && slash == "": // a word in a sentence, or part of a path that is joined
			if strings.Trim(lead, `"'`) == "" && lead != "" && closing != "" {
				return true
			}
		case slash == "" || name == "" || name == hookName || name == hook.name() ||
			next != "" && strings.Contains("$*?[{`", next):
			return true
		}
	}
	return false
}

var plainName = lazily(`^[\w-][\w.-]*$`)

package guard

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// self is a shell's way to name the script that it runs.
const self = `\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?(?::-"?\$(?:0|\{0\})"?)?\})`

// dirOfSelf is a shell's way to the directory of that script.
const dirOfSelf = `\bdirname\s+(?:--\s+)?(?:"?(?:\$\(|` + "`" + `)(?:readlink|realpath)(?:\s+-\w+)*\s+(?:--\s+)?)?"?` +
	self +
	`|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}`

var (
	commentLine = lazily(`(?m)^[ \t]*#.*$`)
	// harmless is what names the script and reads nothing: a program of awk,
	// whose $0 is another, another file's name that begins with this one's,
	// comparisons, and what is only printed.
	harmless = lazily(`\b[gmn]?awk\b(?:\s+-\w\s*'[^'\n]*'|[^\n'"$;|&])*'[^']*'` +
		`|(?:` + self + `|\$\(basename\s+(?:--\s+)?"?` + self + `"?\))"?[.][A-Za-z]` +
		`|` + self + `"?\s+(?:==?|!=)\s+(?:"?` + self + `)?|\s(?:==?|!=)\s+"?` + self +
		`|\bcase\s+"?` + self + `"?\s+in\b` +
		`|(?m:(?:^|[;&{]|\b(?:then|else|do)\b)[ \t]*(?:echo|printf)\b[^\n|;&()<` + "`" + `]*(?:[;&]|$))`)
	// namesDir and namesFile ask for the script's directory, and its name in it.
	namesDir  = lazily(dirOfSelf)
	namesFile = lazily(`\bbasename\s+(?:--\s+)?"?` + self + `|\$\{(?:0|BASH_SOURCE(?:\[0\])?)##\*/\}`)
	// asksForItself is all else that leads to the script, or to the number of a
	// line in it.
	asksForItself = lazily(`\$\{?0|BASH_SOURCE|BASH_ARGV|LINENO|/proc/(?:\$\$|self)|\bcaller\b` +
		`|\$\{@:0|\bps\b[^\n;|&]*(?:\bargs\b|\bcommand\b|\$\$)` +
		`|ZSH_SCRIPT|ZSH_ARGZERO|\$\{\(%|funcfiletrace|\.sh\.(?:file|lineno)`)
	// ownName is the name of the hook, or a pattern of names that may match it.
	ownName = lazily(`(?m)(?:^|[^\w.-])(?:` + regexp.QuoteMeta(hookName) + `(?:$|[^\w.-])|p[\w-]*[*?[])` +
		`|(?:` + dirOfSelf + `)["')}]*/[*](?:[\s;"')]|$)`)
	// lastArgument is, at the beginning, what the environment or the shell say.
	lastArgument = lazily(`\$(?:_(?:\W|$)|\{_\})`)
)

// readsItself reports whether a shell script may open its own file, or tell its
// lines: all but what is known not to.
func readsItself(script string) bool {
	rest := harmless().ReplaceAllString(commentLine().ReplaceAllString(script, ""), " ")
	dir, file := namesDir().MatchString(rest), namesFile().MatchString(rest)
	if dir && (file || ownName().MatchString(rest)) {
		return true // it can put its path together
	}
	rest = namesFile().ReplaceAllString(namesDir().ReplaceAllString(rest, ""), "")
	return asksForItself().MatchString(rest)
}

// findsItself reports whether a hook may open its file by the way to the hooks:
// there it would find it changed, or another one. What leads to some other file
// among the hooks, by its name, does not.
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
		case longer != "": // another name
		case under && plainName().MatchString(above) && above != ".git" && above != parent: // another directory of that name
		case !under && len(lead) < 2 && slash == "": // a word of a sentence, or of a path that is joined
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

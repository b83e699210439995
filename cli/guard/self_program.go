package guard

import (
	"regexp"
	"slices"
	"strings"
)

// A program that determines its own path can open any file beside it, now or
// later, under a computed name. So a hook may be moved only if it is in a
// language that we know, and has none of the words that can reveal its path.

// firstLine matches a first line that contains only the interpreter, by its
// path or with env, and no option that names a module, program or directory.
func firstLine(interpreter string) string {
	return `^#!\s*/(?:\S+/)?(?:env\s+(?:-S\s+)?)?` + interpreter + `(?:\s+-[BEITWstuw]+)*\s*(?:\n|$)`
}

var (
	inPython = lazily(firstLine(`python[\d.]*`))
	inPerl   = lazily(firstLine(`perl[\d.]*`))
	inNode   = lazily(firstLine(`node(?:js)?`))
	// An import that may fail, being indented or caught, would find what is
	// later put beside the hook.
	pythonWords = lazily(`/proc/|__file__|__spec__|__loader__|__import__|import\s+__main__|argv|sys\s*\.\s*(?:path|modules|_)|\bsys\s+(?:import|as)\b|` +
		`importlib|runpy|pkgutil|zipimport|inspect|traceback|f_code|co_filename|ImportError|ModuleNotFoundError|` +
		`(?m:^[ \t]+(?:from|import)\b)|[:;][ \t]*(?:from|import)\b`)
	perlWords = lazily(`/proc/|[$*]\s*\{?\s*(?:main)?(?:::)?0\b|PROGRAM_NAME|__FILE__|FindBin|\bcaller\b`)
	nodeWords = lazily(`/proc/|__dirname|__filename|argv|import\s*\.\s*meta|\bmodule\b|mainModule|createRequire|\bstack\b|` +
		`\brequire\b|\bimport\s*\(|\bfrom\s*["']|["'` + "`" + `]\.\.?/`)
	// noPlace matches arguments other than the program's name, and node's
	// built-in modules.
	noPlace = lazily(`\bargv\s*\[\s*[1-9]\d*\s*:|` +
		`\b(?:require\s*\(|from)\s*["'](?:node:[\w/]+|fs|fs/promises|path|os|util|child_process|process|assert|events|crypto|url|readline)["']`)
)

// seesItsPlace returns the word by which a program may determine its directory;
// "" if there is none. known is false for unknown languages and compiled programs.
func seesItsPlace(text string) (word string, known bool) {
	if strings.ContainsRune(text, 0) {
		return "", false
	}
	if slices.Contains(shells(), interpreter(text)) {
		return asksForItself().FindString(commentLine().ReplaceAllString(text, "")), true
	}
	for _, l := range []struct{ is, words func() *regexp.Regexp }{
		{inPython, pythonWords}, {inPerl, perlWords}, {inNode, nodeWords},
	} {
		if l.is().MatchString(text) {
			return strings.TrimSpace(l.words().FindString(noPlace().ReplaceAllString(text, " "))), true
		}
	}
	return "", false
}

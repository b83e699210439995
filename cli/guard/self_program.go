package guard

import (
	"regexp"
	"slices"
	"strings"
)

// A program that finds its own place can look up whatever is put there, now or
// later, under names that it puts together. So only what has no word for its
// place may be moved, in a language whose words we know.

// firstLine is a first line that names the interpreter alone, by its path or
// env, with none of the options that name a module, a program or a place.
func firstLine(interpreter string) string {
	return `^#!\s*/(?:\S+/)?(?:env\s+(?:-S\s+)?)?` + interpreter + `(?:\s+-[BEITWstuw]+)*\s*(?:\n|$)`
}

var (
	inPython = lazily(firstLine(`python[\d.]*`))
	inPerl   = lazily(firstLine(`perl[\d.]*`))
	inNode   = lazily(firstLine(`node(?:js)?`))
	// An import that may fail, since it is indented or caught, finds what is put beside the hook later.
	pythonWords = lazily(`/proc/|__file__|__spec__|__loader__|__import__|import\s+__main__|argv|sys\s*\.\s*(?:path|modules|_)|\bsys\s+(?:import|as)\b|` +
		`importlib|runpy|pkgutil|zipimport|inspect|traceback|f_code|co_filename|ImportError|ModuleNotFoundError|` +
		`(?m:^[ \t]+(?:from|import)\b)|[:;][ \t]*(?:from|import)\b`)
	perlWords = lazily(`/proc/|[$*]\s*\{?\s*(?:main)?(?:::)?0\b|PROGRAM_NAME|__FILE__|FindBin|\bcaller\b`)
	nodeWords = lazily(`/proc/|__dirname|__filename|argv|import\s*\.\s*meta|\bmodule\b|mainModule|createRequire|\bstack\b|` +
		`\brequire\b|\bimport\s*\(|\bfrom\s*["']|["'` + "`" + `]\.\.?/`)
	// noPlace are arguments, without the program's name, and what node brings along.
	noPlace = lazily(`\bargv\s*\[\s*[1-9]\d*\s*:|` +
		`\b(?:require\s*\(|from)\s*["'](?:node:[\w/]+|fs|fs/promises|path|os|util|child_process|process|assert|events|crypto|url|readline)["']`)
)

// seesItsPlace is the word by which a program may find the directory that it
// lies in; "" where it has none. It is not known of languages that we do not
// know, nor of what was compiled.
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

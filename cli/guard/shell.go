package guard

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// takesBlock reports whether our block can stand in a hook without changing
// what the hook does: it is a script of a shell that reads POSIX sh, and it
// does not read itself, as data or in another language.
func takesBlock(text string) bool {
	return slices.Contains(shells(), interpreter(text)) && !strings.ContainsRune(text, 0) && !readsItself(text)
}

func shells() []string {
	return []string{"sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "lksh", "oksh", "pdksh", "yash", "zsh"}
}

// interpreter is the name of the program that a hook's first line asks for.
// Without such a line it is sh, which git falls back to; where the line cannot
// be read, "".
func interpreter(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "#!")
	if !ok {
		return "sh"
	}
	for _, word := range strings.Fields(line) {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if name := strings.TrimSuffix(path.Base(word), ".exe"); name != "env" && name != "busybox" {
			return name
		}
	}
	return ""
}

// carriageReturn reports whether a hook's first line ends in one, which belongs
// to the interpreter's name for every system but Windows.
func carriageReturn(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return strings.HasPrefix(line, "#!") && strings.HasSuffix(line, "\r")
}

var (
	// namesItself is what asks for the script's name or directory.
	namesItself = regexp.MustCompile(`(basename|dirname|readlink|realpath)\b[^\n|;&$]*"?\$(0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(\[0\])?\})"?`)
	// opensItself is what hands the script to another program: one that goes on
	// in another language, or one that counts its lines.
	opensItself = regexp.MustCompile(`(?m)^[^#\n]*(\b(awk|base64|cat|exec|grep|head|nawk|node|perl|php|python[0-9.]*|ruby|sed|tail|tar|unzip)\b|<)` +
		`[^\n|;&]*\s?"?\$(0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(\[0\])?\})"?(\s|$|[;|&)])`)
)

// readsItself reports whether a script opens its own file.
func readsItself(text string) bool {
	return opensItself.MatchString(namesItself.ReplaceAllString(text, ""))
}

package guard

import (
	"path"
	"strings"
)

// chain is how our hook runs the one that was there before.
//
// A hook is run by its own path, so the kernel finds its interpreter, whatever
// language it is in. But some shell hooks find out from $0 which hook they are
// (husky: "$(dirname "$0")/h", which then looks at basename "$0"), and under the
// sibling's name they would do nothing, silently. Those are sourced by the
// interpreter they ask for, with $0 as it was.
func chain(text string) []string {
	const sibling = `"$AGENT_LOCKS_CHAINED"`
	words, shell := interpreter(text)
	if !shell || !strings.Contains(text, "$0") && !strings.Contains(text, "${0") {
		return []string{sibling}
	}
	// A bash script that compares BASH_SOURCE with $0 asks whether it was
	// sourced, and would do nothing if it was.
	if strings.Contains(text, "BASH_SOURCE") {
		return []string{sibling}
	}
	for i := range words {
		words[i] = quote(words[i])
	}
	return append(words, "-c", `'. "$AGENT_LOCKS_CHAINED"'`, `"$0"`)
}

// interpreter is the command that the first line names, as the kernel splits
// it (the program and at most one argument), and whether it is a shell in
// which $0 stays what it was in a file that is sourced. (In zsh it does not.)
func interpreter(text string) (words []string, shell bool) {
	line, _, _ := strings.Cut(text, "\n")
	line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\r"), "#!")
	if !ok {
		return []string{"/bin/sh"}, !strings.ContainsRune(text, 0) // what git does
	}
	program, argument, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	words = []string{program}
	if argument = strings.TrimSpace(argument); argument != "" {
		words = append(words, argument)
	}
	name := path.Base(program)
	if name == "env" {
		for _, word := range strings.Fields(argument) {
			if !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
				name = path.Base(word)
				break
			}
		}
	}
	switch name {
	case "sh", "bash", "dash", "ash", "ksh":
		return words, true
	}
	return words, false
}

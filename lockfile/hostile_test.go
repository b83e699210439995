package lockfile

import (
	"fmt"
	"strings"
	"testing"
)

// Texts that have made YAML and markdown readers hang, panic or eat memory.
// Whatever comes of them, it comes soon: the test binary's own time limit is
// the judge.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	const head = "---\nstatus: active\ncreated: 2026-07-17T18-45-12\nscope: x\n"
	for name, front := range map[string]string{
		"open flow":       "x: " + fill("["),
		"open maps":       "x: " + fill("{a: "),
		"deep flow":       "x: " + strings.Repeat("[", 2000) + strings.Repeat("]", 2000),
		"deep sequence":   "x:\n " + fill("- "),
		"deep mapping":    staircase(120),
		"flow list":       "x: [" + fill("a,") + "]",
		"quotes in flow":  "x: [" + fill("'a' ,") + "]",
		"comments":        fill("# c\n\n"),
		"item comments":   "x:\n" + fill("- a # c\n"),
		"keys":            counted("k%d: 1\n"),
		"alias bomb":      bomb(),
		"self reference":  "x: &a [*a]",
		"anchors":         fill("&a "),
		"tags":            fill("!a "),
		"question marks":  fill("? "),
		"colons":          fill(":"),
		"bare returns":    fill("\r"),
		"block of blanks": "x: |\n" + fill(" \n"),
		"long quoted":     "x: \"" + fill("a\n") + "\"",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFile(t, []byte(head+front+"\n---\n# T\n"), "a note")
		})
	}
	for name, body := range map[string]string{
		"open fences":          fill("```x\n"),
		"open fences, mixed":   fill("```x\n~~~x\n"),
		"open fences, nested":  fill("  ```x\n   ~~~~x\n"),
		"open fences, in turn": fill("  ```x\nx\n"),
		"shrinking fences":     shrinking(),
		"tasks":                fill("- [ ] x\n"),
		"notes":                "## Notes\n" + fill("- x\n\n\n  x\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkFile(t, []byte(head+"---\n# T\n"+body), "a note")
		})
	}
}

func fill(unit string) string { return strings.Repeat(unit, (8<<10)/len(unit)) }

func counted(format string) string {
	var b strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func staircase(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func bomb() string {
	b := "a0: &a0 [x]\n"
	for i := range 500 {
		b += fmt.Sprintf("a%d: &a%d [*a%d, *a%d, *a%d]\n", i+1, i+1, i, i, i)
	}
	return b
}

func shrinking() string {
	var b strings.Builder
	for i := 500; i > 3; i-- {
		b.WriteString(strings.Repeat("`", i) + "x\n")
	}
	return b.String()
}

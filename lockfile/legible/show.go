package legible

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

// Plain is s on one line: what its reader could not see, control characters and
// bytes that are not UTF-8 are shown as Go's escapes.
func Plain(s string) string {
	return rewritten(s, func(b *strings.Builder, o Oddity) { o.escape(b, s) })
}

// Lines is s with each of its lines made plain.
func Lines(s string) string {
	return rewritten(s, func(b *strings.Builder, o Oddity) {
		if o.Rune == '\n' {
			b.WriteByte('\n')
		} else {
			o.escape(b, s)
		}
	})
}

// Quote is s in double quotes, on one line. Unlike strconv.Quote it leaves
// alone what can be seen, such as an emoji that is made of several.
func Quote(s string) string {
	return `"` + Plain(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)) + `"`
}

// JSON is JSON text with what a reader of its strings could not see as \u
// escapes, which mean the same. In JSON such characters stand only within
// strings.
func JSON(text string) string {
	return rewritten(text, func(b *strings.Builder, o Oddity) {
		if first, second := utf16.EncodeRune(o.Rune); o.Rune > 0xffff {
			fmt.Fprintf(b, `\u%04x\u%04x`, first, second)
		} else {
			fmt.Fprintf(b, `\u%04x`, o.Rune)
		}
	})
}

// Cut is s if that is no longer than so many bytes, else as much of its
// beginning, with a mark.
func Cut(s string, most int) string {
	const mark = "…"
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:max(most-len(mark), 0)], "") + mark
}

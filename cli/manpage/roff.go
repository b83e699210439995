package manpage

import (
	"fmt"
	"regexp"
	"strings"
)

// escape makes text literal: roff interprets none of it, and characters that
// may be pasted come out as ASCII instead of their typographic forms.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// line returns text as a line of its own, where a dot at the start would be a request.
func line(text string) string {
	text = escape(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text + "\n"
}

// filled returns text that is wrapped when displayed. Its source lines have at
// most 80 characters, unless a word is longer.
func filled(text string) string {
	const width = 80
	var b strings.Builder
	current := ""
	for word := range strings.FieldsSeq(text) {
		if longer := current + " " + word; current != "" && len(line(longer)) <= width {
			current = longer
			continue
		} else if current != "" {
			b.WriteString(line(current))
		}
		current = word
	}
	b.WriteString(line(current))
	return b.String()
}

func argument(text string) string { return `"` + escape(text) + `"` }
func bold(text string) string     { return `\fB` + escape(text) + `\fR` }
func italic(text string) string   { return `\fI` + escape(text) + `\fR` }

// flag marks up a flag's names and the name of its value: "-h, --help", "--lease n".
func flag(term string) string {
	words := strings.Fields(term)
	for i, w := range words {
		switch name, isList := strings.CutSuffix(w, ","); {
		case isList:
			words[i] = bold(name) + ","
		case strings.HasPrefix(w, "-"):
			words[i] = bold(w)
		default:
			words[i] = italic(w)
		}
	}
	return strings.Join(words, " ")
}

// prose converts text of the help: paragraphs separated by empty lines and
// wrapped by hand, and indented lines, which stay as they are. A line that is
// much shorter than the others was broken on purpose.
func prose(text string) string {
	const full = 64
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		lines := strings.Split(paragraph, "\n")
		for n := 0; n < len(lines); n++ {
			if strings.HasPrefix(lines[n], " ") {
				end := n
				for end < len(lines) && strings.HasPrefix(lines[end], " ") {
					end++
				}
				b.WriteString(literal(lines[n:end]))
				n = end - 1
				continue
			}
			b.WriteString(filled(lines[n]))
			if n+1 < len(lines) && len(lines[n]) < full && !strings.HasPrefix(lines[n+1], " ") {
				b.WriteString(".br\n")
			}
		}
	}
	return b.String()
}

// literal returns lines to be displayed as they are.
func literal(lines []string) string {
	var b strings.Builder
	b.WriteString(".RS 4\n.nf\n")
	for _, l := range lines {
		b.WriteString(line(strings.TrimPrefix(l, "  ")))
	}
	b.WriteString(".fi\n.RE\n")
	return b.String()
}

// definitions converts lines of a term, two or more blanks, and its meaning. A
// line without a term continues the meaning above it.
func definitions(lines string, mark func(string) string) string {
	entry := regexp.MustCompile(`^ {2,6}(\S+(?: \S+)*) {2,}(\S.*)$`)
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(lines, "\n"), "\n") {
		if m := entry.FindStringSubmatch(l); m != nil {
			item(&b, mark(m[1]), m[2])
		} else if l = strings.TrimSpace(l); l != "" {
			b.WriteString(filled(l))
		}
	}
	return b.String()
}

func item(b *strings.Builder, term, meaning string) {
	fmt.Fprintf(b, ".TP\n%s\n%s", term, filled(meaning))
}

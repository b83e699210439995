package lockfile

import "strings"

// A line of the body, without its line end.
type line struct {
	start, end int // end: just after the line end
	text       string
	fenced     bool // within a code fence, or one of its two ends
}

// scanLines cuts src from the offset start on at each newline, and at nothing
// else: U+2028 or a bare carriage return ends no line.
func scanLines(src string, start int) []line {
	ls := make([]line, 0, strings.Count(src[start:], "\n")+1)
	for at := start; at < len(src); {
		end := lineEnd(src, at)
		text := strings.TrimSuffix(src[at:end], "\n")
		ls = append(ls, line{start: at, end: end, text: strings.TrimSuffix(text, "\r")})
		at = end
	}
	if strings.Contains(src[start:], "```") || strings.Contains(src[start:], "~~~") {
		markFences(ls)
	}
	return ls
}

// A fence is the line that opens or closes a block of code.
type fence struct {
	char byte
	run  int
	// deep: indented by two or more, as within a list item. A fence within a
	// note is deep, so that it can never close one that a person left open at
	// the margin above.
	deep bool
	bare bool // nothing follows, so that it may close
}

func readFence(s string) (fence, bool) {
	t := strings.TrimLeft(s, " \t")
	if len(t) < 3 || t[0] != '`' && t[0] != '~' {
		return fence{}, false
	}
	f := fence{char: t[0], deep: len(s)-len(t) >= 2 || strings.HasPrefix(s, "\t")}
	for f.run < len(t) && t[f.run] == f.char {
		f.run++
	}
	info := t[f.run:]
	f.bare = isBlank(info)
	return f, f.run >= 3 && (f.char == '~' || !strings.Contains(info, "`"))
}

// markFences marks the lines of code. A fence that nobody closes hides
// nothing: else one stray line would hide the tasks and notes below it, and
// no note could be added any more.
func markFences(ls []line) {
	type class struct {
		char byte
		deep bool
	}
	unclosed := map[class]int{} // runs that long have no closing line further down
	for i := 0; i < len(ls); i++ {
		f, ok := readFence(ls[i].text)
		if !ok {
			continue
		}
		c := class{f.char, f.deep}
		if n, known := unclosed[c]; known && f.run >= n {
			continue
		}
		end := closing(ls, i, f)
		if end < 0 {
			unclosed[c] = f.run
			continue
		}
		for ; i < end; i++ {
			ls[i].fenced = true
		}
		ls[end].fenced = true
	}
}

// closing is the index of the line that closes the fence at ls[i]; -1: none.
func closing(ls []line, i int, f fence) int {
	for j := i + 1; j < len(ls); j++ {
		g, ok := readFence(ls[j].text)
		if ok && g.bare && g.char == f.char && g.run >= f.run && g.deep == f.deep {
			return j
		}
	}
	return -1
}

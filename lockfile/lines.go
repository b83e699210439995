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

// A fence is a line as far as blocks of code are concerned.
type fence struct {
	char     byte
	run      int  // how many of char open or close a block; 0: none
	deep     bool // within a list item
	bare     bool // nothing follows, so that it may close
	endsItem bool
}

func readFence(s string) fence {
	f := fence{deep: isDeep(s)}
	f.endsItem = !f.deep && !isBlank(s)
	t := strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(t, "```") && !strings.HasPrefix(t, "~~~") {
		return f
	}
	run := len(t) - len(strings.TrimLeft(t, t[:1]))
	if t[0] == '`' && strings.Contains(t[run:], "`") {
		return f // code within a line
	}
	f.char, f.run, f.bare = t[0], run, isBlank(t[run:])
	return f
}

// isDeep reports whether a line is within a list item. Code in an item ends
// with the item, and a fence at the margin is not closed from within an item.
// So a fence in a note, whose lines are deep, affects only that note.
func isDeep(s string) bool { return strings.HasPrefix(s, "  ") || strings.HasPrefix(s, "\t") }

// markFences marks the lines of code. An unclosed fence hides nothing:
// otherwise a stray line would hide the tasks and notes below it, and no note
// could be added.
func markFences(ls []line) {
	type class struct {
		char byte
		deep bool
	}
	fences := make([]fence, len(ls)) // read once: the search below goes over them again and again
	for i, l := range ls {
		fences[i] = readFence(l.text)
	}
	unclosed := map[class]int{} // runs that long have no closing line further down
	for i := 0; i < len(ls); i++ {
		f := fences[i]
		if f.endsItem {
			delete(unclosed, class{'`', true})
			delete(unclosed, class{'~', true})
		}
		if f.run == 0 {
			continue
		}
		c := class{f.char, f.deep}
		if n, known := unclosed[c]; known && f.run >= n {
			continue
		}
		end := i + 1 + closing(fences[i+1:], f)
		if end == i {
			unclosed[c] = f.run
			continue
		}
		for ; i < end; i++ {
			ls[i].fenced = true
		}
		ls[end].fenced = true
	}
}

// closing is the index of the line that closes f; -1: none.
func closing(fences []fence, f fence) int {
	for i, g := range fences {
		if f.deep && g.endsItem {
			return -1
		}
		if g.bare && g.char == f.char && g.run >= f.run && g.deep == f.deep {
			return i
		}
	}
	return -1
}

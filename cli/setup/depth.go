package setup

// maxDepth bounds how deep lists and objects may nest. The parser recurses, so a
// few megabytes of brackets in a file that came with a repository would exhaust
// the stack and crash the program.
const maxDepth = 1000

// tooDeep reads tokens as the parser does, as far as the document is valid.
func tooDeep(doc []byte) bool {
	depth := 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			i = skip(doc, i+1, `"`)
		case '/':
			switch {
			case i+1 == len(doc):
			case doc[i+1] == '/':
				i = skip(doc, i+2, "\n")
			case doc[i+1] == '*':
				i = skip(doc, i+2, "*/")
			}
		}
	}
	return false
}

// skip is the offset of the last byte of the end of a string or comment.
func skip(doc []byte, from int, end string) int {
	for i := from; i+len(end) <= len(doc); i++ {
		switch {
		case string(doc[i:i+len(end)]) == end:
			return i + len(end) - 1
		case end == `"` && doc[i] == '\\':
			i++
		}
	}
	return len(doc)
}

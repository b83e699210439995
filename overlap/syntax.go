package overlap

import (
	"regexp"
	"strings"
)

// An op says what a node of the syntax tree matches.
type op uint8

const (
	opText  op = iota // its text
	opSlash           // the end of a name
	opOne             // ?
	opStar            // *
	opStars           // **, which means * unless it is a whole segment
	opClass           // [...]: a rune of set, or the bracket's own text, if it has one
	opGroup           // {...} and extglobs: one of alts
)

type node struct {
	op   op
	text string
	set  *class
	alts []seq

	optional, repeat bool // of a group
	whole            bool // of **: it is a segment, whatever groups may match
}

// A seq is a pattern: a sequence of nodes.
type seq []node

// head returns the literal start of a sequence, except for a final dot that
// could become a segment of its own through what follows, as in a/.{/b,c}.
func (s seq) head() seq {
	n := 0
	for n < len(s) && (s[n].op == opText || s[n].op == opSlash) {
		n++
	}
	if 0 < n && n < len(s) && s[n].op == opGroup && s[n-1].text == "." {
		n--
	}
	return s[:n]
}

// String returns the text of a sequence that consists of texts and slashes.
func (s seq) String() string {
	var b strings.Builder
	for i := range s {
		if s[i].op == opSlash {
			b.WriteByte('/')
		}
		b.WriteString(s[i].text)
	}
	return b.String()
}

// A parser parses a pattern with slashes as separators, in which a backslash
// always escapes.
type parser struct {
	in    string
	pos   int
	fold  bool
	depth int

	budget   *Budget
	unfolded bool // classes were not case-folded, since the budget is spent

	room    seq   // for the whole pattern
	slashes []int // positions of the slashes outside groups

	wild    bool // a *, ? or [ occurs
	groups  bool // braces or extglobs occur
	inexact bool // a !(...) occurs

	doubt *fault // refuses the pattern, unless the text is an existing name
}

// readWhole reads the whole pattern.
func (p *parser) readWhole() (seq, *fault) { return p.readSeq(0) }

// readSeq parses nodes up to the end of the innermost group's alternative, or
// of the pattern. closer is the byte that ends the group, '}' or ')', or 0.
func (p *parser) readSeq(closer byte) (seq, *fault) {
	var s seq
	if closer == 0 {
		s = p.room
	}
	parens := 0 // plain ones that are open inside an extglob
	for p.pos < len(p.in) {
		var n node
		var f *fault
		switch c := p.in[p.pos]; {
		case p.extglob():
			n, f = p.readGroup(')')
		case c == '{':
			n, f = p.readBrace()
		case c == '[':
			n, f = p.readClass(len(s) == 0 || s[len(s)-1].op == opSlash)
		case c == '/':
			n, f = p.readSlash()
		case c == '*':
			n = p.readStars(len(s) == 0 || s[len(s)-1].op == opSlash)
		case c == '?':
			p.wild = true
			p.pos++
			n = node{op: opOne}
		case closer == '}' && (c == ',' || c == '}'), closer == ')' && parens == 0 && (c == '|' || c == ')'):
			return s, nil
		default:
			if c == '(' && p.depth == 0 && p.doubt == nil && !afterSign(p.in, p.pos) { // an escaped sign
				p.doubt = plainAlternatives(p.in[p.pos:], p.pos)
			}
			if closer == ')' && c == '(' {
				parens++
			} else if closer == ')' && c == ')' {
				parens--
			}
			s = p.readText(s)
			continue
		}
		if f != nil {
			return nil, f
		}
		s = append(s, n)
	}
	return s, nil
}

// extglob reports whether ?( *( +( @( or !( comes next.
func (p *parser) extglob() bool {
	return p.pos+1 < len(p.in) && p.in[p.pos+1] == '(' && strings.IndexByte("?*+@!", p.in[p.pos]) >= 0
}

// readText reads literal runes into s: one, which may be escaped or have no
// special meaning here, and those after it up to the next that may have one.
func (p *parser) readText(s seq) seq {
	if p.in[p.pos] == '\\' {
		p.pos++
	}
	start := p.pos
	p.pos++
	for p.pos < len(p.in) && strings.IndexByte(`\/*?[{}(),|+@!`, p.in[p.pos]) < 0 {
		p.pos++
	}
	text := p.in[start:p.pos]
	if n := len(s); n > 0 && s[n-1].op == opText {
		s[n-1].text += text
		return s
	}
	return append(s, node{op: opText, text: text})
}

// readStars reads a run of stars, of which only exactly two are special; first
// says that it begins a segment.
func (p *parser) readStars(first bool) node {
	p.wild = true
	start := p.pos
	for p.pos < len(p.in) && p.in[p.pos] == '*' && !p.extglob() {
		p.pos++
	}
	if p.pos-start != 2 {
		return node{op: opStar}
	}
	last := p.pos == len(p.in) || p.in[p.pos] == '/'
	return node{op: opStars, whole: p.depth == 0 && first && last}
}

// readSlash reads a separator. Those outside groups are left to the resolver,
// which knows what "." and ".." refer to; inside a group // and /./ collapse here.
func (p *parser) readSlash() (node, *fault) {
	if p.depth == 0 {
		if p.slashes == nil {
			p.slashes = make([]int, 0, strings.Count(p.in[p.pos:], "/"))
		}
		p.slashes = append(p.slashes, p.pos)
		p.pos++
		return node{op: opSlash}, nil
	}
	p.pos++
	for {
		rest := p.in[p.pos:]
		switch {
		case strings.HasPrefix(rest, "/"):
			p.pos++
		case strings.HasPrefix(rest, "./"):
			p.pos += 2
		case strings.HasPrefix(rest, "../"):
			return node{}, elsewhere(p.pos)
		default:
			return node{op: opSlash}, nil
		}
	}
}

// bashRange matches bash's {1..3}: a group without a comma would be a name that nobody meant.
var bashRange = regexp.MustCompile(`^\{[0-9A-Za-z+-][0-9A-Za-z+.-]*\.\.[0-9A-Za-z+.-]*\}`)

// readBrace reads {a,b}.
func (p *parser) readBrace() (node, *fault) {
	if text := bashRange.FindString(p.in[p.pos:]); text != "" {
		return node{}, &fault{offset: p.pos, reason: "has the range " + quote(text) + ", which is not expanded here",
			hint: "list the names, as in {1,2,3}, or put a * in its place; put a backslash before the { if the name contains it"}
	}
	return p.readGroup('}')
}

// readGroup parses {a,b}, or an extglob such as @(a|b).
func (p *parser) readGroup(closer byte) (node, *fault) {
	start, kind := p.pos, p.in[p.pos]
	separator := byte(',')
	if closer == ')' {
		separator = '|'
		p.pos++
	}
	p.groups = true
	p.wild = p.wild || kind == '*' || kind == '?'
	p.depth++
	n := node{op: opGroup, optional: kind == '*' || kind == '?', repeat: kind == '*' || kind == '+'}
	for {
		p.pos++ // the opening or a separator
		from := p.pos
		alt, f := p.readSeq(closer)
		if f == nil {
			f = blankAround(p.in[from:p.pos], from)
		}
		if f != nil {
			return node{}, f
		}
		n.alts = append(n.alts, alt)
		if p.pos == len(p.in) {
			return node{}, unclosed(start, p.in[start:start+1])
		}
		if p.in[p.pos] != separator {
			break
		}
	}
	p.pos++
	p.depth--
	if len(n.alts) == 1 && p.doubt == nil {
		p.doubt = oneAlternative(p.in[start:p.pos], start)
	}
	if kind == '!' {
		p.inexact = true
		return node{op: opStar}, nil
	}
	return n, nil
}

// plainAlternatives raises a doubt about (a|b), which other programs read as alternatives.
func plainAlternatives(text string, offset int) *fault {
	inner, _, closed := strings.Cut(text[1:], ")")
	if !closed || strings.ContainsAny(inner, "(/\\") || !strings.Contains(inner, "|") {
		return nil
	}
	return &fault{offset: offset, reason: "has alternatives without a sign before the (",
		hint: "write " + quote("@("+inner+")")}
}

// oneAlternative raises a doubt about a group whose names are separated by
// something other than its separator, as in {a|b} and @(a,b).
func oneAlternative(group string, offset int) *fault {
	separator, others := ",", "|; "
	if group[0] != '{' {
		separator, others = "|", ",; "
	}
	inner := strings.Trim(group[strings.IndexAny(group, "{(")+1:len(group)-1], " ")
	if !strings.ContainsAny(inner, others) || strings.ContainsAny(inner, "({") {
		return nil
	}
	return &fault{offset: offset, reason: "has one alternative in " + quote(group),
		hint: "put a " + separator + " between alternatives; put a backslash before the bracket if the name contains it"}
}

// blankAround refuses an alternative with a blank around it, as in {ts, tsx}:
// names hardly begin or end with one, and shells read two words.
func blankAround(alternative string, offset int) *fault {
	text := strings.TrimSpace(alternative)
	if text == alternative || text == "" {
		return nil
	}
	return &fault{offset: offset, reason: "has a blank around " + quote(text) + ", which would be part of a name",
		hint: "remove the blank, as in {ts,tsx}; where a name has it put a ? in its place"}
}

func unclosed(offset int, opening string) *fault {
	if opening != "{" && opening != "[" {
		opening += "("
	}
	return &fault{offset: offset, reason: "has a " + opening + " that is never closed",
		hint: `close it, or put a backslash before it if the name contains it`}
}

package overlap

// Alternatives may leave a segment empty, or make it ".": a/{,b}/c and
// a/{.,b}/c are a/c, too, and the automaton covers that. What they may not do
// is lead elsewhere: to a directory above, or, at an entry's start, to the
// caller's directory or the file system's root.

// spots are where in a segment a pattern may stand, as far as its dots go.
type spots uint8

const (
	spotNothing  spots = 1 << iota // at the start of the entry
	spotStart                      // at the start of another segment
	spotFirstDot                   // after a dot that begins the entry
	spotDot                        // after a dot that begins another segment
	spotDots                       // after two dots that begin a segment
	spotName
	spotEmptied   // after alternatives that left nothing of the entry's start
	spotElsewhere // it led elsewhere

	spotKinds = 8
)

// eachSpot yields the spots one by one.
func (s spots) eachSpot(yield func(int) bool) {
	for i := range spotKinds {
		if s&(1<<i) != 0 && !yield(i) {
			return
		}
	}
}

// A course is where a pattern leads to, from each spot.
type course [spotKinds]spots

// stay is the course of nothing.
func stay() course {
	var c course
	for i := range c {
		c[i] = 1 << i
	}
	return c
}

func (c course) from(s spots) spots {
	var to spots
	for i := range s.eachSpot {
		to |= c[i]
	}
	return to
}

func (c course) then(next course) course {
	for i := range c {
		c[i] = next.from(c[i])
	}
	return c
}

func (c course) or(other course) course {
	for i := range c {
		c[i] |= other[i]
	}
	return c
}

func (s seq) seqCourse() course {
	c := stay()
	for i := range s {
		c = c.then(s[i].nodeCourse())
	}
	return c
}

func (n *node) nodeCourse() course {
	switch n.op {
	case opSlash:
		return course{spotElsewhere, spotStart, spotElsewhere, spotStart, spotElsewhere, spotStart, spotStart, spotElsewhere}
	case opText:
		c := stay()
		for i := 0; i < len(n.text) && i < len("..."); i++ {
			c = c.then(byteCourse(n.text[i]))
		}
		return c
	case opGroup:
		return n.groupCourse()
	}
	return byteCourse('*')
}

// byteCourse is where a byte of a name leads to.
func byteCourse(b byte) course {
	c := course{spotName, spotName, spotName, spotName, spotName, spotName, spotName, spotElsewhere}
	if b == '.' {
		c[0], c[1], c[2], c[3], c[6] = spotFirstDot, spotDot, spotDots, spotDots, spotFirstDot
	}
	return c
}

func (n *node) groupCourse() course {
	var once course
	for _, alt := range n.alts {
		once = once.or(alt.seqCourse())
	}
	c := once
	if n.repeat {
		for range spotKinds { // more rounds lead nowhere else
			c = c.or(c.then(once))
		}
	}
	if n.optional {
		c = c.or(stay())
	}
	if c[0]&spotNothing != 0 {
		c[0] ^= spotNothing | spotEmptied // {,a}/b is b, not the absolute /b; {,a}./b is nothing that we read
	}
	return c
}

// leadsElsewhere reports whether alternatives of a segment do; first says that
// it begins the entry.
func (s segment) leadsElsewhere(first bool) bool {
	from := spotStart
	if first {
		from = spotNothing
	}
	return s.seq.seqCourse().from(from)&(spotFirstDot|spotDots|spotElsewhere) != 0
}

// confined refuses segments whose alternatives lead elsewhere.
func confined(segments []segment) *fault {
	for i, s := range segments {
		if _, ok := s.name(); !ok && s.leadsElsewhere(i == 0) {
			return elsewhere(s.offset)
		}
	}
	return nil
}

func elsewhere(offset int) *fault {
	return &fault{offset: offset, anywhere: true, reason: `has a ".." inside a group, or a "." or "/" that begins one`,
		hint: "list the alternatives as entries of their own"}
}

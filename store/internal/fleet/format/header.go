package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Header is what the message of each commit says.
type Header struct {
	Format int
	Epoch  string // new where the ref was absent; the same along the chain
	Seq    uint64 // one more than the commit's before it, also where the chain was cut
	Chain  uint64 // commits from the chain's first one to this one
	Nonce  string // so that no two clones make the same commit
}

// Message is a commit's message: a line for people, then the header.
func Message(h Header, subject string) string {
	return fmt.Sprintf("%s\n\nformat: %d\nepoch: %s\nseq: %d\nchain: %d\nnonce: %s\n",
		subject, h.Format, h.Epoch, h.Seq, h.Chain, h.Nonce)
}

// ParseHeader reads a commit's message. A newer format may say more.
func ParseHeader(message string) (Header, error) {
	var h Header
	values := map[string]string{}
	_, rest, _ := strings.Cut(message, "\n")
	for line := range strings.Lines(rest) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if _, twice := values[key]; ok && !twice {
			values[key] = value
		}
	}
	var err error
	if h.Format, err = strconv.Atoi(values["format"]); err != nil || h.Format < 1 {
		return Header{}, fmt.Errorf("its message has no format, but %q", clip(values["format"]))
	}
	if h.Seq, err = strconv.ParseUint(values["seq"], 10, 64); err != nil || h.Seq < 1 || h.Seq > MaxSeq {
		return Header{}, fmt.Errorf("its message has no seq, but %q", clip(values["seq"]))
	}
	if h.Chain, err = strconv.ParseUint(values["chain"], 10, 64); err != nil || h.Chain > maxChain {
		h.Chain = 0 // it only says when to cut the chain
	}
	if h.Epoch = values["epoch"]; !word(h.Epoch) {
		return Header{}, fmt.Errorf("its message has no epoch, but %q", clip(h.Epoch))
	}
	h.Nonce = clip(values["nonce"])
	return h, nil
}

// word reports whether a text is one that this program could have drawn by lot.
func word(s string) bool {
	return len(s) >= 8 && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

// clip keeps hostile text short in a message.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "")
	}
	return s
}

// A Commit is what one says of itself.
type Commit struct {
	Tree      string
	Committer string // name and address
	Message   string
}

// Object is a commit object's content.
func (c Commit) Object(parent string, at int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	for _, who := range []string{"author", "committer"} {
		fmt.Fprintf(&b, "%s %s %d +0000\n", who, c.Committer, at)
	}
	return b.String() + "\n" + c.Message
}

// ParseCommit reads a commit object.
func ParseCommit(text string) (Commit, error) {
	var c Commit
	head, message, ok := strings.Cut(text, "\n\n")
	if !ok {
		return Commit{}, errors.New("it is a commit without a message")
	}
	c.Message = message
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case key == "tree" && c.Tree == "":
			c.Tree = value
		case key == "committer" && c.Committer == "":
			if end := strings.LastIndexByte(value, '>'); end >= 0 {
				value = value[:end+1]
			}
			c.Committer = value
		}
	}
	if c.Tree == "" {
		return Commit{}, errors.New("it is a commit without a tree")
	}
	return c, nil
}

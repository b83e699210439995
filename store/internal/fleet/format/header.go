package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Header is the machine-readable part of a commit's message.
type Header struct {
	Format int
	Epoch  string // drawn when the ref is created; constant along the chain
	Seq    uint64 // one more than that of the previous commit, even if the history was dropped
	Chain  uint64 // number of commits in the chain up to this one
	Nonce  string // keeps two clones from making the same commit
}

// Message returns a commit's message: a line for people, followed by the header.
func Message(h Header, subject string) string {
	return fmt.Sprintf("%s\n\nformat: %d\nepoch: %s\nseq: %d\nchain: %d\nnonce: %s\n",
		subject, h.Format, h.Epoch, h.Seq, h.Chain, h.Nonce)
}

// ParseHeader parses a commit's message. It ignores unknown keys of newer formats.
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
		h.Chain = 0 // it only decides when to drop the history
	}
	if h.Epoch = values["epoch"]; !word(h.Epoch) {
		return Header{}, fmt.Errorf("its message has no epoch, but %q", clip(h.Epoch))
	}
	h.Nonce = clip(values["nonce"])
	return h, nil
}

// word reports whether s looks like a random word of this program.
func word(s string) bool {
	return len(s) >= 8 && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
}

// clip shortens untrusted text for use in a message.
func clip(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "")
	}
	return s
}

// A Commit is the content of a commit object.
type Commit struct {
	Tree      string
	Committer string // name and address
	Message   string
}

// Object encodes the commit.
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

// ParseCommit parses a commit object.
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

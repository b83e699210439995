package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A note on stdin that is too long is cut where it is known to be, and not
// within a character: else it would be refused for another reason.
func TestLongNoteIsCutBetweenCharacters(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, text := range []string{"é", "語", "🚀"} {
		for _, before := range []string{"", "a", "ab", "abc"} {
			f := &fake{result: store.Updated{}}
			r := try(t, f, []string{"update", someID, "--note", "-"}, func(w *World) {
				w.Stdin = strings.NewReader(before + strings.Repeat(text, maxText))
			})
			note := *f.request.(store.UpdateRequest).Note
			if r.code != 0 || !utf8.ValidString(note) || len(note) > maxText || len(note) <= maxText-utf8.UTFMax {
				t.Errorf("%q after %q: %d bytes, valid %v", text, before, len(note), utf8.ValidString(note))
			}
		}
	}
	for in, want := range map[string]string{"": "", "a": "a", "\xff": "\xff", "a\xe8\xaa": "a", "語": "語", "a\x80\x80\x80\x80": "a\x80\x80\x80\x80"} {
		if got := string(wholeRunes([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

package gitdir

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLoggedCommits(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 40), strings.Repeat("b", 40)
	out := "\x01" + one + "\x1f1784400000\x1fA B\x1fsay: what \x1f is said\x00\nsrc/a b.go\x00\x01odd\x00\x00" +
		"\x01" + two + "\x1f1784300000\x1f\x1f\x00\nc\nd\x00"
	want := []Commit{
		{ID: one, At: time.Unix(1784400000, 0), Author: "A B", Subject: "say: what \x1f is said", Files: []string{"src/a b.go", "\x01odd"}},
		{ID: two, At: time.Unix(1784300000, 0), Files: []string{"c\nd"}},
	}
	if diff := cmp.Diff(want, loggedCommits(out)); diff != "" {
		t.Errorf("commits (-want +got):\n%s", diff)
	}
	if got := loggedCommits(""); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

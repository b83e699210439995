package store_test

import (
	"encoding/json"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestEncodeIsExactAndSafeOnATerminal(t *testing.T) {
	t.Parallel()
	const text = "<a> & b \u00fc \x1b[31m \x7f \u009b \u202e \u2066 \u2028 🎯"
	got, err := store.Encode([]string{text})
	const want = `["<a> & b ü \u001b[31m \u007f \u009b \u202e \u2066 \u2028 🎯"]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
	var back []string
	if err := json.Unmarshal(got, &back); err != nil || back[0] != text {
		t.Errorf("read back: %q, %v", back, err)
	}
}

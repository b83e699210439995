package forecast_test

import (
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

func TestKindsAndLines(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.edit("main/f", 3, "mine")
	s.edit("w/f", 3, "theirs")
	s.write("w/f", "new first\n"+numbered(2)+"theirs\n"+numbered(20)[len(numbered(3)):])
	s.edit("main/f", 15, "mine")
	s.git("main", "add", "f")
	s.edit("main/f", 18, "only mine")
	s.write("main/new", "a\n")
	s.write("w/new", "b\n")
	s.edit("main/g", 1, "mine")
	s.remove("w/g")
	s.commit("w")
	before := s.sum("")
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main w content "f" [[3 3]]`,
		`main w deleted_there "g"`,
		`main w both_added "new" [[1 1]]`)
	s.wants(s.told(s.ask("w", forecast.Request{})),
		`w main content "f" [[4 4]]`,
		`w main deleted_here "g"`,
		`w main both_added "new" [[1 1]]`)
	if s.sum("") != before {
		t.Error("files changed")
	}
}

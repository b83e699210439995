package guard

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
)

// Whether a hook lets a commit through does not change with the installation,
// nor where that is refused: each of these refuses by what it finds in itself.
func TestAHookThatReadsItselfRefusesAsBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, needs string }{
		"by a variable":    {"me=$0\n[ \"$(sed -n 4p \"$me\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by readlink":      {"me=$(readlink -f \"$0\")\n[ \"$(sed -n 4p \"$me\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by its directory": {"cd \"$(dirname \"$0\")\"\n[ \"$(sed -n 4p pre-commit)\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by a pattern":     {"cat \"$(dirname \"$0\")\"/pre-c* | sed -n 3p | grep -q '^#x' && exit 1\n#x\nexit 0\n", "sh"},
		"by git":           {":\n[ \"$(sed -n 4p \"$(git rev-parse --git-path hooks)/pre-commit\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by its length":    {":\n[ $(wc -l < .git/hooks/pre-commit) -eq 4 ] && exit 1\nexit 0\n", "sh"},
		"by LINENO":        {"[ $LINENO = 2 ] && exit 1\nexit 0\n", "bash"},
		"in python":        {"import sys\nsys.exit(open(__file__).readlines()[3] == '#x\\n')\n#x\n", "python3"},
		"by git in python": {"import sys\nsys.exit(open('.git/hooks/pre-commit').readlines()[3] == '#x\\n')\n#x\n", "python3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needs(t, test.needs)
			g := newGround(t)
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/usr/bin/env "+test.needs+"\n"+test.text, 0o755)
			refuses := func(when string) {
				t.Helper()
				cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "x")
				cmd.Dir, cmd.Env = g.main, g.env
				if out, err := cmd.CombinedOutput(); err == nil {
					t.Errorf("%s it lets a commit through: %s", when, out)
				}
			}
			refuses("before")
			var refusal *Refusal
			if _, err := Install(t.Context(), g.place(g.main), filepath.ToSlash(g.program), 0); err != nil && !errors.As(err, &refusal) {
				t.Fatal(err)
			}
			refuses("afterwards")
		})
	}
}

package guard

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Whether a hook lets a commit through does not change with the installation,
// nor where that is refused: each of these refuses by what it finds in itself.
func TestAHookThatReadsItselfRefusesAsBefore(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, test := range map[string]struct{ text, needs string }{
		"by a variable":    {"me=$0\n[ \"$(sed -n 4p \"$me\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by readlink":      {"me=$(readlink -f \"$0\")\n[ \"$(sed -n 4p \"$me\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by its directory": {"cd \"$(dirname \"$0\")\"\n[ \"$(sed -n 4p pre-commit)\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by a pattern":     {"cat \"$(dirname \"$0\")\"/pre-c* | sed -n 3p | grep -q '^#x' && exit 1\n#x\nexit 0\n", "sh"},
		"by git":           {":\n[ \"$(sed -n 4p \"$(git rev-parse --git-path hooks)/pre-commit\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
		"by its length":    {":\n[ $(wc -l < .git/hooks/pre-commit) -eq 4 ] && exit 1\nexit 0\n", "sh"},
		"by its arguments": {":\n[ \"$(sed -n 4p \"${@:0:1}\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "bash"},
		"by ps":            {"me=$(ps -o args= -p $$ | cut -d' ' -f2)\n[ \"$(sed -n 4p \"$me\")\" = '#x' ] && exit 1\n#x\nexit 0\n", "sh"},
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

// A hook that runs what stands beside it runs that as before, also what is put
// there after the installation, and under names that it puts together: either
// it is still where it was, or the installation was refused.
func TestAHookFindsWhatIsPutBesideItLater(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const py = "import os, subprocess, sys\n"
	for name, test := range map[string]struct{ text, needs, file string }{
		"sh":                            {"[ ! -x \"$(dirname \"$0\")/later\" ] || \"$(dirname \"$0\")/later\"\n", "sh", "later"},
		"sh, a name put together":       {"n=la; f=$(dirname \"$0\")/${n}ter; [ ! -x \"$f\" ] || \"$f\"\n", "sh", "later"},
		"bash, all but the name":        {"f=${0%%/pre-*}/later; [ ! -x \"$f\" ] || \"$f\"\n", "bash", "later"},
		"bash, by the lines of itself":  {"me=$BASH_SOURCE; f=${me%/*}/later; [ ! -x \"$f\" ] || \"$f\"\n", "bash", "later"},
		"bash, by its caller":           {"f() { set -- $(caller 0); d=${3%/*}; [ ! -x $d/later ] || $d/later; }\nf\n", "bash", "later"},
		"python by its file":            {py + "f = os.path.join(os.path.dirname(__file__), 'la' + 'ter')\nif os.path.exists(f): sys.exit(subprocess.call([f]))\n", "python3", "later"},
		"python by its file, a sample":  {py + "f = os.path.join(os.path.dirname(__file__), 'later' + '.sample')\nif os.path.exists(f): sys.exit(subprocess.call([f]))\n", "python3", "later.sample"},
		"python by its name":            {py + "f = os.path.dirname(sys.argv[0]) + '/later'\nif os.path.exists(f): sys.exit(subprocess.call([f]))\n", "python3", "later"},
		"python by what it imports":     {"try:\n    import later\nexcept ImportError:\n    pass\n", "python3", "later.py"},
		"python by an import in a line": {"import contextlib\nwith contextlib.suppress(Exception): import later\n", "python3", "later.py"},
		"python by its frame":           {"import os, inspect\nd = os.path.dirname(inspect.getfile(inspect.currentframe()))\nif os.path.exists(d + '/later'): raise SystemExit(os.system(d + '/later') != 0)\n", "python3", "later"},
		"perl by its name":              {"use File::Basename;\nmy $f = dirname($0) . '/la' . 'ter';\nexit(system($f) ? 1 : 0) if -e $f;\n", "perl", "later"},
		"perl by its name in braces":    {"my $f = \"${0}\"; $f =~ s{[^/]*$}{later};\nexit(system($f) ? 1 : 0) if -e $f;\n", "perl", "later"},
		"perl by FindBin":               {"use FindBin;\nmy $f = \"$FindBin::Bin/later\";\nexit(system($f) ? 1 : 0) if -e $f;\n", "perl", "later"},
		"node by its directory":         {"const f = __dirname + '/later'\nif (require('fs').existsSync(f)) process.exit(require('child_process').spawnSync(f).status)\n", "node", "later"},
		"node by its arguments":         {"const f = require('path').dirname(process.argv[1]) + '/later'\nif (require('fs').existsSync(f)) process.exit(require('child_process').spawnSync(f).status)\n", "node", "later"},
		"node by what it requires":      {"try { require('./later') } catch (e) { if (e.code !== 'MODULE_NOT_FOUND') throw e }\n", "node", "later.js"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			needs(t, test.needs)
			g := newGround(t)
			hooks := filepath.Join(g.main, ".git", "hooks")
			g.write(filepath.Join(hooks, "pre-commit"), "#!/usr/bin/env "+test.needs+"\n"+test.text, 0o755)
			var refusal *Refusal
			_, err := Install(t.Context(), g.place(g.main), filepath.ToSlash(g.program), 0)
			if err != nil && (!errors.As(err, &refusal) || !strings.Contains(refusal.Hint, "agent-locks guard check")) {
				t.Fatal(err)
			}
			g.ran(g.main) // nothing is there yet
			later := map[string]string{"later.py": "raise SystemExit(1)\n", "later.js": "process.exit(1)\n"}[test.file]
			if later == "" {
				later = "#!/bin/sh\nexit 1\n"
			}
			g.write(filepath.Join(hooks, test.file), later, 0o755)
			cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "x")
			cmd.Dir, cmd.Env = g.main, g.env
			if out, errCommit := cmd.CombinedOutput(); errCommit == nil {
				t.Errorf("what was put beside it did not run: %s (install: %v)", out, err)
			}
		})
	}
}

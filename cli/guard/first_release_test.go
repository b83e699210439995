package guard

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// firstText is the hook as the first release wrote it.
func firstText(program string, chained bool) string {
	body := firstMarker + `# Installed by "agent-locks guard install"; "agent-locks guard uninstall" takes
# it out again and puts back what was here before.
`
	if chained {
		body += `case $0 in
*/*) AGENT_LOCKS_CHAINED=${0%/*}/pre-commit.before-agent-locks ;;
*) AGENT_LOCKS_CHAINED=./pre-commit.before-agent-locks ;;
esac
export AGENT_LOCKS_CHAINED
if [ -f "$AGENT_LOCKS_CHAINED" ] && [ -x "$AGENT_LOCKS_CHAINED" ]; then
	"$AGENT_LOCKS_CHAINED" "$@" || exit
elif [ ! -f "$AGENT_LOCKS_CHAINED" ]; then
	echo "agent-locks: the hook that was here before is gone: $AGENT_LOCKS_CHAINED" >&2
fi
unset AGENT_LOCKS_CHAINED
`
	}
	body += fmt.Sprintf(`agent_locks=$(command -v agent-locks) && [ -x "$agent_locks" ] || agent_locks=%s
status=127
if [ -x "$agent_locks" ]; then
	"$agent_locks" guard check --quiet
	status=$?
fi
case $status in
126 | 127)
	echo "agent-locks: THE GUARD DID NOT RUN, this commit is unchecked: no agent-locks on PATH nor at $agent_locks" >&2
	exit 0
	;;
esac
exit $status
`, quote(program))
	return shebang + fmt.Sprintf("# sum %08x\n", crc32.ChecksumIEEE([]byte(body))) + body
}

// An installation of the first release is seen, taken over and taken out.
func TestTheFirstReleasesHook(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	needs(t, "perl")
	for name, before := range map[string]string{"alone": "", "over a shell hook": aShellHook, "over another program": aPerlHook} {
		for _, way := range []string{"taken over", "taken out"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				g := newGround(t)
				hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
				g.write(hook, firstText(g.program, before != ""), 0o755)
				if before != "" {
					g.write(filepath.Join(filepath.Dir(hook), firstSibling), before, 0o751)
				}
				onPath := func(string) (string, error) { return g.program, nil }
				if runs, why := g.runs(g.link, onPath); !runs || !g.installed(g.link) {
					t.Errorf("runs %v, %q", runs, why)
				}
				if way == "taken over" {
					if c := g.install(g.link); c.Action != "updated" || c.Hook != hook {
						t.Errorf("install: %+v", c)
					}
					want := called
					if before != "" {
						want += "; before"
					}
					if got := g.ran(g.link); got != want {
						t.Errorf("there ran %q, want %q", got, want)
					}
					if c := g.install(g.link); c.Action != "unchanged" {
						t.Errorf("again: %+v", c)
					}
				}
				if _, err := g.uninstall(g.link); err != nil {
					t.Error(err)
				}
				g.nothingLeft()
				fi, err := os.Lstat(hook)
				if before == "" {
					if !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("still there: %v", err)
					}
					return
				}
				text, err := os.ReadFile(hook)
				if err != nil || string(text) != before || fi.Mode().Perm() != 0o751 {
					t.Errorf("it is not what it was: %v %q, %v", fi.Mode(), text, err)
				}
			})
		}
	}
}

// The framework was installed over the first release's chain, which then calls
// the framework's older script: each commit fails. Installing the guard cures
// that, and so does taking it out.
func TestTheFirstReleaseBelowAFramework(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, way := range []string{"taken over", "taken out"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			hooks := filepath.Join(g.main, ".git", "hooks")
			script := strings.Replace(aFramework, "l=", migrationOf+"l=", 1)
			g.write(filepath.Join(hooks, "pre-commit"), script, 0o755)
			g.write(filepath.Join(hooks, "pre-commit.legacy"), firstText(g.program, true), 0o755)
			g.write(filepath.Join(hooks, firstSibling), script, 0o755)
			want := "framework"
			if way == "taken over" {
				g.install(g.main)
				if got := g.ran(g.main); got != called+"; framework" {
					t.Errorf("there ran %q", got)
				}
			}
			if _, err := g.uninstall(g.main); err != nil {
				t.Error(err)
			}
			if got := g.ran(g.main); got != want {
				t.Errorf("afterwards there ran %q", got)
			}
			g.nothingLeft()
		})
	}
}

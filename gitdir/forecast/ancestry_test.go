package forecast

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What many pairs have in common is what git says of each alone. Where that are several
// commits, or none, git is asked.
func TestAncestryIsAsGitHasIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	environ := append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIR="+dir)
	git := func(input string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, environ, strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil && (args[0] != "merge-base" || cmd.ProcessState.ExitCode() != 1) {
			t.Fatalf("git %q: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	git("", "init", "-q", "--bare", dir)
	repo, err := gitdir.Find(t.Context(), gitdir.Query{BaseDir: &dir, Environ: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	f := &forecast{scratch: &scratch{}}
	f.scratch.git = writer{repo.Apart(dir, os.DevNull, nil), &f.scratch.full}
	found := map[string]int{}
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 0))
		var history strings.Builder
		const n = 60
		for i := range n { // clocks that go wrong, and sometimes two beginnings
			fmt.Fprintf(&history, "commit refs/heads/b%d\nmark :%d\ncommitter a <a> %d +0000\ndata 1\n%c\n",
				i, i+1, 1_000_000+i*10-r.IntN(50), 'a'+seed)
			for k := 0; k < 1+r.IntN(2) && i > 0 && (i != 7 || seed%3 > 0); k++ {
				fmt.Fprintf(&history, "%s :%d\n", []string{"from", "merge"}[k], 1+max(0, i-1-r.IntN(12)))
			}
		}
		git(history.String(), "fast-import", "--quiet", "--force")
		var names []string
		for range 6 {
			names = append(names, fmt.Sprint("b", n-1-r.IntN(20)))
		}
		sides := strings.Fields(git("", append([]string{"rev-parse"}, names...)...))
		trees := map[string]string{}
		for line := range strings.Lines(git("", "log", "--all", "--format=%H %T")) {
			fields := strings.Fields(line)
			trees[fields[0]] = fields[1]
		}
		a := f.askAncestry(t.Context(), sides)
		for k, yours := range sides {
			for _, theirs := range sides[k:] {
				want := strings.Fields(git("", "merge-base", "--all", yours, theirs))
				base, tree := a.base(yours, theirs)
				switch {
				case base == "" && (a == nil || len(want) != 1):
					found["git is asked"]++
				case len(want) != 1 || base != want[0] || tree != trees[base]:
					t.Fatalf("seed %d: %q of tree %q, and git says %q", seed, base, tree, want)
				default:
					found["found"]++
				}
			}
		}
	}
	if found["found"] == 0 || found["git is asked"] == 0 {
		t.Error(found)
	}
	t.Log(found)
}

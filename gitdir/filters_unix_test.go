//go:build unix

package gitdir_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A filter is switched off whatever it is called, and where git could not be
// told to, nothing is asked.
func TestFiltersOfAnyNameAreSwitchedOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	ctx := context.Background()
	for _, name := range []string{"lfs", "X", "x.y", ".", "clean", "a'b", `a\b`, `a"b`, "a]b", "#x", "-c", "ü", "a;b", "$HOME", "a=b"} {
		for _, kind := range []string{"clean", "process"} {
			s := newSandbox(t)
			s.repo("r")
			s.write("r/file", "one\n")
			s.git("r", "add", "file")
			s.git("r", "commit", "-q", "-m", "file")
			s.executable("program", "touch '"+s.path("ran")+"'\n")
			section := "[filter \"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + "\"]\n\t" + kind + " = " + s.path("program") + "\n\trequired\n"
			s.write("r/.git/config", s.read("r/.git/config")+section)
			s.mkdir("r/.git/info")
			s.write("r/.git/info/attributes", "file filter="+name+"\n")
			s.write("r/file", "two\n") // of the same size, so that git must read it
			ran := func() bool {
				err := os.Remove(s.path("ran"))
				if err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				return err == nil
			}
			repo := s.find(s.at("r"))
			if _, _, err := repo.Uncommitted(ctx, nil); !ran() {
				t.Fatalf("filter %q, %s: it is not run to begin with (%v)", name, kind, err)
			}
			unfiltered, names, err := repo.Unfiltered(ctx)
			if strings.Contains(name, "=") {
				if !errors.Is(err, gitdir.ErrGitFailed) || !strings.Contains(err.Error(), name) {
					t.Errorf("filter %q: %v", name, err)
				}
				continue
			}
			if err != nil || !slices.Equal(names, []string{name}) {
				t.Errorf("filter %q: %q, %v", name, names, err)
				continue
			}
			changed, _, err := unfiltered.Uncommitted(ctx, nil)
			if err != nil || !slices.Equal(changed, []string{"file"}) || ran() {
				t.Errorf("filter %q, %s: changed %q, %v; it was run: %v", name, kind, changed, err, ran())
			}
		}
	}
}

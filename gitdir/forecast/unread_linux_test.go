package forecast_test

import (
	"os"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// asAnybody is the environment in which git may read no more than the owner of
// the files: the superuser reads everything.
func (s *sandbox) asAnybody() []string {
	s.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	git, err := exec.LookPath("git")
	if err != nil {
		s.Fatal(err)
	}
	const less = "--bounding-set=-dac_override,-dac_read_search"
	if out, err := exec.Command("setpriv", less, "true").CombinedOutput(); err != nil {
		s.Skipf("the superuser reads everything, and without setpriv gives up no right: %v %s", err, out)
	}
	s.script("bin/git", "exec setpriv "+less+" '"+git+"' \"$@\"\n")
	return []string{"PATH=" + s.path("bin") + ":" + os.Getenv("PATH")}
}

// A directory that git cannot read, of which it only warns, is not empty.
func TestDirectoriesThatCannotBeRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	env := s.asAnybody()
	s.write("main/d/x", "x\n")
	s.commit("main")
	s.git("w", "merge", "-q", "main")
	s.write("main/d/it's/x", "mine\n")
	s.write("w/g", numbered(19))
	closed := func(name string) {
		if err := os.Chmod(s.path(name), 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(s.path(name), 0o700) })
	}
	closed("main/d/it's")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)))
	s.rename("w/d/x", "w/d2/x")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)),
		`main w: "d/it's/" in "DIR/main" is not compared: git cannot read it: Permission denied, `+
			`and may decide where new files of "d" belong`)
	s.rename("w/d2/x", "w/d/x")
	s.edit("w/f", 5, "theirs")
	s.rename("main/f", "f")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)),
		`main w: "d/it's/" in "DIR/main" is not compared: git cannot read it: Permission denied, `+
			`and may decide what "f" was renamed to`)
	s.rename("f", "main/f")
	s.write("w/d/it's/x", "theirs\n")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)),
		`main w: "d/it's/" in "DIR/main" is not compared: git cannot read it: Permission denied`)
	closed("w/d/it's")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)),
		`main w: "d/it's/" in "DIR/main" is not compared: git cannot read it: Permission denied`)
	s.mkdir("main/a\nb")
	closed("main/a\nb")
	s.wants(s.told(s.ask("main", forecast.Request{}, env...)),
		`main w: "DIR/main": git cannot read a directory, and names it only as "a"`)
}

// Attributes and ignored names that git cannot read decide about other files, whichever
// file has them.
func TestAttributesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range gittest.SomeOf(2, map[string]struct{ file, text string }{
		"untracked":             {"main/.gitattributes", "f -merge\n"},
		"changed":               {"main/old/.gitattributes", "f -merge\n"},
		"of the other worktree": {"w/.gitattributes", "f -merge\n"},
		"of the repository":     {"main/.git/info/attributes", "f -merge\n"},
		"of the user":           {"attributes", "f -merge\n"},
		"ignored names":         {"main/.gitignore", "g\n"},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.git("", "init", "-q", "main")
			s.write("main/f", numbered(20))
			s.write("main/old/f", numbered(20))
			s.write("main/old/.gitattributes", "# none\n")
			s.commit("main")
			s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
			s.git("main", "config", "core.attributesFile", s.path("attributes"))
			env := s.asAnybody()
			for i, dir := range []string{"main", "w"} {
				s.edit(dir+"/f", 3+15*i, dir)
				s.edit(dir+"/old/f", 3+15*i, dir)
			}
			s.wants(s.told(s.ask("main", forecast.Request{}, env...)))
			s.write(c.file, c.text)
			if err := os.Chmod(s.path(c.file), 0); err != nil {
				t.Fatal(err)
			}
			p := s.ask("main", forecast.Request{}, env...).Pairs[0]
			if !strings.Contains(p.Why, path.Base(c.file)) {
				t.Errorf("%q", p.Why)
			}
		})
	}
}

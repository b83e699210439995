package main

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// The hook that https://pre-commit.com reads is a command of this program that
// refuses what the guard refuses. It asks git itself what is staged: the
// framework passes neither deletions nor the old names of renames.
func TestPreCommitFramework(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	data, err := os.ReadFile(".pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Name, Entry, Language string
		Stages                    []string
		PassFilenames             *bool `yaml:"pass_filenames"`
		AlwaysRun                 bool  `yaml:"always_run"`
	}
	if err := yaml.Unmarshal(data, &hooks); err != nil {
		t.Fatal(err)
	}
	if len(hooks) != 1 {
		t.Fatalf("%d hooks", len(hooks))
	}
	h := hooks[0]
	if h.ID != "agent-locks-guard" || h.Name == "" || h.Language != "golang" || h.PassFilenames == nil || *h.PassFilenames || !h.AlwaysRun || len(h.Stages) != 1 || h.Stages[0] != "pre-commit" {
		t.Errorf("%+v", h)
	}
	s := newSite(t)
	words := strings.Fields(h.Entry)
	if out, code := s.run(s.link, words[0], words[1:]...); code != 0 || out != "" {
		t.Errorf("with nothing staged: exit code %d, %q", code, out)
	}
	s.hold("held/**")
	s.git(s.link, "rm", "-q", "held/gone.txt")
	if out, code := s.run(s.link, words[0], words[1:]...); code != 1 || !strings.Contains(out, "held/gone.txt") {
		t.Errorf("with a held file deleted: exit code %d, %q", code, out)
	}
}

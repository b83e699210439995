package gitdir_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What Find may cost is a spawn of git: compare with RevParse.
func BenchmarkFind(b *testing.B) {
	s := newSandbox(b)
	s.repo("r")
	q := s.at("r")
	for b.Loop() {
		if _, err := gitdir.Find(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRevParse(b *testing.B) {
	s := newSandbox(b)
	s.repo("r")
	for b.Loop() {
		cmd := exec.Command("git", "rev-parse", "--git-common-dir")
		cmd.Dir, cmd.Env = s.path("r"), s.env
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindWithoutGit(b *testing.B) {
	s := newSandbox(b)
	s.repo("r")
	q := s.at("r", noGit)
	for b.Loop() {
		if _, err := gitdir.Find(context.Background(), q); err != nil {
			b.Fatal(err)
		}
	}
}

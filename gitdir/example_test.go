package gitdir_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Any directory of the repository leads to its common git directory.
func ExampleFind() {
	base, err := os.MkdirTemp("", "gitdir-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(base)
	environ := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") })
	create := exec.Command("git", "init", "-q", base)
	create.Env = environ
	if err := create.Run(); err != nil {
		fmt.Println(err)
		return
	}
	src := filepath.Join(base, "src")
	if err := os.Mkdir(src, 0o777); err != nil {
		fmt.Println(err)
		return
	}

	repo, err := gitdir.Find(context.Background(), gitdir.Query{BaseDir: &src, Getwd: os.Getwd, Environ: environ})
	if err != nil {
		fmt.Println(err)
		return
	}
	common, err := filepath.Rel(repo.Root, repo.CommonDir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("common directory %s, worktree %q, directory in it %s\n", common, repo.WorktreeName(), repo.Prefix)
	// Output: common directory .git, worktree ".", directory in it src
}

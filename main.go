// Command agent-locks is a noticeboard of advisory locks for AI agents that
// work side by side on the worktrees of one git repository.
package main

import (
	"os"

	"github.com/agent-locks/agent-locks/cli"
)

func main() { os.Exit(cli.Main()) }

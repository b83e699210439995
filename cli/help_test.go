package cli

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	root := try(t, &fake{}, []string{"--help"})
	golden(t, "help/agent-locks.txt", root.stdout)
	if asCommand := try(t, &fake{}, []string{"help"}); asCommand != root || root.code != 0 || root.stderr != "" {
		t.Errorf("--help gave %+v, help gave %+v", root, asCommand)
	}
	for _, cmd := range commands(newRoot(&app{out: bufio.NewWriter(io.Discard)})) {
		path := strings.Fields(cmd.CommandPath())[1:]
		t.Run(strings.Join(path, " "), func(t *testing.T) {
			t.Parallel()
			if cmd.Example == "" || cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
				t.Error("a command needs an example and a short text without a full stop")
			}
			asFlag := try(t, &fake{}, append(slices.Clone(path), "--help"))
			asCommand := try(t, &fake{}, append([]string{"help"}, path...))
			if asFlag.code != 0 || asFlag.stderr != "" || asFlag != asCommand {
				t.Errorf("%s --help gave %+v, help %s gave %+v", cmd.Name(), asFlag, cmd.Name(), asCommand)
			}
			for _, line := range strings.Split(asFlag.stdout, "\n") {
				if len(line) > helpWidth && !strings.Contains(line, "agent-locks ") {
					t.Errorf("longer than %d columns: %s", helpWidth, line)
				}
			}
			golden(t, "help/"+strings.Join(path, "-")+".txt", asFlag.stdout)
		})
	}
}

// commands are all commands below one, and theirs.
func commands(root *cobra.Command) []*cobra.Command {
	var all []*cobra.Command
	for _, c := range root.Commands() {
		all = append(append(all, c), commands(c)...)
	}
	return all
}

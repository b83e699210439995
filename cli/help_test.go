package cli

import (
	"bufio"
	"io"
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	root := try(t, &fake{}, []string{"--help"})
	golden(t, "help/agent-locks.txt", root.stdout)
	if asCommand := try(t, &fake{}, []string{"help"}); asCommand != root || root.code != 0 || root.stderr != "" {
		t.Errorf("--help gave %+v, help gave %+v", root, asCommand)
	}
	for _, cmd := range newRoot(&app{out: bufio.NewWriter(io.Discard)}).Commands() {
		t.Run(cmd.Name(), func(t *testing.T) {
			t.Parallel()
			if cmd.Example == "" || cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
				t.Error("a command needs an example and a short text without a full stop")
			}
			asFlag := try(t, &fake{}, []string{cmd.Name(), "--help"})
			asCommand := try(t, &fake{}, []string{"help", cmd.Name()})
			if asFlag.code != 0 || asFlag.stderr != "" || asFlag != asCommand {
				t.Errorf("%s --help gave %+v, help %s gave %+v", cmd.Name(), asFlag, cmd.Name(), asCommand)
			}
			for _, line := range strings.Split(asFlag.stdout, "\n") {
				if len(line) > helpWidth && !strings.Contains(line, "agent-locks ") {
					t.Errorf("longer than %d columns: %s", helpWidth, line)
				}
			}
			golden(t, "help/"+cmd.Name()+".txt", asFlag.stdout)
		})
	}
}

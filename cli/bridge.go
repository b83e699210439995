package cli

import "github.com/agent-locks/agent-locks/cli/render"

func plain(s string) string { return render.Plain(s) }

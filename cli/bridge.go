package cli

import "github.com/agent-locks/agent-locks/cli/render"

func plain(s string) string                         { return render.Plain(s) }
func plainLines(s string) string                    { return render.PlainLines(s) }
func count(n int, what string) string               { return render.Count(n, what) }
func entryWords(files []string) string              { return render.Entries(files) }
func onPaths(command string, paths []string) string { return render.OnPaths(command, paths) }
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

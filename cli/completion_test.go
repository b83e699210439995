package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/store"
)

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		got := try(t, &fake{}, []string{"completion", shell})
		if got.code != 0 || got.stderr != "" || !strings.Contains(got.stdout, "agent-locks") {
			t.Errorf("%s: exit code %d, stderr %q, %d bytes", shell, got.code, got.stderr, len(got.stdout))
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	odd := staleSummary()
	odd.Title = "Old \x1b[31m"
	for _, c := range []struct {
		args  []string
		want  string // the candidates, a line each
		query any
	}{
		{[]string{"finish", ""}, someID + "\tFix login\n" + odd.ID + "\tOld \\x1b[31m\n", store.QueryRequest{Status: "active"}},
		{[]string{"--base-dir", "x", "show", "2026-07-17T18-45-13"}, odd.ID + "\tOld \\x1b[31m\n",
			store.QueryRequest{Target: store.Target{BaseDir: p("x")}, Status: "all"}},
		{[]string{"show", "fix"}, "fix-login\tFix login\n", store.QueryRequest{Status: "all"}},
		{[]string{"show", "again"}, "", store.QueryRequest{Status: "all"}}, // two go by it
		{[]string{"finish", someID, ""}, "", nil},
		{[]string{"list", "--status", ""}, "active\ndone\nall\n", nil},
		{[]string{"check", ""}, "", nil},
		{[]string{"claim", "--sco"}, "--scope\ta path or glob from the repository's root, as the arguments are (repeatable)\n", nil},
		{[]string{"check", "--base"}, "--base-dir\tthe repository that path lies in (default: the working directory's)\n", nil},
		{[]string{"hea"}, "heartbeat\tsay that you are still at work\n", nil},
	} {
		locks := []store.Summary{someSummary(), odd}
		if c.args[len(c.args)-1] == "again" {
			locks = append(locks, store.Summary{ID: "2026-07-17T18-45-14-again"}, store.Summary{ID: "2026-07-17T18-45-15-again"})
		}
		f := &fake{result: locks}
		got := try(t, f, append([]string{"__complete"}, c.args...))
		candidates, _, _ := strings.Cut(got.stdout, ":")
		if got.code != 0 || !strings.HasPrefix(got.stdout, c.want+":") {
			t.Errorf("%q: exit code %d, candidates %q, want %q", c.args, got.code, candidates, c.want)
		}
		if diff := cmp.Diff(c.query, f.request); diff != "" {
			t.Errorf("%q asks the store (-want +got):\n%s", c.args, diff)
		}
	}
	if got := try(t, &fake{err: errors.New("no repository")}, []string{"__complete", "finish", ""}); strings.Contains(got.stdout, "repository") {
		t.Errorf("an error is offered as a candidate: %q", got.stdout)
	}
}

package claude

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A session in another repository than the file's must say which one it means.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{dir}, names...)...) }
	for _, worktree := range []string{at("app"), at("app", "lib")} { // the second is a repository of its own
		if err := os.MkdirAll(filepath.Join(worktree, ".git"), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		cwd, path, file string
		want            string
	}{
		{at("app"), at("app", "src", "a.go"), "src/a.go", ""},
		{at("app", "src"), at("app", "b.go"), "b.go", ""},
		{at("app"), at("app") + "/src/../b.go", "b.go", ""},
		{at("app-login"), at("app", "b.go"), "b.go", at("app")},
		{at(), at("app-login", "b.go"), "b.go", at("app-login")},
		{at("app"), at("app", "a\nb"), "a%0Ab", ""},
		{at("other"), at("link"), "src/a.go", at("app")},
		{at("app", "lib"), at("app", "src", "a.go"), "src/a.go", at("app")},
		{at("app", "lib", "src", "deep"), at("app", "src", "a.go"), "src/a.go", at("app")},
		{at("app", "lib", "src"), at("app", "lib", "a.go"), "a.go", ""},
		{at("app"), at("app", "lib", "a.go"), "a.go", at("app", "lib")},
	} {
		held := store.Hold{Summary: store.Summary{Repository: at("app")}, Files: []string{c.file}}
		if got := elsewhere(c.cwd, c.path, held); filepath.FromSlash(got) != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	const (
		v4, v7, v1 = "1A2b3c4d-0000-4000-8000-00001234abCD", "0199c2f0-8d51-7aa1-8000-000000000001", "c232ab00-9414-11ec-b3c8-9f6bdeced846"
		other      = "0123456789"
	)
	key := store.SessionKey
	for name, c := range map[string]struct {
		session, agent, from, parent, id, up string
		warnings                             int
	}{
		"a random id's end":             {session: v4, id: "claude-1234abcd"},
		"a time-ordered id's end":       {session: v7, id: "claude-00000001"},
		"an id that ends in a machine":  {session: v1, id: "claude-0e238bfc"},
		"another id's hash":             {session: other, parent: "boss", id: "claude-84d89877", up: "boss"},
		"an odd id's hash":              {session: "a\nb", id: "claude-7e18f737"},
		"chosen":                        {session: other, agent: "alice", id: "alice"},
		"chosen, and looks like ours":   {session: other, agent: "claude-frontend", id: "claude-frontend"},
		"its own":                       {session: v4, agent: "claude-1234abcd", from: key(v4), parent: "boss", id: "claude-1234abcd", up: "boss"},
		"from another session's shell":  {session: v4, agent: "claude-00000001", from: key(v7), id: "claude-1234abcd", up: "claude-00000001"},
		"of a chosen one's shell":       {session: v4, agent: "alice", from: key(v7), parent: "boss", id: "claude-1234abcd", up: "alice"},
		"blanks":                        {session: v4, agent: "   ", parent: "\u200b", id: "claude-1234abcd", warnings: 2},
		"too long":                      {session: v4, agent: strings.Repeat("x", 300), id: "claude-1234abcd", warnings: 1},
		"an invisible one":              {session: v4, agent: "al\u200bice", from: key(v7), id: "claude-1234abcd", warnings: 1},
		"with blanks around it":         {session: v4, agent: " alice ", id: "alice"},
		"without a session":             {},
		"without a session, but chosen": {agent: "claude-abcdefgh", from: key(v4), id: "claude-abcdefgh"},
	} {
		env := map[string]string{"AGENT_LOCKS_AGENT_ID": c.agent, "AGENT_LOCKS_SESSION": c.from, "AGENT_LOCKS_PARENT_ID": c.parent}
		var warnings []string
		who := identify(c.session, func(name string) string { return env[name] }, func(w []string) { warnings = append(warnings, w...) })
		if text(who.agent) != c.id || text(who.parent) != c.up || len(warnings) != c.warnings {
			t.Errorf("%s: id %q, parent %q, warnings %q", name, text(who.agent), text(who.parent), warnings)
		}
	}
	for session, former := range map[string]string{v4: "claude-1A2b3c4d", v7: "", v1: "", "session-1": "", "a\nb": "", "": ""} {
		if got := formerName(session); got != former {
			t.Errorf("%q was formerly %q, want %q", session, got, former)
		}
	}
	for id, name := range map[string]string{"": "", "sub-1": "sub-1", "a1b2c3d": "a1b2c3d", "-rf": "claude-sub-", "a b": "claude-sub-", strings.Repeat("a", 65): "claude-sub-"} {
		if got := subagentName(id); got != name && !(strings.HasSuffix(name, "-") && strings.HasPrefix(got, name) && plainID().MatchString(got)) {
			t.Errorf("%q is called %q", id, got)
		}
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// An event that never comes is answered for.
func TestAnswersInTime(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	hook := Hook{Getenv: func(string) string { return "" }, Limit: 10 * time.Millisecond}
	got := hook.Reply(t.Context(), "pre-tool-use", func(context.Context, int64) ([]byte, error) {
		<-never
		return nil, nil
	})
	if got.Specific == nil || got.Specific.PermissionDecision != "ask" || !strings.Contains(got.Specific.PermissionDecisionReason, "in time") {
		t.Errorf("%+v", got)
	}
}

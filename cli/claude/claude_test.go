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
	for _, c := range []struct{ session, agent, parent, id, up string }{
		{"0123456789", "", "", "claude-01234567", ""},
		{"short", "", "boss", "claude-short", "boss"},
		{"0123456789", "alice", "", "alice", ""},
		{"0123456789", "claude-01234567", "boss", "claude-01234567", "boss"},
		{"0123456789", "claude-abcdefgh", "", "claude-01234567", "claude-abcdefgh"}, // started from that session's shell
		{"0123456789", "claude-\u00e9bcdefgh", "", "claude-01234567", "claude-\u00e9bcdefgh"},
		{"0123456789", "claude-bot", "", "claude-bot", ""},
		{"", "", "", "", ""},
		{"", "claude-abcdefgh", "", "claude-abcdefgh", ""},
		{"a\nb", "", "", "", ""},
		{"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", "", "", "claude-\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", ""},
	} {
		id, up := identity(c.session, c.agent, c.parent)
		if text(id) != c.id || text(up) != c.up {
			t.Errorf("%+v: id %q, parent %q", c, text(id), text(up))
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

package server

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/store"
)

// The real binary, as a client starts it.
func TestTheBinaryServes(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	server := exec.Command(buildBinary(t), "serve")
	var stderr bytes.Buffer
	server.Dir, server.Env, server.Stderr = r.link, r.environ, &stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if got := client.InitializeResult(); got.ServerInfo.Name != "agent-locks" || got.ServerInfo.Version == "" {
		t.Errorf("it is %+v", got.ServerInfo)
	}
	list, err := client.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(Tools()) {
		t.Errorf("it lists %+v, %v", list, err)
	}

	var claim store.Created
	answer(t, client, "lock_create", object{"title": "From outside", "scope": "src/**", "tasks": []string{"one"}}, &claim)
	if filepath.ToSlash(filepath.Dir(claim.FilePath)) != filepath.ToSlash(r.locks()) {
		t.Errorf("it claimed in %s", claim.FilePath)
	}
	var found []store.Summary
	answer(t, client, "lock_query", nil, &found)
	if len(found) != 1 || found[0].ID != claim.ID || found[0].Worktree != filepath.ToSlash(r.link) {
		t.Errorf("it found %+v", found)
	}
	refused(t, client, "lock_heartbeat", object{"lock_id": "2026-07-17T18-45-12-none"}, `no lock "2026-07-17T18-45-12-none"`)

	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	if code := server.ProcessState.ExitCode(); code != 0 {
		t.Errorf("it exited with %d", code)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", &stderr)
	}
}

func buildBinary(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent-locks")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, "github.com/agent-locks/agent-locks").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, strings.TrimSpace(string(out)))
	}
	return path
}

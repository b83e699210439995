package setup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/cli/setup"
)

func remoteOptions(client, dir string, r *setup.Remote) setup.Options {
	return setup.Options{Client: client, Project: dir, Remote: r, Getenv: func(string) string { return "" }, GOOS: "linux"}
}

func applyAll(t *testing.T, o setup.Options) []setup.Change {
	t.Helper()
	changes, err := setup.Plan(o)
	if err != nil {
		t.Fatalf("%s: %v", o.Client, err)
	}
	for _, c := range changes {
		if _, err := c.Apply(); err != nil {
			t.Fatal(err)
		}
	}
	return changes
}

// The entry of a listener names the variable with the token, and is one entry like
// the program's own: it is added once, and removed without a trace.
func TestListenersEntry(t *testing.T) {
	t.Parallel()
	r := &setup.Remote{URL: "http://host:8123/mcp", TokenEnv: "TOKEN"}
	for client, reference := range map[string]string{"claude": "${TOKEN}", "cursor": "${env:TOKEN}", "vscode": "${env:TOKEN}"} {
		dir := t.TempDir()
		o := remoteOptions(client, dir, r)
		changes := applyAll(t, o)
		if len(changes) != 1 { // no hooks
			t.Fatalf("%s: %d files", client, len(changes))
		}
		text, err := os.ReadFile(changes[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"url": "http://host:8123/mcp"`, `"Authorization": "Bearer ` + reference + `"`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s: no %s in\n%s", client, want, text)
			}
		}
		if typed := strings.Contains(string(text), `"type": "http"`); typed == (client == "cursor") {
			t.Errorf("%s:\n%s", client, text)
		}
		if again := applyAll(t, o); again[0].Action != setup.Unchanged {
			t.Errorf("%s again: %s", client, again[0].Action)
		}
		for what, other := range map[string]*setup.Remote{
			"leads to another server: ": {URL: "http://other:8123/mcp", TokenEnv: "TOKEN"},
			"sends another token":       {URL: r.URL, TokenEnv: "OTHER"},
			"leads to a server elsewhe": nil,
		} {
			p := remoteOptions(client, dir, other)
			if _, err := setup.Plan(p); err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s, %v: %v", client, other, err)
			}
		}
		o.Remove = true
		if removed := applyAll(t, o); removed[0].Action != setup.Removed {
			t.Errorf("%s: %s", client, removed[0].Action)
		}
	}
}

func TestListenersEntryIsForced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	local := `{"mcpServers": {"agent-locks": {"command": "agent-locks"}, "other": {}}}`
	if err := os.WriteFile(path, []byte(local), 0o666); err != nil {
		t.Fatal(err)
	}
	o := remoteOptions("claude", dir, &setup.Remote{URL: "http://h/mcp"})
	if _, err := setup.Plan(o); err == nil || !strings.Contains(err.Error(), "starts a program") {
		t.Errorf("%v", err)
	}
	o.Force = true
	applyAll(t, o)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `"http://h/mcp"`) || strings.Contains(string(text), "command") ||
		strings.Contains(string(text), "headers") || !strings.Contains(string(text), `"other": {}`) {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestListenersInstructions(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "TOKEN"} {
		all := setup.RemoteInstructions(setup.Remote{URL: "https://h/mcp", TokenEnv: token})
		if len(all) != len(setup.Instructions()) {
			t.Errorf("%d clients", len(all))
		}
		for _, i := range all {
			if !strings.Contains(i.Add, "https://h/mcp") || strings.Contains(i.Add, "%!") || i.Shell != "" {
				t.Errorf("%s:\n%s", i.Client, i.Add)
			}
			if sent := strings.Contains(i.Add, "TOKEN"); i.Client != "zed" && sent != (token != "") {
				t.Errorf("%s, %q:\n%s", i.Client, token, i.Add)
			}
		}
	}
}

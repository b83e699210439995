package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/diff"
	"gopkg.in/yaml.v3"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

const skillFile = "plugin/skills/agent-locks/SKILL.md"

// decode reads a JSON file strictly into v.
func decode(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// The manifests name the plugin alike, and the marketplace leads to it.
func TestPluginManifests(t *testing.T) {
	var plugin struct{ Name, Description, Version string }
	decode(t, "plugin/.claude-plugin/plugin.json", &plugin)
	var market struct {
		Name    string
		Owner   struct{ Name string }
		Plugins []struct{ Name, Source, Version string }
	}
	decode(t, ".claude-plugin/marketplace.json", &market)
	kebab := regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	if !kebab.MatchString(plugin.Name) || !kebab.MatchString(market.Name) || plugin.Description == "" || market.Owner.Name == "" {
		t.Errorf("plugin %+v, marketplace %+v", plugin, market)
	}
	if len(market.Plugins) != 1 || market.Plugins[0].Name != plugin.Name || market.Plugins[0].Source != "./plugin" {
		t.Errorf("the marketplace offers %+v", market.Plugins)
	}
	// Without a version, each commit of the repository is one.
	if plugin.Version != "" || market.Plugins[0].Version != "" {
		t.Errorf("versions %q and %q would keep updates from users", plugin.Version, market.Plugins[0].Version)
	}
}

// The plugin and `setup claude` install the same server and the same hooks,
// so that having both is having one: the client runs equal hooks once.
func TestPluginIsWhatSetupWrites(t *testing.T) {
	dir := repository(t)
	agentLocks(t, dir, "setup", "claude")
	for plugin, settings := range map[string]string{
		"plugin/.mcp.json":        ".mcp.json",
		"plugin/hooks/hooks.json": ".claude/settings.json",
	} {
		var want, got map[string]any
		decode(t, filepath.Join(dir, settings), &want)
		decode(t, plugin, &got)
		delete(got, "description")
		if was, is := indented(t, want), indented(t, got); !bytes.Equal(was, is) {
			t.Errorf("%s", diff.Diff("what setup writes", was, plugin, is))
		}
	}
}

// repository makes one with a commit.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := plain.Copy(dir, initialized); err != nil {
		t.Fatal(err)
	}
	return dir
}

var plain gittest.Template

// initialized makes a repository of a directory, with a commit on main.
func initialized(dir string) error {
	return gittest.Git(dir, skillEnv(), []string{"init", "-q", "-b", "main", "."}, []string{"commit", "-q", "--allow-empty", "-m", "first"})
}

func agentLocks(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return output(t, dir, "", "agent-locks", args...)
}

// output runs a program, which must succeed.
func output(t *testing.T, dir, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(stdin), skillEnv()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// skillEnv is the environment without what says where a repository is or who
// the caller is.
func skillEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "AGENT_LOCKS_") {
			env = append(env, v)
		}
	}
	return append(env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
}

func readSkill(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(skillFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// blocks are the fenced examples in a language, in order.
func blocks(text, language string) []string {
	var all []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestSkillIsShortAndNamed(t *testing.T) {
	text := readSkill(t)
	if lines := strings.Count(text, "\n"); lines >= 120 {
		t.Errorf("%d lines: it is read as a whole", lines)
	}
	parts := strings.SplitN(text, "---\n", 3)
	if len(parts) != 3 || parts[0] != "" {
		t.Fatal("no frontmatter")
	}
	var front struct{ Name, Description string }
	if err := yaml.Unmarshal([]byte(parts[1]), &front); err != nil {
		t.Fatal(err)
	}
	if front.Name != filepath.Base(filepath.Dir(skillFile)) || len(front.Description) < 50 || len(front.Description) > 1024 {
		t.Errorf("name %q, description of %d bytes", front.Name, len(front.Description))
	}
}

// Each command of the skill runs, in its order, in a real repository.
func TestSkillCommands(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to run the examples with")
	}
	scripts := blocks(readSkill(t), "sh")
	if len(scripts) == 0 {
		t.Fatal("no examples")
	}
	dir := repository(t)
	for _, script := range scripts {
		output(t, dir, "set -eux\n"+script, sh)
	}
	if left := agentLocks(t, dir, "list", "--json"); strings.TrimSpace(left) != "[]" {
		t.Errorf("the examples leave locks behind: %s", left)
	}
}

// connect starts a server in a repository of its own.
func connect(t *testing.T) *mcp.ClientSession {
	t.Helper()
	server := exec.CommandContext(t.Context(), "agent-locks", "serve")
	server.Dir, server.Env = repository(t), skillEnv()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// A client that has both the skill and the server's instructions reads the same about
// ids, by both.
func TestSkillAgreesWithTheServerOnIDs(t *testing.T) {
	skill := strings.ReplaceAll(strings.Join(strings.Fields(readSkill(t)), " "), "`parent_agent_id`", "parent_agent_id")
	instructions := connect(t).InitializeResult().Instructions
	for _, said := range []string{
		"if you were told none, ask the agent or person that started you, or omit it. Do not invent one.",
		"When you start agents yourself, give each an id of its own and tell it yours.",
		"A subagent with an id of its own passes that, and yours as parent_agent_id",
	} {
		for name, text := range map[string]string{"skill": skill, "server": instructions} {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(said)) {
				t.Errorf("the %s does not say %q", name, said)
			}
		}
	}
}

// What the skill says of two answers, they keep to.
func TestSkillIsRight(t *testing.T) {
	skill := strings.Join(strings.Fields(readSkill(t)), " ")
	for _, said := range []string{"`percentComplete`; without tasks always 100", "to its slug, as below, or to a beginning of either, four characters at least"} {
		if !strings.Contains(skill, said) {
			t.Errorf("it does not say %q", said)
		}
	}
	dir := repository(t)
	var claimed struct{ ID string }
	if err := json.Unmarshal([]byte(agentLocks(t, dir, "claim", "--title", "New login page", "--scope", "src", "--json")), &claimed); err != nil {
		t.Fatal(err)
	}
	for _, short := range []string{"new-login-page", "new-", claimed.ID[:4]} {
		var shown struct {
			ID              string
			PercentComplete int
		}
		if err := json.Unmarshal([]byte(agentLocks(t, dir, "show", short, "--json")), &shown); err != nil || shown.ID != claimed.ID || shown.PercentComplete != 100 {
			t.Errorf("%s: %+v, %v", short, shown, err)
		}
	}
}

// Each tool call of the skill succeeds against the real server; ID stands for
// the lock that lock_create made. Every tool that is named exists.
func TestSkillToolCalls(t *testing.T) {
	text, session, ctx := readSkill(t), connect(t), t.Context()
	tools, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, tool := range tools.Tools {
		known[tool.Name] = true
	}
	for _, name := range regexp.MustCompile(`\block_[a-z_]+\b`).FindAllString(text, -1) {
		if !known[name] && name != "lock_id" {
			t.Errorf("no tool %s", name)
		}
	}
	id := "no lock yet"
	calls := blocks(text, "json")
	if len(calls) < 5 {
		t.Fatalf("only %d examples", len(calls))
	}
	for _, call := range calls {
		var params mcp.CallToolParams
		if err := json.Unmarshal([]byte(strings.ReplaceAll(call, `"ID"`, `"`+id+`"`)), &params); err != nil {
			t.Fatalf("%v in %s", err, call)
		}
		answer, err := session.CallTool(ctx, &params)
		if err != nil || answer.IsError {
			t.Fatalf("%s: %v, %+v", call, err, answer)
		}
		var created struct{ ID string }
		if content, ok := answer.Content[0].(*mcp.TextContent); params.Name == "lock_create" {
			if !ok || json.Unmarshal([]byte(content.Text), &created) != nil || created.ID == "" {
				t.Fatalf("%s answered %+v", call, answer.Content)
			}
			id = created.ID
		}
	}
}

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Each hook of the plugin is a command of this program that answers its
// event: exit code 0, and either nothing or one JSON object on stdout.
func TestPluginHooksAnswer(t *testing.T) {
	var plugin struct {
		Hooks map[string][]struct {
			Hooks []struct{ Type, Command string }
		}
	}
	decode(t, "plugin/hooks/hooks.json", &plugin)
	dir := repository(t)
	ran := 0
	for event, groups := range plugin.Hooks {
		stdin, err := json.Marshal(map[string]any{
			"session_id": "1a2b3c4d-0000-4000-8000-000000000000", "cwd": dir, "hook_event_name": event,
			"source": "startup", "agent_id": "a1b2c3d", "reason": "other", "tool_name": "Edit",
			"tool_input": map[string]any{"file_path": filepath.Join(dir, "a.txt"), "old_string": "a", "new_string": "b"},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups {
			for _, hook := range group.Hooks {
				words := strings.Fields(hook.Command)
				if hook.Type != "command" || words[0] != "agent-locks" {
					t.Fatalf("%s: %+v", event, hook)
				}
				answer := strings.TrimSpace(output(t, dir, string(stdin), words[0], words[1:]...))
				if answer != "" && !json.Valid([]byte(answer)) {
					t.Errorf("%s answered %q", hook.Command, answer)
				}
				ran++
			}
		}
	}
	if ran != 7 {
		t.Errorf("%d hooks ran, want 7", ran)
	}
}

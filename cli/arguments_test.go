package cli

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/server"
	"github.com/agent-locks/agent-locks/store"
)

func TestAsTyped(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"":                                  "",
		"nothing named":                     "nothing named",
		"`wait_seconds` -3 is not a number": "--wait -3 is not a number",
		"`base_dir` \"`force`\" is gone":    "--base-dir \"`force`\" is gone",
		"\"a \\\" `force`\" or `force`":     "\"a \\\" `force`\" or --force",
		"see `lock_query status=all`":       "see agent-locks list --status all",
		"`lock_id` \"\" is empty":           "the lock's id \"\" is empty",
		"the reason, by force, is agent_id": "the reason, by force, is agent_id",
		"`never closed":                     "`never closed",
		"`` and `A` and `x1`":               "`` and `A` and `x1`",
		"an open \" hides `force`":          "an open \" hides `force`",
		"`git worktree repair` fixes it":    "`git worktree repair` fixes it",
		"ask: `lock_update` with `lock_id` 2026-a and `note`": "ask: agent-locks tell 2026-a 'what you need'",
		"each `add_tasks` entry, `older_than` x":              "each --add-task entry, --older-than x",
	} {
		if got := asTyped(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
	for _, tool := range server.Tools() {
		if got, want := asTyped("`"+tool.Name+"`"), "agent-locks "+tool.Command; got != want {
			t.Errorf("%s becomes %q, want %q", tool.Name, got, want)
		}
	}
}

// Whatever the store says reaches a person in the words of the command line:
// errors, as text and as JSON, and warnings.
func TestMessagesNameFlags(t *testing.T) {
	t.Parallel()
	fault := &store.Error{Code: store.BadInput, Message: "`wait_seconds` 0 is bad", Hint: "use `if_free`"}
	testOutputs(t, []outputCase{
		{name: "text", args: []string{"status"}, store: fake{err: fault, warnings: []string{"pass `agent_id`"}}, code: 1,
			stderr: "agent-locks: warning: pass --agent\nagent-locks: --wait 0 is bad\nuse --if-free\n"},
		{name: "JSON", args: []string{"status", "--json"}, store: fake{err: fault}, code: 1,
			stderr: `{"error":{"code":"bad_input","hint":"use --if-free","message":"--wait 0 is bad"}}` + "\n"},
	})
	if fault.Hint != "use `if_free`" {
		t.Errorf("the store's error was changed: %+v", fault)
	}
}

func TestUnknownCommands(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"history": "log", "lock_query": "list", "lock_check_conflict": "check", "done": "finish", "release": "finish", "unlock": "finish",
		"create": "claim", "lock": "claim", "new": "claim", "ls": "list", "rm": "finish", "init": "setup",
		"statu": "state or status", "stat": "state or status", "sate": "state", "chekc": "check", "clam": "claim", "Claim": "claim",
		"who": "status", "ps": "status", "watch": "board", "install": "setup",
		"hist": "log", "xx": "", "x": "", "frobnicate": "", "guard ls": "", "guard instal": "install",
	} {
		got := try(t, &fake{}, strings.Fields(args))
		_, hint, _ := strings.Cut(got.stderr, "\n")
		meant := ""
		if rest, ok := strings.CutPrefix(hint, "did you mean "); ok {
			meant, _, _ = strings.Cut(rest, "?")
		}
		if meant != want || got.code != 1 || !strings.Contains(hint, "commands are ") {
			t.Errorf("%s: %q is meant, want %q (%+v)", args, meant, want, got)
		}
	}
	for args, hint := range map[string]string{
		"claim src -m x":          "did you mean --title? ",
		"run src --message x":     "did you mean --title? ",
		"finish a --message x":    "did you mean --summary? ",
		"update a --message x":    "did you mean --note? ",
		"update a -t x":           "did you mean --task? ",
		"claim src -t x --wait":   "as in --wait 5m\n",
		"claim src/** -t --agent": "as in agent-locks claim -t",
		"update a some_words":     "did you mean -m 'some words'?\n",
		"finish a some_words":     "did you mean -m 'some words'?\n",
		"finish a b":              "see agent-locks finish --help\n",
		"claim src/** --lease":    "as in --lease 5m\n",
		"wait src/** --timeout":   "as in --timeout 5m\n",
		"claim src/** --title":    "see agent-locks claim --help\n",
		"list --status":           "see agent-locks list --help\n",
		"heartbeat a some_words":  "see agent-locks heartbeat --help\n",
		"reopen a some_words":     "did you mean -m 'some words'?\n",
	} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		got := try(t, &fake{}, words)
		if _, said, _ := strings.Cut(got.stderr, "\n"); got.code == 0 || !strings.HasPrefix(said, hint) {
			t.Errorf("%s: %+v, want the hint %q", args, got, hint)
		}
	}
	got := try(t, &fake{}, []string{"log", "--agent_id", "x"})
	if !strings.Contains(got.stderr, "\ndid you mean --agent? accepted are ") {
		t.Errorf("--agent_id: %q", got.stderr)
	}
}

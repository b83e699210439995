package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// The tools on shared state cost only those who ask for them.
func TestStateToolsAreServedWithAll(t *testing.T) {
	t.Parallel()
	client, _ := connect(t, nil, AllTools())
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := store.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"state_set", "state_get", "state_list"} {
		if !strings.Contains(string(raw), `"`+tool+`"`) {
			t.Errorf("%s is not served", tool)
		}
	}
	if len(raw) > 15<<10 {
		t.Errorf("tools/list is %d bytes, and may be %d", len(raw), 15<<10)
	}
}

func TestStateOverMCP(t *testing.T) {
	t.Parallel()
	client, _ := connect(t, newStore(t), AllTools())
	for _, c := range []struct {
		tool, arguments string
		want            string // of the first block, or of the JSON of an error
		isError         bool
	}{
		{"state_set", `{"name":"x","text":""}`, `{"name":"x","version":1}`, false},
		{"state_set", `{"name":"n","text":5,"mode":"add"}`, `{"name":"n","version":1,"value":5}`, false},
		{"state_set", `{"name":"n","text":"-5","mode":"add","min":0}`, `{"name":"n","version":2,"value":0}`, false},
		{"state_set", `{"name":"n","text":-5,"mode":"add","min":"0"}`, `{"code":"conflict","name":"n","version":2,`, true},
		{"state_set", `{"name":"n","text":1.5,"mode":"add"}`, "is not a whole number", true},
		{"state_set", `{"name":"x","text":"y","if_version":"1"}`, `{"name":"x","version":2}`, false},
		{"state_set", `{"name":"x","text":"z","if_version":1}`, `{"code":"version_conflict","name":"x","version":2,`, true},
		{"state_set", `{"name":"x","text":"z"}`, `"text":"y"`, true},
		{"state_set", `{"name":"x","text":null}`, "missing", true},
		{"state_set", `{"name":"x","text":{"a":1}}`, "must be a string", true},
		{"state_set", `{"name":"x","text":"z","if_version":1.5}`, "whole number", true},
		{"state_set", `{"name":"x","text":"z","if_version":9007199254740992}`, "not a version", true},
		{"state_set", `{"name":"","text":"z"}`, "must not be empty", true},
		{"state_set", `{"text":"z"}`, "missing", true},
		{"state_set", `{"name":"x","value":"z"}`, "unknown argument", true},
		{"state_set", `{"name":"x","mode":"delete","if_version":2}`, `{"name":"x","version":3}`, false},
		{"state_get", `{"name":"x"}`, "was deleted as version 3", true},
		{"state_get", `{"name":"x","after":2}`, `"deleted":true`, false},
		{"state_get", `{"name":"n","after":2,"wait_seconds":0.1}`, `{"code":"timeout","name":"n","version":2}`, true},
		{"state_list", `{}`, `{"entries":[{"name":"n","version":2,`, false},
		{"state_list", `{"history":"x"}`, `"versions":[{"version":3,"deleted":true,`, false},
	} {
		var arguments map[string]any
		if err := json.Unmarshal([]byte(c.arguments), &arguments); err != nil {
			t.Fatal(err)
		}
		texts, isError := callTool(t, client, c.tool, arguments)
		if isError != c.isError || !strings.Contains(strings.Join(texts, "\n"), c.want) {
			t.Errorf("%s %s: %q, %v; want %q", c.tool, c.arguments, texts, isError, c.want)
		}
	}
}

// A long value, and long lists, are cut to what clients take; what is cut is counted.
func TestLongStateIsCut(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	client, _ := connect(t, s, AllTools())
	value := strings.Repeat("é\n", 85<<10)
	texts, isError := callTool(t, client, "state_set", map[string]any{"name": "long", "text": value})
	if isError {
		t.Fatal(texts)
	}
	for tool, arguments := range map[string]map[string]any{
		"state_get": {"name": "long"},
		"state_set": {"name": "long", "text": "short"}, // refused, with what is there
	} {
		texts, isError := callTool(t, client, tool, arguments)
		if isError != (tool == "state_set") {
			t.Fatal(texts)
		}
		text := texts[len(texts)-2]
		var e store.StateEntry
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err, text)
		}
		whole, cut := strings.CutSuffix(e.Text, "…")
		if !cut || !strings.HasPrefix(value, whole) || len(e.Text)+e.TextLeftOut != len(value) || len(e.Text) < 8<<10 || wireSize(text) > answerRoom {
			t.Errorf("%s: %d bytes of text, %d omitted, in an answer of %d", tool, len(e.Text), e.TextLeftOut, wireSize(text))
		}
		if !strings.Contains(texts[len(texts)-1], "do not write back what is cut") {
			t.Errorf("%s: %q", tool, texts[1:])
		}
	}
	var l store.StateListing
	for n := range 1000 {
		name := fmt.Sprintf("n%d/x%d", n%10, n)
		l.Entries = append(l.Entries, store.StateSummary{Name: name, Scope: []string{"src/**"}, FirstLine: strings.Repeat("x", 200)})
	}
	for n := range 10 {
		l.Namespaces = append(l.Namespaces, store.StateNamespace{Namespace: fmt.Sprint("n", n), Entries: 100})
	}
	f, err := fit(l, answerRoom-frameRoom)
	if err != nil {
		t.Fatal(err)
	}
	var got store.StateListing
	if err := json.Unmarshal([]byte(f.text), &got); err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(f.notes, "\n"); f.size() > answerRoom || len(got.Entries) < 100 || len(got.Namespaces) != 10 ||
		!strings.Contains(notes, fmt.Sprintf("%d more are not listed; prefix lists fewer", 1000-len(got.Entries))) {
		t.Errorf("%d bytes, %d entries, %d namespaces: %q", f.size(), len(got.Entries), len(got.Namespaces), f.notes)
	}
}

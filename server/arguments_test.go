package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-locks/agent-locks/store"
)

func toolNamed(t *testing.T, name string) Tool {
	t.Helper()
	for _, tool := range AllTools() {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %q", name)
	return Tool{}
}

func TestArgumentsAreReadGenerously(t *testing.T) {
	const query, check, create, update, reap = "lock_query", "lock_check_conflict", "lock_create", "lock_update", "lock_reap"
	tests := []struct{ tool, sent, want string }{
		{query, ``, `{}`},
		{query, `null`, `{}`},
		{query, ` { } `, `{}`},
		{query, `{"status":null,"scope":null,"agent_id":null,"text":null,"stale_minutes":null,"limit":null,"base_dir":null}`, `{}`},
		{query, `{"status":"","scope":"","agent_id":"","text":""}`, `{}`},
		{query, `{"scope":[]}`, `{}`},
		{query, `{"_meta":{"progressToken":1},"toolCallId":"call_1"}`, `{}`},

		// A list: itself, or one string.
		{query, `{"scope":"src/**"}`, `{"scope":["src/**"]}`},
		{query, `{"scope":["src/**","docs"]}`, `{"scope":["src/**","docs"]}`},
		{check, `{"scope":"a/b"}`, `{"scope":["a/b"]}`},
		// Brackets that are not a JSON list of strings are file names.
		{check, `{"scope":"[id]/page.tsx"}`, `{"scope":["[id]/page.tsx"]}`},
		{check, `{"scope":"[1]"}`, `{"scope":["[1]"]}`},
		{check, `{"scope":"null"}`, `{"scope":["null"]}`},
		// What looks like a list within a list is a name.
		{check, `{"scope":["[\"a\"]"]}`, `{"scope":["[\"a\"]"]}`},
		{create, `{"title":"t","scope":["a"],"tasks":null}`, `{"title":"t","scope":["a"]}`},
		{create, `{"title":"t","scope":["a"],"tasks":[]}`, `{"title":"t","scope":["a"]}`},
		{create, `{"title":"t","scope":["a"],"tasks":""}`, `{"title":"t","scope":["a"]}`},
		{create, `{"title":"t","scope":["a"],"tasks":"only one"}`, `{"title":"t","scope":["a"],"tasks":["only one"]}`},
		// What looks empty within a list is the operation's to judge.
		{create, `{"title":" ","scope":[""]}`, `{"title":" ","scope":[""]}`},

		// Booleans and numbers, also as their text.
		{update, `{"lock_id":"x","done":true}`, `{"lock_id":"x","done":true}`},
		{update, `{"lock_id":"x","done":"False"}`, `{"lock_id":"x","done":false}`},
		{reap, `{"dry_run":" true "}`, `{"dry_run":true}`},
		{reap, `{"lock_id":null,"dry_run":null}`, `{}`},
		{reap, `{"stale_minutes":0.5}`, `{"stale_minutes":0.5}`},
		{reap, `{"stale_minutes":"90"}`, `{"stale_minutes":90}`},
		{reap, `{"stale_minutes":"1e2"}`, `{"stale_minutes":100}`},
		{reap, `{"stale_minutes":-5}`, `{"stale_minutes":-5}`}, // the operation refuses it, for both faces
		{query, `{"limit":5}`, `{"limit":5}`},
		{query, `{"limit":5.0}`, `{"limit":5}`},
		{query, `{"limit":"5"}`, `{"limit":5}`},

		// Text is passed on as it is: text that looks like something else too.
		{query, `{"agent_id":"null"}`, `{"agent_id":"null"}`},
		{query, `{"agent_id":"007"}`, `{"agent_id":"007"}`},
		{update, `{"lock_id":"x","note":"a\nb \ud83d\ude80 \\ud83d"}`, `{"lock_id":"x","note":"a\nb 🚀 \\ud83d"}`},
		{update, `{"lock_id":"x","not\u0065":"n"}`, `{"lock_id":"x","note":"n"}`},
	}
	for _, test := range tests {
		got, err := toolNamed(t, test.tool).read(json.RawMessage(test.sent))
		if err != nil {
			t.Errorf("%s %s: %v", test.tool, test.sent, err)
			continue
		}
		if !sameJSON(t, string(got), test.want) {
			t.Errorf("%s %s:\n got %s\nwant %s", test.tool, test.sent, got, test.want)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var normal [2]string
	for i, s := range []string{a, b} {
		var v any
		if err := json.Unmarshal([]byte(s), &v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		n, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		normal[i] = string(n)
	}
	return normal[0] == normal[1]
}

func TestArgumentsRefusedSayWhich(t *testing.T) {
	const query, check, create, update, reap, heartbeat = "lock_query", "lock_check_conflict", "lock_create", "lock_update", "lock_reap", "lock_heartbeat"
	tests := []struct{ tool, sent, message, hint string }{
		// Unknown names, before anything else.
		{create, `{"title":"t","scope":["a"],"basedir":"/o"}`, `unknown argument "basedir"`, `did you mean "base_dir"? lock_create takes title, scope, tasks, agent_id, parent_agent_id, `},
		// The text of a list, right or wrong, is neither that list nor a name.
		{check, `{"scope":"[\"a/b\", \"c\"]"}`, `argument "scope" must be a list of strings, not "[\"a/b\", \"c\"]"`, "pass the list itself, not its text"},
		{check, `{"scope":" [\"a/b\"] "}`, `argument "scope" must be a list of strings`, "pass the list itself, not its text"},
		{check, `{"scope":"[\"\\ud83d\"]"}`, `argument "scope" must be a list of strings`, "pass the list itself, not its text"},
		{create, `{"title":"t","scope":["a"],"tasks":"[]"}`, `argument "tasks" must be a list of strings`, "pass the list itself, not its text"},
		{check, `{"scope":"[\"a/b\",]"}`, `argument "scope" must be a list of strings`, "pass the list itself, not its text"},
		{check, `{"scope":" [\"a/b\",1]"}`, `argument "scope" must be a list of strings`, "pass the list itself, not its text"},
		{create, `{"title":"t","scope":"['a/b']"}`, `argument "scope" must be a list of strings`, "pass the list itself, not its text"},
		{check, `{"scopes":["a/b"]}`, `unknown argument "scopes"`, `did you mean "scope"? lock_check_conflict takes scope, `},
		{reap, `{"dryrun":true}`, `unknown argument "dryrun"`, `did you mean "dry_run"?`},
		{reap, `{"Dry_Run":true}`, `unknown argument "Dry_Run"`, `did you mean "dry_run"?`},
		{update, `{"id":"x"}`, `unknown argument "id"`, `did you mean "lock_id"?`},
		{query, `{"colour":"red"}`, `unknown argument "colour"`, `lock_query takes status, scope, agent_id, text, stale_minutes, limit, base_dir`},
		{query, `{"colour":"red","statuss":"x"}`, `unknown arguments "colour", "statuss"`, `did you mean "status"?`},
		{query, `{"":1}`, `unknown argument ""`, `lock_query takes`},

		// Missing, null and empty.
		{create, `{}`, `missing required arguments "title", "scope"`, `lock_create needs title and scope (null counts as missing)`},
		{create, `{"title":null,"scope":["a"]}`, `missing required argument "title"`, ``},
		{create, `{"title":"","scope":["a"]}`, `argument "title" must not be empty`, ``},
		{create, `{"title":"t","scope":[]}`, `argument "scope" must not be empty`, ``},
		{check, `{"scope":""}`, `argument "scope" must not be empty`, ``},
		{check, `{"scope":null}`, `missing required argument "scope"`, ``},
		{heartbeat, `{"lock_id":null}`, `missing required argument "lock_id"`, ``},
		{heartbeat, `{"lock_id":""}`, `argument "lock_id" must not be empty`, `lock_id: `},
		{reap, `{"lock_id":""}`, `argument "lock_id" must not be empty`, `omit it, or say which`},
		{query, `{"base_dir":""}`, `argument "base_dir" must not be empty`, `omit it, or say which`},

		// Wrong types: the name, what was expected, the value.
		{create, `{"title":7,"scope":["a"]}`, `argument "title" must be a string, not 7`, ``},
		{check, `{"scope":5}`, `argument "scope" must be a list of strings, not 5`, ``},
		{check, `{"scope":["a",null]}`, `argument "scope" must be a list of strings, not ["a",null]`, ``},
		{check, `{"scope":["a", 1]}`, `argument "scope" must be a list of strings, not ["a",1]`, ``},
		{check, `{"scope":{"0":"a"}}`, `argument "scope" must be a list of strings, not {"0":"a"}`, ``},
		{update, `{"lock_id":"x","done":"yes"}`, `argument "done" must be true or false, not "yes"`, ``},
		{update, `{"lock_id":"x","done":1}`, `argument "done" must be true or false, not 1`, ``},
		{reap, `{"dry_run":""}`, `argument "dry_run" must be true or false, not ""`, ``},
		{reap, `{"stale_minutes":"NaN"}`, `argument "stale_minutes" must be a finite number, not "NaN"`, ``},
		{reap, `{"stale_minutes":"Inf"}`, `argument "stale_minutes" must be a finite number, not "Inf"`, ``},
		{reap, `{"stale_minutes":"0x10"}`, `argument "stale_minutes" must be a finite number, not "0x10"`, ``},
		{reap, `{"stale_minutes":1e999}`, `argument "stale_minutes" must be a finite number, not 1e999`, ``},
		{reap, `{"stale_minutes":true}`, `argument "stale_minutes" must be a finite number, not true`, ``},
		{reap, `{"stale_minutes":[60]}`, `argument "stale_minutes" must be a finite number, not [60]`, ``},
		{reap, `{"stale_minutes":""}`, `argument "stale_minutes" must be a finite number, not ""`, ``},
		{query, `{"limit":2.5}`, `argument "limit" must be a whole number, not 2.5`, ``},
		{query, `{"limit":1e300}`, `argument "limit" must be a whole number, not 1e300`, ``},
		{query, `{"text":{"a":[` + strings.Repeat("1,", 500) + `1]}}`, `argument "text" must be a string, not {"a":[1,1,`, ``},

		// Ambiguous or unwritable.
		{query, `{"text":"a","text":"b"}`, `argument "text" is given twice`, ``},
		{query, `{"text":"a","t\u0065xt":"a"}`, `argument "text" is given twice`, ``},
		{query, `{"text":"\ud83d"}`, `argument "text" must be whole Unicode text`, ``},
		{query, `{"text":"\ude80\ud83d"}`, `argument "text" must be whole Unicode text`, ``},
		{query, `{"text":"\ud83d\u0041"}`, `argument "text" must be whole Unicode text`, ``},
		{query, "{\"text\":\"\xff\"}", `argument "text" must be whole Unicode text`, ``},
		{check, `{"scope":["a","\ud83d.ts"]}`, `argument "scope" must be whole Unicode text`, ``},
	}
	for _, test := range tests {
		_, err := toolNamed(t, test.tool).read(json.RawMessage(test.sent))
		var e *store.Error
		if !errors.As(err, &e) || e.Code != store.BadInput {
			t.Errorf("%s %s: %v, not bad input", test.tool, test.sent, err)
			continue
		}
		if !strings.HasPrefix(e.Message, test.message) || !strings.HasPrefix(e.Hint, test.hint) {
			t.Errorf("%s %s:\n got %s\n     %s\nwant %s\n     %s", test.tool, test.sent, e.Message, e.Hint, test.message, test.hint)
		}
		if len(e.Message) > 250 {
			t.Errorf("%s: a message of %d bytes", test.tool, len(e.Message))
		}
	}
}

func TestArgumentsThatAreNoObjectAreMalformed(t *testing.T) {
	for _, sent := range []string{`[]`, `"{}"`, `""`, `5`, `true`, `{"a"`, `{"a":}`} {
		_, err := toolNamed(t, "lock_query").read(json.RawMessage(sent))
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v, not invalid params", sent, err)
		}
	}
}

// FuzzArguments holds what operations rely on: arguments that arrived are an
// object of known names that the request can be read from.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"scope":"[\"a\"]","limit":"5"}`, `{"text":"\ud83d\ude80","stale_minutes":1e2}`, `{"status":null,"_meta":{}}`, `[`} {
		f.Add(seed)
	}
	tool := queryTool()
	f.Fuzz(func(t *testing.T, sent string) {
		args, err := tool.read(json.RawMessage(sent))
		if err != nil {
			return
		}
		var r store.QueryRequest
		d := json.NewDecoder(strings.NewReader(string(args)))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%q became %s: %v", sent, args, err)
		}
	})
}

// What was sent is not sent back whole.
func TestArgumentErrorsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300_000)
	for _, sent := range []string{`{"` + long + `":1}`, `{"title":["` + long + `"]}`} {
		_, _, err := toolNamed(t, "lock_create").Call(t.Context(), nil, json.RawMessage(sent))
		var e *store.Error
		if !errors.As(err, &e) || len(e.Message)+len(e.Hint) > 11<<10 {
			t.Errorf("%.40s: an error of %d bytes", sent, len(fmt.Sprint(err)))
		}
	}
}

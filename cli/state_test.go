package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestStateRequests(t *testing.T) {
	t.Parallel()
	set := func(mode string, r store.SetStateRequest) store.SetStateRequest {
		r.Mode = mode
		return r
	}
	n := func(v int64) *int64 { return &v }
	testRequests(t, store.StateWritten{}, []requestCase{
		{args: []string{"state", "set", "a/b", "x"}, want: set("set", store.SetStateRequest{Name: "a/b", Text: p("x")})},
		{args: []string{"state", "set", "a", "-", "--new", "--scope", "src", "--scope", "*.go", "--agent", "me"},
			want: set("set", store.SetStateRequest{Name: "a", Text: p("from stdin\n"), IfVersion: n(0), Scope: []string{"src", "*.go"}, AgentID: p("me")})},
		{args: []string{"state", "set", "a", "", "--force"}, want: set("set", store.SetStateRequest{Name: "a", Text: p(""), Force: true})},
		{args: []string{"state", "set", "a", "-5", "--if-version", "3"}, want: set("set", store.SetStateRequest{Name: "a", Text: p("-5"), IfVersion: n(3)})},
		{args: []string{"state", "set", "a", "--if-version=-3", "--", "--x"}, want: set("set", store.SetStateRequest{Name: "a", Text: p("--x"), IfVersion: n(-3)})},
		{args: []string{"state", "set", "a", "--scope", "src"}, want: set("set", store.SetStateRequest{Name: "a", Scope: []string{"src"}})},
		{args: []string{"state", "append", "a", "x"}, want: set("append", store.SetStateRequest{Name: "a", Text: p("x")})},
		{args: []string{"state", "add", "a", "1"}, want: set("add", store.SetStateRequest{Name: "a", Text: p("1")})},
		{args: []string{"state", "add", "budget", "-8000", "--min", "0"}, want: set("add", store.SetStateRequest{Name: "budget", Text: p("-8000"), Min: n(0)})},
		{args: []string{"state", "add", "--min", "-5", "--max", "-1", "a", "-2", "--if-version", "0"},
			want: set("add", store.SetStateRequest{Name: "a", Text: p("-2"), Min: n(-5), Max: n(-1), IfVersion: n(0)})},
		{args: []string{"state", "add", "a", "-2x"}, want: set("add", store.SetStateRequest{Name: "a", Text: p("-2x")})},
		{args: []string{"state", "add", "a", "--", "-2"}, want: set("add", store.SetStateRequest{Name: "a", Text: p("-2")})},
		{args: []string{"state", "delete", "a", "--if-version", "2"}, want: set("delete", store.SetStateRequest{Name: "a", IfVersion: n(2)})},
		{args: []string{"state", "delete", "a", "--force"}, want: set("delete", store.SetStateRequest{Name: "a", Force: true})},
		{args: []string{"state", "set"}, err: "agent-locks state set needs the name of an entry"},
		{args: []string{"state", "set", "a"}, err: "agent-locks state set needs a text"},
		{args: []string{"state", "set", "a", "two", "words"}, err: `agent-locks state set takes a name and a text, got 3 arguments, the third "words"`},
		{args: []string{"state", "set", "a", "x", "--if-version", "three"}, err: `--if-version "three": not a whole number`},
		{args: []string{"state", "set", "a", "x", "--if-version", "1.5"}, err: `--if-version "1.5": not a whole number`},
		{args: []string{"state", "set", "a", "x", "--if-version", "99999999999999999999"}, err: `--if-version "99999999999999999999": not a whole number`},
		{args: []string{"state", "set", "a", "x", "--new", "--if-version", "1"}, err: "--new, --if-version and --force exclude each other"},
		{args: []string{"state", "set", "a", "x", "--new", "--force"}, err: "--new, --if-version and --force exclude each other"},
		{args: []string{"state", "append", "a"}, err: "agent-locks state append needs a text after the name"},
		{args: []string{"state", "add", "a"}, err: "agent-locks state add needs a whole number after the name"},
		{args: []string{"state", "delete"}, err: "agent-locks state delete needs the name of an entry"},
		{args: []string{"state", "delete", "a", "b"}, err: `agent-locks state delete takes one name, got 2 arguments, the second "b"`},
		{args: []string{"state", "delete", "a", "--yes"}, err: "--yes has no effect without --prefix"},
		{args: []string{"state", "delete", "a", "--prefix", "a"}, err: "--prefix goes with --yes and --agent only"},
		{args: []string{"state", "put", "a"}, err: `unknown command "put"`},
	})
	testRequests(t, store.StateEntry{}, []requestCase{
		{args: []string{"state", "get", "a"}, want: store.GetStateRequest{Name: "a"}},
		{args: []string{"state", "get", "a", "--version", "3"}, want: store.GetStateRequest{Name: "a", Version: n(3)}},
		{args: []string{"state", "get", "a", "--after", "3", "--wait", "5m"}, want: store.GetStateRequest{Name: "a", After: n(3), WaitSeconds: ptr(300.0)}},
		{args: []string{"state", "get"}, err: "agent-locks state get needs the name of an entry"},
		{args: []string{"state", "get", "a", "--wait", "soon"}, err: `--wait "soon": not a duration`},
		{args: []string{"state", "get", "a", "--after", "x"}, err: `--after "x": not a whole number`},
	})
	testRequests(t, store.StateListing{}, []requestCase{
		{args: []string{"state", "list"}, want: store.ListStateRequest{}},
		{args: []string{"state", "list", "--prefix", "api", "--scope", "src", "--text", "x"},
			want: store.ListStateRequest{Prefix: "api", Scope: []string{"src"}, Text: "x"}},
		{args: []string{"state", "list", "api"}, err: `list takes no arguments, got "api"`},
		{args: []string{"state", "list", "--prefix", ""}, err: `--prefix "" is empty`},
		{args: []string{"state", "log", "a"}, want: store.ListStateRequest{History: "a"}},
		{args: []string{"state", "log", ""}, err: "the name is empty"},
	})
	testRequests(t, []store.StateWritten{}, []requestCase{
		{args: []string{"state", "delete", "--prefix", "api/", "--yes", "--agent", "me"}, want: store.DeleteStatesRequest{Prefix: "api/", Yes: true, AgentID: p("me")}},
		{args: []string{"state", "delete", "--prefix", "api"}, want: store.DeleteStatesRequest{Prefix: "api"}},
	})
}

func ptr[T any](v T) *T { return &v }

func TestStateOutput(t *testing.T) {
	t.Parallel()
	entry := store.StateEntry{Name: "api/x", Version: 3, AgentID: p("you"), Updated: "2026-07-17T18-45-12", Scope: []string{}, Text: "one\n\ttwo\u202e\n"}
	conflict := &store.Error{Code: store.VersionConflict, Message: `not written: "api/x" is at version 3`, Hint: "write it again with `if_version` 3",
		Detail: store.StateConflict{Code: store.VersionConflict, StateEntry: entry}}
	below := &store.Error{Code: store.Conflict, Message: "not added: below `min` 0", Hint: "nothing was written",
		Detail: store.StateConflict{Code: store.Conflict, StateEntry: store.StateEntry{Name: "n", Version: 1, Scope: []string{}, Text: "2000"}}}
	testOutputs(t, []outputCase{
		{name: "set", args: []string{"state", "set", "api/x", "y"}, store: fake{result: store.StateWritten{Name: "api/x", Version: 4}}, want: "api/x is at version 4\n"},
		{name: "add", args: []string{"state", "add", "n", "1"}, store: fake{result: store.StateWritten{Name: "n", Version: 4, Value: ptr[int64](-7)}}, want: "-7\n"},
		{name: "delete", args: []string{"state", "delete", "n", "--force"}, store: fake{result: store.StateWritten{Name: "n", Version: 4}}, want: "deleted n, as version 4\n"},
		{name: "delete many", args: []string{"state", "delete", "--prefix", "n"}, store: fake{result: []store.StateWritten{{Name: "n", Version: 4}}},
			want: "would delete n, which is at version 4\nnothing is deleted without --yes\n"},
		{name: "get, byte for byte", args: []string{"state", "get", "api/x"}, store: fake{result: entry}, want: "one\n\ttwo\u202e\n"},
		{name: "get as JSON", args: []string{"state", "get", "api/x", "--json"}, store: fake{result: entry},
			want: `{"name":"api/x","version":3,"agent_id":"you","updated":"2026-07-17T18-45-12","scope":[],"text":"one\n\ttwo` + `\u202e` + `\n"}` + "\n"},
		{name: "a conflict", args: []string{"state", "set", "api/x", "y"}, store: fake{err: conflict}, code: 2,
			stderr: "agent-locks: not written: \"api/x\" is at version 3\nwrite it again with --if-version 3\nversion 3 of api/x:\n  one\n  \\ttwo\\u202e\n"},
		{name: "a conflict as JSON", args: []string{"state", "set", "api/x", "y", "--json"}, store: fake{err: conflict}, code: 2,
			stderr: `{"error":{"agent_id":"you","code":"version_conflict","hint":"write it again with --if-version 3","message":"not written: \"api/x\" is at version 3","name":"api/x","scope":[],"text":"one\n\ttwo` + `\u202e` + `\n","updated":"2026-07-17T18-45-12","version":3}}` + "\n"},
		{name: "below the least", args: []string{"state", "add", "n", "-8000", "--min", "0"}, store: fake{err: below}, code: 2,
			stderr: "agent-locks: not added: below --min 0\nnothing was written\n"},
		{name: "a bad text", args: []string{"state", "set", "n", "x"}, store: fake{err: &store.Error{Code: store.BadInput, Message: "`text`: the text contains a NUL (byte 1)"}}, code: 1,
			stderr: "agent-locks: the text contains a NUL (byte 1)\n"},
		{name: "no entries", args: []string{"state", "list"}, store: fake{result: store.StateListing{}}, want: "no entries found\n"},
		{name: "a list", args: []string{"state", "list"}, store: fake{result: store.StateListing{
			Entries: []store.StateSummary{
				{Name: "api/x", Version: 3, AgentID: p("you"), Updated: "2026-07-17T18-45-12", Scope: []string{"src/**", "docs"}, FirstLine: "one\x1b[31m"},
				{Name: "n", Version: 12, Updated: "2026-07-17T18-45-13", FirstLine: ""},
			},
			Namespaces: []store.StateNamespace{{Namespace: "", Entries: 1}, {Namespace: "api", Entries: 1}},
		}}, want: "NAME   VERSION  CHANGED              WHO  SCOPE         TEXT\n" +
			"api/x  3        2026-07-17T18-45-12  you  src/**, docs  one\\x1b[31m\n" +
			"n      12       2026-07-17T18-45-13  -    -\n\nby namespace: none 1, api/ 1\n"},
		{name: "a log", args: []string{"state", "log", "n"}, store: fake{result: store.StateListing{Versions: []store.StateVersion{
			{Version: 2, Deleted: true, Updated: "2026-07-17T18-45-13"}, {Version: 1, AgentID: p("you"), Updated: "2026-07-17T18-45-12", FirstLine: "x"},
		}}}, want: "VERSION  WRITTEN              WHO  TEXT\n2        2026-07-17T18-45-13  -    (deleted)\n1        2026-07-17T18-45-12  you  x\n"},
		{name: "an empty export", args: []string{"state", "export"}, store: fake{}, want: `{"entries":[]}` + "\n"},
		{name: "an export", args: []string{"state", "export"}, store: fake{result: []store.StateExported{
			{StateEntry: store.StateEntry{Name: "a", Version: 1, Scope: []string{}}, Past: []store.StateEntry{}}, {StateEntry: store.StateEntry{Name: "b", Version: 1, Scope: []string{}}, Past: []store.StateEntry{}},
		}}, want: `{"entries":[{"name":"a","version":1,"agent_id":null,"scope":[],"text":"","past":[]},{"name":"b","version":1,"agent_id":null,"scope":[],"text":"","past":[]}]}` + "\n"},
	})
	terminal := func(w *World) { w.Columns = func() int { return 80 } }
	for text, want := range map[string]string{"one\n\ttwo\u202e\n": "one\n\\ttwo\\u202e\n", "x\x1b[2J": "x\\x1b[2J\n", "": "", "a\n\n": "a\n\n"} {
		entry.Text = text
		if got := try(t, &fake{result: entry}, []string{"state", "get", "api/x"}, terminal); got.stdout != want {
			t.Errorf("on a terminal %q is %q", text, got.stdout)
		}
	}
	timeout := try(t, &fake{err: &store.Error{Code: store.Timeout, Message: "timed out"}}, []string{"state", "get", "x", "--after", "1"})
	if timeout.code != exitAnswer {
		t.Errorf("%+v", timeout)
	}
}

func TestServeRefusesUnknownTools(t *testing.T) {
	t.Parallel()
	got := try(t, &fake{}, []string{"serve", "--tools", "some"})
	if got.code != exitError || !strings.Contains(got.stderr, `--tools "some" is neither default nor all`) {
		t.Errorf("%+v", got)
	}
	for said, want := range map[string]string{"all": "", "default": "", "": "", "some": "AGENT_LOCKS_TOOLS is \"some\": ignored"} {
		got := try(t, &fake{}, []string{"serve"}, func(w *World) {
			w.Environ = func() []string { return []string{"AGENT_LOCKS_TOOLS=" + said} }
			w.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` +
				"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n")
		})
		if strings.Contains(got.stdout, `"state_get"`) != (said == "all") || !strings.Contains(got.stdout, `"lock_create"`) || !strings.Contains(got.stderr, want) || got.code != 0 {
			t.Errorf("%s: %+v", said, got)
		}
	}
}

func TestStateNamesAreCompleted(t *testing.T) {
	t.Parallel()
	f := &fake{result: store.StateListing{Entries: []store.StateSummary{{Name: "api/x", FirstLine: "one"}, {Name: "n", FirstLine: "2"}}}}
	if got := try(t, f, []string{"__complete", "state", "get", "a"}); !strings.HasPrefix(got.stdout, "api/x\tone\n:4") {
		t.Errorf("%+v", got)
	}
	if got := try(t, &fake{err: errors.New("none")}, []string{"__complete", "state", "get", ""}); strings.Contains(got.stdout, "api") {
		t.Errorf("%+v", got)
	}
}

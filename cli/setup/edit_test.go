package setup

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tailscale/hujson"
	"golang.org/x/tools/txtar"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sets are the entries of the files that we write.
func sets() map[string][]part {
	return map[string][]part{"mcpServers": server("mcpServers", policy{}), "servers": server("servers", policy{}), "hooks": hooks(policy{})}
}

// Each golden file names the entries and has a document before and after.
// "after" is what add makes of "before", and nothing the second time; take
// leads back.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) < 8 {
		t.Fatalf("golden files: %q, %v", files, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			golden, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			parts := sets()[strings.TrimSpace(string(golden.Comment))]
			if parts == nil {
				t.Fatalf("no entries %q", golden.Comment)
			}
			var before []byte // an absent file has no section
			for _, f := range golden.Files {
				if f.Name == "before" {
					before = append([]byte{}, f.Data...)
				}
			}
			after, err := add(before, parts)
			if err != nil {
				t.Fatal(err)
			}
			if last := &golden.Files[len(golden.Files)-1]; *update {
				last.Data = after
				if err := os.WriteFile(name, txtar.Format(golden), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(last.Data), string(after)); last.Name != "after" || diff != "" {
				t.Errorf("%s (-want +got):\n%s", last.Name, diff)
			}
			thereAndBack(t, before, parts)
		})
	}
}

// thereAndBack checks what holds for every document that add accepts.
func thereAndBack(t *testing.T, before []byte, parts []part) {
	t.Helper()
	after, err := add(before, parts)
	if err != nil {
		t.Fatalf("add to %q: %v", before, err)
	}
	if _, err := hujson.Parse([]byte(strings.TrimPrefix(string(after), bom) + "\n")); err != nil {
		t.Fatalf("added to %q: %v in %q", before, err, after)
	}
	again, err := add(after, parts)
	if err != nil || string(again) != string(after) {
		t.Errorf("added twice: %v\n%q, then\n%q", err, after, again)
	}
	back, err := take(after, parts)
	if err != nil || string(back) != string(before) || (back == nil) != (before == nil) {
		t.Errorf("taken out again: %v\n%q became\n%q and then\n%q", err, before, after, back)
	}
	if nothing, err := take(back, parts); err != nil || string(nothing) != string(back) {
		t.Errorf("taken twice: %v\n%q, then\n%q", err, back, nothing)
	}
}

// Layouts that a golden file cannot show: line ends, no line end, blanks.
var documents = []string{
	"", "\n", " ", "\t\n\n", "\r\n", "// only a comment", "// only a comment\n", "/* a */ ", "// a\r\n",
	"{}", "{}\n", "{ }", "{\n}", "{\n}\n", "{\r\n}\r\n", " {}", "\n{}\n", "// c\n{}\n", "{}// c", "{/* c */}", "{// c\n}", "{// c\n  }",
	`{"a":1}`, `{"a": 1}` + "\n", `{ "a": 1 }`, `{"a":1,}`, `{"a":1 , }`, `{"a": 1 /* c */}`, `{"a": 1, /* c */}`,
	"{\n  \"a\": 1\n}\n", "{\n    \"a\": 1\n}\n", "{\n\t\"a\": 1\n}", "{\r\n\t\"a\": 1\r\n}\r\n", "{\"a\":1\n}", "{\n\"a\":1}",
	"{\n  \"a\": 1, // c\n}", "{\n  \"a\": 1 // c\n}", "{\n  \"a\": 1 // c\n  // d\n}", "{\n  \"a\": 1\n\n}", "{\n  \"a\": 1  \n}", "{\n  /* x\n */ \"a\": 1 /* y\n */ }",
	`{"mcpServers":{}}`, `{"mcpServers": {"other": {}}}`, "{\n  \"mcpServers\": {}\n}\n", "{\n  \"mcpServers\": {\n  }\n}\n", "{\n  \"mcpServers\": {\n    // c\n  }\n}\n",
	`{"servers":{ }}`, `{"hooks":{}}`, `{"hooks": {"PreToolUse": []}}`, `{"hooks": {"PreToolUse": [ ], "Stop": []}}`,
	`{"hooks": {"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "lint"}]}]}}`,
	"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"hooks\": []} // c\n    ]\n  }\n}\n",
	"{\"hooks\": {\"PreToolUse\": [1, {\"hooks\": 2}, {\"hooks\": [3]}]}}",
	bom + "{}\n", bom, bom + "{\n  \"a\": 1\n}\n",
}

func TestThereAndBack(t *testing.T) {
	for _, doc := range documents {
		for name, parts := range sets() {
			t.Run(name, func(t *testing.T) { thereAndBack(t, []byte(doc), parts) })
		}
	}
}

func FuzzThereAndBack(f *testing.F) {
	gittest.NotShort(f)
	for _, doc := range documents {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, parts := range sets() {
			if _, err := add(append([]byte{}, doc...), parts); err != nil {
				continue
			}
			if without, err := take(append([]byte{}, doc...), parts); err != nil || string(without) != string(doc) {
				continue // it has entries of ours already
			}
			thereAndBack(t, append([]byte{}, doc...), parts)
		}
	})
}

func TestRefused(t *testing.T) {
	tests := []struct{ parts, doc, want string }{
		{"mcpServers", `{`, "unexpected EOF"},
		{"mcpServers", "{\n  a: 1}", "line 2, column 3"},
		{"mcpServers", `{"a": 1} x`, "not valid JSON"},
		{"mcpServers", `/* open`, "not valid JSON"},
		{"mcpServers", "{}\r", "carriage return"},
		{"mcpServers", `[]`, "does not contain a JSON object"},
		{"mcpServers", `null`, "does not contain a JSON object"},
		{"mcpServers", `"text"`, "does not contain a JSON object"},
		{"mcpServers", `{"mcpServers": []}`, `other than a JSON object at "mcpServers"`},
		{"mcpServers", `{"mcpServers": null}`, `at "mcpServers"`},
		{"servers", `{"servers": "x"}`, `at "servers"`},
		{"mcpServers", `{"mcpServers": {"agent-locks": 1}}`, `starts another program: "1"`},
		{"mcpServers", `{"mcpServers": {"agent-locks": {"command": "npx", "args": ["other"]}}}`, `starts another program: "npx other"`},
		{"mcpServers", `{"mcpServers": {"agent-locks": {"url": "https://example.invalid"}}}`, `leads to a server elsewhere: "https://example.invalid"`},
		{"mcpServers", `{"mcpServers": {}, "mcpServers": {}}`, "twice"},
		{"mcpServers", `{"mcpServers": {"agent-locks": {"command": "agent-locks"}, "agent\u002dlocks": {}}}`, "twice"},
		{"hooks", `{"hooks": []}`, `other than a JSON object at "hooks"`},
		{"hooks", `{"hooks": {"SessionEnd": {}}}`, `other than a JSON list at "hooks.SessionEnd"`},
	}
	for _, tt := range tests {
		got, err := add([]byte(tt.doc), sets()[tt.parts])
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s into %s: %q, %v; want an error with %q", tt.parts, tt.doc, got, err, tt.want)
		}
	}
}

// Only brackets that nest count, not those in texts and comments.
func TestDepth(t *testing.T) {
	nest := func(n int) string { return `{"a": ` + strings.Repeat("[", n) + strings.Repeat("]", n) + "}" }
	brackets := strings.Repeat("[", maxDepth+1)
	for doc, ok := range map[string]bool{
		nest(maxDepth - 1): true,
		nest(maxDepth):     false,
		"{\"a\": [" + strings.Repeat("[],", maxDepth) + "]}":   true,
		`{"a": "\"` + brackets + `"}`:                          true,
		"{\"a\": \"\\\\\", \"b\": " + brackets:                 false,
		"{ // \" " + brackets + "\n/* \" " + brackets + " */}": true,
		"{} //" + brackets:                                     true,
		"{ /* */ \"a\": " + brackets + "}":                     false,
	} {
		_, err := add([]byte(doc), server("servers", policy{}))
		if (err == nil) != ok || !ok && !strings.Contains(err.Error(), "nests more than") {
			t.Errorf("%.40q: %v, want it accepted: %v", doc, err, ok)
		}
	}
}

// What the user has in other words stays in those, and is gone on removal: in
// the user's own settings by any path, in a project's only what a clone cannot
// make something else of.
func TestOwnWording(t *testing.T) {
	native := filepath.Join(t.TempDir(), "agent-locks")
	if err := os.WriteFile(native, nil, 0o777); err != nil {
		t.Fatal(err)
	}
	yours, project := policy{private: true}, policy{native: native}
	const command = `{"hooks": {"SessionEnd": [{"hooks": [{"command": %s}]}, {"hooks": []}]}}`
	hook := func(line string) string { return fmt.Sprintf(command, line) }
	const noHook = `{"hooks": {"SessionEnd": [ {"hooks": []}]}}`
	tests := []struct {
		parts      []part
		doc, taken string
	}{
		{server("mcpServers", yours), `{"mcpServers": {"agent-locks": {"command": "/opt/bin/agent-locks", "env": {"A": "b"}}}}`, `{"mcpServers": {}}`},
		{server("mcpServers", yours), `{"mcpServers": {"agent-locks": {"command": "C:\\bin\\Agent-Locks.exe", "args": ["serve", "--json"]}, "x": {}}}`, `{"mcpServers": { "x": {}}}`},
		{server("servers", yours), "{\n  \"servers\": {\n    \"x\": {}, // x\n    \"agent-locks\": {\"command\": \"agent-locks\"} // ours\n  }\n}", "{\n  \"servers\": {\n    \"x\": {} // x // ours\n  }\n}"},
		{server("mcpServers", project), `{"mcpServers": {"agent-locks": {"command": "agent-locks.exe", "args": [], "env": {"AGENT_LOCKS_STALE_MINUTES": "5"}}}}`, `{"mcpServers": {}}`},
		{server("mcpServers", project), fmt.Sprintf(`{"mcpServers": {"agent-locks": {"command": %q}}}`, native), `{"mcpServers": {}}`},
		{hooks(yours)[6:], hook(`"'/opt/my tools/agent-locks' hook claude session-end"`), noHook},
		{hooks(yours)[6:], hook(`"\"/opt/my tools/agent-locks\" hook claude session-end"`), noHook},
		{hooks(project)[6:], hook(`"agent-locks", "args": ["hook", "claude", "session-end"]`), noHook},
		{hooks(project)[6:], hook(`"AGENT_LOCKS_HOOK=warn AGENT_LOCKS_GUARD=off agent-locks hook claude session-end"`), noHook},
	}
	for _, tt := range tests {
		got, err := add([]byte(tt.doc), tt.parts)
		if err != nil || string(got) != tt.doc {
			t.Errorf("add to %s: %s, %v", tt.doc, got, err)
		}
		got, err = take([]byte(tt.doc), tt.parts)
		if err != nil || string(got) != tt.taken {
			t.Errorf("take from %s: %s, %v; want %s", tt.doc, got, err, tt.taken)
		}
	}
}

// Removal leaves what is not ours: another program's server of our name, the
// neighbours of a hook that the user moved into a group of their own.
func TestTakeLeavesOthers(t *testing.T) {
	foreign := `{"mcpServers": {"agent-locks": {"command": "npx"}}}`
	if got, err := take([]byte(foreign), server("mcpServers", policy{})); err != nil || string(got) != foreign {
		t.Errorf("take from %s: %s, %v", foreign, got, err)
	}
	const before = `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
  {"type": "command", "command": "lint"},
  {"type": "command", "command": "\"/opt/my tools/agent-locks\" hook claude pre-tool-use"},
  {"type": "command", "command": "agent-locks", "args": ["hook", "claude", "pre-tool-use"]},
  {"type": "command", "command": "echo agent-locks hook claude pre-tool-use"}
]}]}}`
	const want = `{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [
  {"type": "command", "command": "lint"},
  {"type": "command", "command": "echo agent-locks hook claude pre-tool-use"}
]}]}}`
	if got, err := take([]byte(before), hooks(policy{private: true})); err != nil || string(got) != want {
		t.Errorf("take: %s, %v", got, err)
	}
}

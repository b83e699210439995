package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/store"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a file under testdata, so that a change of what
// clients are told is a visible act.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *updateGolden {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); go test ./server -update rewrites it:\n%s", path, diff)
	}
}

func TestToolsAreTheGoldenOnes(t *testing.T) {
	var names []string
	for _, tool := range AllTools() {
		names = append(names, tool.Name+".json")
		declared, err := tool.declaration()
		if err != nil {
			t.Fatal(err)
		}
		compact, err := store.Encode(declared)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := json.Indent(&b, compact, "", "  "); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
		golden(t, "tools/"+tool.Name+".json", b.Bytes())
	}
	files, err := os.ReadDir("testdata/tools")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("testdata/tools/%s belongs to no tool", f.Name())
		}
	}
}

func TestInstructionsAreTheGoldenOnes(t *testing.T) {
	golden(t, "instructions.txt", []byte(instructions))
}

// What clients take: instructions are cut at 2 KiB, and a model's interface
// refuses longer descriptions of a function.
const (
	longestInstructions = 2048
	longestDescription  = 1024
)

func TestEveryToolIsFullyDescribed(t *testing.T) {
	seen := make(map[string]bool)
	for _, tool := range AllTools() {
		if seen[tool.Name] || seen[tool.Command] {
			t.Errorf("%s (%s) is there twice", tool.Name, tool.Command)
		}
		seen[tool.Name], seen[tool.Command] = true, true
		if !regexp.MustCompile(`^(lock|state)_[a-z_]+$`).MatchString(tool.Name) {
			t.Errorf("%q is not a tool name", tool.Name)
		}
		if tool.Command == "" || tool.Title == "" || tool.operation.run == nil {
			t.Errorf("%s lacks a command, a title or an operation", tool.Name)
		}
		if n := len(tool.Description); n < 80 || n > longestDescription {
			t.Errorf("%s: a description of %d bytes", tool.Name, n)
		}
		if tool.Hints.ReadOnly && (tool.Hints.Destructive || !tool.Hints.Idempotent) {
			t.Errorf("%s reads only, and yet is destructive or not idempotent", tool.Name)
		}
		if tool.Hints.ReadOnly != strings.Contains(tool.Description, "Changes nothing") {
			t.Errorf("%s: the read-only hint and the description disagree", tool.Name)
		}
		if last := tool.Properties[len(tool.Properties)-1].Name; last != "base_dir" {
			t.Errorf("%s ends in %s, not in base_dir", tool.Name, last)
		}
		for _, p := range tool.Properties {
			if p.Description == "" || p.parse == nil {
				t.Errorf("%s: %s lacks a description or a reader", tool.Name, p.Name)
			}
			if strict := p.Required || p.Name == "base_dir" || p.Name == "lock_id"; strict != p.NotEmpty {
				t.Errorf("%s: %s: NotEmpty is %v", tool.Name, p.Name, p.NotEmpty)
			}
		}
	}
}

// Strict hosts refuse a whole session for one schema that leaves this subset.
func TestSchemasStayInTheStrictSubset(t *testing.T) {
	types := []string{"string", "array", "boolean", "number", "integer"}
	for _, tool := range AllTools() {
		declared, err := tool.declaration()
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(declared)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Title, Description string
			OutputSchema       json.RawMessage
			Annotations        map[string]json.RawMessage
			InputSchema        map[string]json.RawMessage
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if got.Title == "" || got.Description == "" || got.OutputSchema != nil {
			t.Errorf("%s: no title, no description, or an output schema: %s", tool.Name, raw)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			v := string(got.Annotations[hint])
			unsaid := hint == "destructiveHint" && tool.Hints.ReadOnly // it would say nothing
			if v != "true" && v != "false" && !unsaid || unsaid && v != "" {
				t.Errorf("%s: %s is %q", tool.Name, hint, v)
			}
		}
		if v := string(got.Annotations["openWorldHint"]); v != "false" {
			t.Errorf("%s: openWorldHint is %s", tool.Name, v)
		}

		var required []string
		var properties map[string]map[string]json.RawMessage
		for key, value := range got.InputSchema {
			var err error
			switch key {
			case "type":
				if string(value) != `"object"` {
					t.Errorf("%s: the schema's type is %s", tool.Name, value)
				}
			case "required":
				if err = json.Unmarshal(value, &required); len(required) == 0 {
					t.Errorf("%s: required is %s: leave it out", tool.Name, value)
				}
			case "properties":
				err = json.Unmarshal(value, &properties)
			default:
				t.Errorf("%s: the schema has %q", tool.Name, key)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", tool.Name, key, err)
			}
		}
		for _, name := range required {
			if properties[name] == nil {
				t.Errorf("%s: %s is required but not there", tool.Name, name)
			}
		}
		for name, p := range properties {
			for key := range p {
				if !slices.Contains([]string{"type", "description", "items"}, key) {
					t.Errorf("%s: %s has %q", tool.Name, name, key)
				}
			}
			var typ string
			if err := json.Unmarshal(p["type"], &typ); err != nil || !slices.Contains(types, typ) {
				t.Errorf("%s: the type of %s is %s", tool.Name, name, p["type"])
			}
			if items := string(p["items"]); (typ == "array") != (items == `{"type":"string"}`) {
				t.Errorf("%s: %s is a %s with items %s", tool.Name, name, typ, items)
			}
		}
	}
}

// What is declared is what the operation takes, name by name and type by
// type: an argument that the request lacks would be dropped without a word.
func TestPropertiesAreTheRequestsFields(t *testing.T) {
	// Declared as the original's example has it; a list is taken too.
	exceptions := map[string]string{"lock_query.scope": "string"}
	for _, tool := range AllTools() {
		want := jsonFields(t, tool.operation.request)
		for name := range want {
			if declared, ok := exceptions[tool.Name+"."+name]; ok {
				want[name] = declared
			}
		}
		got := make(map[string]string)
		for _, p := range tool.Properties {
			got[p.Name] = p.Type
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: request (-) and properties (+) differ:\n%s", tool.Name, diff)
		}
	}
}

// jsonFields maps a struct's json names to the JSON types of their values.
func jsonFields(t *testing.T, typ reflect.Type) map[string]string {
	kinds := map[reflect.Kind]string{
		reflect.String: "string", reflect.Slice: "array", reflect.Bool: "boolean",
		reflect.Float64: "number", reflect.Int: "integer", reflect.Int64: "integer",
	}
	fields := make(map[string]string)
	for _, f := range reflect.VisibleFields(typ) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		if name == "" {
			t.Errorf("%s.%s has no json tag", typ, f.Name)
		}
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft = ft.Elem()
		}
		fields[name] = kinds[ft.Kind()]
	}
	return fields
}

// A description that names an argument or a tool that does not exist sends
// the model astray.
func TestDescriptionsNameOnlyWhatExists(t *testing.T) {
	word := regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)
	answers := jsonFields(t, reflect.TypeFor[store.Whole]())
	var tools []string
	arguments := make(map[string]bool)
	for _, tool := range AllTools() {
		tools = append(tools, tool.Name)
		for _, name := range tool.names() {
			arguments[name] = true
		}
	}
	for _, tool := range AllTools() {
		said := tool.Description
		for _, p := range tool.Properties {
			said += "\n" + p.Description
		}
		for _, w := range word.FindAllString(said, -1) {
			_, answered := answers[w]
			if !answered && !slices.Contains(tools, w) && !slices.Contains(tool.names(), w) {
				t.Errorf("%s speaks of %s, which is neither a tool nor an argument of it", tool.Name, w)
			}
		}
	}
	for _, w := range word.FindAllString(instructions, -1) {
		if !slices.Contains(tools, w) && !arguments[w] {
			t.Errorf("the instructions speak of %s, which is neither a tool nor an argument", w)
		}
	}
	for _, name := range tools[:len(Tools())] { // the instructions are the same for all
		if !strings.Contains(instructions, name) {
			t.Errorf("the instructions do not mention %s", name)
		}
	}
	if len(instructions) > longestInstructions {
		t.Errorf("instructions of %d bytes", len(instructions))
	}
}

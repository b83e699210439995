package lockfile

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Files are exchanged here with the libraries of the Node original. They are
// fetched once, into the user's cache directory.

type nodeAnswer struct {
	Read []struct {
		Matter map[string]any `json:"matter"` // by gray-matter and its js-yaml 3
		YAML4  map[string]any `json:"yaml4"`  // by js-yaml 4
	} `json:"read"`
	Written []string `json:"written"`
}

type nodeFile struct {
	Data    map[string]any `json:"data"`
	Content string         `json:"content"`
}

// askNode has files read, and written, by the original's libraries.
func askNode(t *testing.T, dir string, read []string, write []nodeFile) nodeAnswer {
	t.Helper()
	cmd := exec.Command("node", "exchange.js")
	cmd.Dir = dir
	asked, err := json.Marshal(map[string]any{"read": read, "write": write})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stderr = bytes.NewReader(asked), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var a nodeAnswer
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// nodeDir is a directory with exchange.js and its libraries. It skips the test
// where they cannot be had.
func nodeDir(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("fetches Node libraries: not with -short")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no Node here to exchange files with: %v", err)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no directory for Node libraries: %v", err)
	}
	list := readTestdata(t, "node/package.json")
	var wanted struct{ Dependencies map[string]string }
	if err := json.Unmarshal(list, &wanted); err != nil {
		t.Fatal(err)
	}
	name := "node"
	for _, library := range []string{"gray-matter", "js-yaml"} {
		name += "-" + library + "-" + wanted.Dependencies[library]
	}
	dir := filepath.Join(cache, "agent-locks-test", name)
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		fetch(t, list, dir)
	}
	script := readTestdata(t, "node/exchange.js")
	work := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Skipf("no link to the Node libraries: %v", err)
	}
	if err := os.WriteFile(filepath.Join(work, "exchange.js"), script, 0o666); err != nil {
		t.Fatal(err)
	}
	return work
}

// fetch installs what list names, whole or not at all.
func fetch(t *testing.T, list []byte, dir string) {
	t.Helper()
	temp, err := os.MkdirTemp("", "agent-locks-node-")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(dir), 0o777)
	}
	if err != nil {
		t.Skipf("no room for Node libraries: %v", err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	if err := os.WriteFile(filepath.Join(temp, "package.json"), list, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=0")
	cmd.Dir, cmd.WaitDelay = temp, time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("the Node libraries cannot be fetched: %v\n%s", err, out)
	}
	if err := os.CopyFS(dir, os.DirFS(temp)); err != nil {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", "js-yaml", "package.json")); err != nil {
			t.Skipf("the Node libraries cannot be kept: %v", err)
		}
	}
}

func TestNode(t *testing.T) {
	t.Parallel()
	dir := nodeDir(t)
	t.Run("reads what we write", func(t *testing.T) { nodeReads(t, dir) })
	t.Run("writes what we read", func(t *testing.T) { nodeWrites(t, dir) })
	t.Run("keeps what the holder has seen", func(t *testing.T) { nodeKeepsSeen(t, dir) })
}

// texts are values that YAML readers may differ about: the table's, random
// ones of the shapes that ids, branches, dates and paths have, and noise.
func texts(n int) []string {
	all := append([]string{}, typedTexts...)
	r := rand.New(rand.NewPCG(1, 2))
	from := func(letters string, most int) string {
		var b strings.Builder
		for range 1 + r.IntN(most) {
			runes := []rune(letters)
			b.WriteRune(runes[r.IntN(len(runes))])
		}
		return b.String()
	}
	for len(all) < n {
		all = append(all,
			fmt.Sprintf("%08x", r.Uint32()),
			fmt.Sprintf("%de%d", r.IntN(10000), r.IntN(1000)),
			fmt.Sprintf("%04d-%02d-%02d", r.IntN(10000), r.IntN(100), r.IntN(100)),
			fmt.Sprintf("%04d-%d-%d%s%d:%02d:%02d%s", r.IntN(10000), r.IntN(20), r.IntN(40), from("Tt \t_-", 2), r.IntN(24), r.IntN(60), r.IntN(60), from("Z. +-0123:", 6)),
			from("0123456789._:eE+-xob", 8),
			from("0123456789_.e", 6),
			from("-?:,[]{}#&*!|>'\"%@`~<= \\a1", 10),
			from("aB0-_./ #:äß漢🚀\u00a0\u200b\u0085\u2028\ufeff", 8),
			from("tTrRuUeEfFaAlLsSyYnNoO", 3),
			from("src/*{}[](),!@a.ts ", 100),
		)
	}
	return all[:n]
}

// What we write, the original's libraries read as the very same texts.
func nodeReads(t *testing.T, dir string) {
	values := texts(8000)
	var files []string
	var wants []map[string]any
	for chunk := range slices.Chunk(values, 8) {
		l := example(t)
		if ValidID(chunk[0]) == nil {
			l.ID = chunk[0]
		}
		l.AgentID, l.ParentAgentID = &chunk[0], &chunk[1]
		l.Branch, l.Head, l.Worktree, l.Repository = "b"+chunk[2], chunk[3], chunk[4], chunk[5]
		l.Scope = chunk
		l.Outcome, l.MovedTo = Done, chunk[6]
		f, err := New(l)
		if err != nil {
			continue // a line break in an id, say
		}
		files = append(files, string(f.Bytes()))
		wants = append(wants, map[string]any{
			"id": l.ID, "agent_id": chunk[0], "parent_agent_id": chunk[1], "branch": "b" + chunk[2], "head": chunk[3],
			"worktree": chunk[4], "repository": chunk[5], "moved_to": chunk[6], "outcome": Done, "status": Active,
			"created": l.Created.String(), "updated": l.Updated.String(), "scope": anys(chunk),
		})
	}
	if len(files) < len(values)/8*9/10 {
		t.Fatalf("only %d files of %d values", len(files), len(values))
	}
	for i, got := range askNode(t, dir, files, []nodeFile{}).Read {
		for reader, data := range map[string]map[string]any{"gray-matter": got.Matter, "js-yaml 4": got.YAML4} {
			for _, optional := range []string{"head", "worktree", "repository", "moved_to"} {
				if _, ok := data[optional]; !ok && wants[i][optional] == "" {
					data[optional] = ""
				}
			}
			if diff := cmp.Diff(wants[i], data); diff != "" {
				t.Errorf("%s (-want +got)\n%s\n%s", reader, diff, files[i])
			}
		}
		if t.Failed() {
			return
		}
	}
}

func anys(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// What the original's library writes (quoted, folded at 80 columns, numbers
// for what it once took for numbers) we read as the very same texts.
func nodeWrites(t *testing.T, dir string) {
	long := strings.Repeat("a directory with a long name/", 8)
	values := append(texts(4000), long, " "+long, long+" ", strings.Repeat("x", 200), "# "+long, long+": "+long, "'"+long+"'", long+"\\"+long)
	var files []nodeFile
	for chunk := range slices.Chunk(values, 4) {
		if strings.ContainsAny(strings.Join(chunk, ""), "\n\r") {
			continue
		}
		files = append(files, nodeFile{
			Content: "\n# Title\n\n- [x] One\n",
			Data: map[string]any{
				"id": fuzzID, "agent_id": chunk[0], "parent_agent_id": nil, "status": Active, "created": "2026-07-17T18-45-12",
				"updated": "2026-07-17T18-45-12", "scope": chunk, "repository": chunk[1], "branch": chunk[2], "head": chunk[3],
			},
		})
	}
	for i, written := range askNode(t, dir, []string{}, files).Written {
		f, err := Parse(fuzzID, []byte(written))
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		chunk := files[i].Data["scope"].([]string)
		got := append([]string{agentText(f), f.Lock.Repository, f.Lock.Branch, f.Lock.Head}, f.Lock.Scope...)
		if diff := cmp.Diff(append(append([]string{}, chunk...), chunk...), got); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, written)
		}
		// An edit of ours leaves what it is not about, folded as it is.
		if _, err := f.With(Edit{Set: []KeyValue{{"updated", "2026-07-18T00-00-00"}, {"agent_id", "x"}}, AddNotes: []string{"n"}}); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
	}
}

func agentText(f *File) string {
	if f.Lock.AgentID == nil {
		return ""
	}
	return *f.Lock.AgentID
}

// The original keeps our keys and notes when it rewrites a file, and a note that
// it adds is new to the holder.
func nodeKeepsSeen(t *testing.T, dir string) {
	stamp := Stamp{Time: time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC), Raw: "2026-07-17T18-45-12"}
	for _, seen := range []Seen{{{1, 3}}, {{1, 1}, {3, 3}}, {{2, 3}}, {{3, 3}}} {
		ours, err := New(Lock{ID: fuzzID, Title: "t", Status: Active, Created: stamp, Scope: []string{"a"},
			Notes: []string{"one", "(from b) two\nlines", "three"}, NotesSeen: seen, WaitingForPerson: stamp})
		if err != nil {
			t.Fatal(err)
		}
		read := askNode(t, dir, []string{string(ours.Bytes())}, []nodeFile{}).Read[0].Matter
		data := map[string]any{}
		for key, value := range read {
			if named, ok := value.(map[string]any); ok { // a number
				value = json.Number(strings.TrimPrefix(named["not a text"].(string), "[object Number] "))
			}
			data[key] = value
		}
		_, body, _ := strings.Cut(string(ours.Bytes()), "\n---\n")
		written := askNode(t, dir, []string{}, []nodeFile{{Data: data, Content: body + "- four\n"}}).Written[0]
		theirs, err := Parse(fuzzID, []byte(written))
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if !slices.Equal(theirs.Lock.NotesSeen, seen) || theirs.Lock.WaitingForPerson != stamp || len(theirs.Lock.Warnings) > 0 {
			t.Errorf("%v: %+v\n%s", seen, theirs.Lock, written)
		}
		if want := append(ours.Lock.Unseen(), 4); !slices.Equal(theirs.Lock.Unseen(), want) {
			t.Errorf("%v: unseen are %v, not %v", seen, theirs.Lock.Unseen(), want)
		}
	}
}

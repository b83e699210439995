package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

// Whatever a list of an answer is about, what is omitted of it is counted, or
// named.
func TestEachListCountsWhatItOmits(t *testing.T) {
	t.Parallel()
	var sweep func(typ reflect.Type, top bool)
	sweep = func(typ reflect.Type, top bool) {
		if typ.Kind() == reflect.Slice {
			sweep(typ.Elem(), false)
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			switch {
			case f.Anonymous:
				sweep(f.Type, top)
			case f.Type.Kind() != reflect.Slice:
			case top && isRow(f.Type.Elem()): // omit names them
				sweep(f.Type, false)
			default:
				count, ok := typ.FieldByName(f.Name + "LeftOut")
				if !ok || count.Type.Kind() != reflect.Int || jsonName(count) != jsonName(f)+"LeftOut" {
					t.Errorf("%s.%s: no %sLeftOut counts what a short answer omits", typ, f.Name, f.Name)
				}
				sweep(f.Type, false)
			}
		}
	}
	sweep(reflect.TypeFor[store.Refusal](), true)
	for _, tool := range AllTools() {
		sweep(tool.operation.result, true)
	}
}

// anyText is a text as a file written by hand may have it.
func anyText(t *rapid.T) string {
	unit := rapid.SampledFrom([]string{"x", `"`, "\n", "<é>", "\x01", "\U000e0041", "漢"}).Draw(t, "unit")
	return strings.Repeat(unit, rapid.SampledFrom([]int{0, 1, 30, 900, 30_000}).Draw(t, "length"))
}

func anyTexts(t *rapid.T) []string {
	list := make([]string, rapid.SampledFrom([]int{0, 1, 3, 300}).Draw(t, "entries"))
	text := anyText(t)
	for i := range list {
		list[i] = text
	}
	return list[:min(len(list), 1<<20/max(len(text), 1))] // as in a file
}

func anySummary(t *rapid.T, id int) store.Summary {
	agent, texts := anyText(t), anyTexts(t)
	s := store.Summary{
		ID: fmt.Sprintf("2026-07-17T18-45-12-lock-%d", id), Title: anyText(t), Status: "active", Scope: texts, AgentID: &agent, ParentAgentID: &agent,
		Branch: anyText(t), Worktree: anyText(t), Repository: "/r", LastNote: anyText(t), Blocks: rapid.Bool().Draw(t, "blocks"), Stale: rapid.Bool().Draw(t, "stale"),
	}
	for _, text := range texts {
		s.Overlaps = append(s.Overlaps, overlap.Pair{Yours: text, Theirs: text, Example: text})
	}
	return s
}

func anySummaries(t *rapid.T) []store.Summary {
	list := make([]store.Summary, rapid.SampledFrom([]int{0, 1, 5, 60, 600}).Draw(t, "locks"))
	some := anySummary(t, 0)
	for i := range list {
		list[i] = some
		list[i].ID = fmt.Sprintf("2026-07-17T18-45-12-lock-%d", i)
		list[i].Blocks = i%97 == 0
	}
	return list
}

// A sentence that has to be escaped leaves room for the ids of what is omitted.
func TestRefusalInOddTextNamesAll(t *testing.T) {
	t.Parallel()
	locks := make([]store.Summary, 800)
	for i := range locks {
		locks[i] = store.Summary{ID: fmt.Sprintf("2026-07-17T18-45-12-lock-%d", i), Status: "active"}
	}
	odd := strings.Repeat("\U000e0041<\x01", 30_000)
	r := createTool().failure(&store.Error{Code: store.Conflict, Message: "not claimed: " + odd, Hint: odd,
		Detail: store.Refusal{Code: store.Conflict, Overlaps: locks}}, []string{odd, odd, odd, odd, odd}, answerRoom)
	encoded, err := json.Marshal(r)
	if err != nil || len(encoded) > answerRoom || !bytes.Contains(encoded, []byte("not claimed: ")) {
		t.Errorf("%d bytes, %v", len(encoded), err)
	}
	for _, l := range locks {
		if !bytes.Contains(encoded, []byte(l.ID)) {
			t.Fatalf("%s is not named", l.ID)
		}
	}
}

// No answer is over 64 KiB, as it is sent, and none hides a lock that overlaps.
func TestNoAnswerIsTooLongOrHidesALock(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	waiter := func(t *rapid.T) []store.Waiter {
		return []store.Waiter{{Scope: anyTexts(t), Since: "s"}, {Scope: anyTexts(t)}}
	}
	rapid.Check(t, func(t *rapid.T) {
		locks := anySummaries(t)
		whole := store.Whole{Summary: anySummary(t, 0), Notes: anyTexts(t), FilePath: "/f", Waiting: waiter(t)}
		for _, text := range anyTexts(t) {
			whole.Tasks = append(whole.Tasks, lockfile.Task{Text: text})
		}
		drift := store.LockDrift{LockID: "one", Outside: anyTexts(t), Changed: anyTexts(t)}
		for _, l := range locks {
			drift.HeldByOthers = append(drift.HeldByOthers, store.Held{LockID: l.ID, Title: l.Title, AgentID: l.AgentID})
		}
		var reaped []store.Reaped
		for _, l := range locks {
			reaped = append(reaped, store.Reaped{ID: l.ID, Title: l.Title})
		}
		warnings := anyTexts(t)
		err := &store.Error{Code: store.Conflict, Message: anyText(t), Hint: anyText(t), Detail: store.Refusal{Code: store.Conflict, Overlaps: locks, Waiting: waiter(t)}}
		naming := []any{
			locks, store.Created{ID: "new", FilePath: "/f", Overlaps: locks}, store.Waited{Overlaps: locks}, err,
			store.Updated{ID: "one", Overlaps: locks, Waiting: waiter(t)}, store.Reopened{ID: "one", Overlaps: locks}, []store.LockDrift{drift},
		}
		foreseen := store.Foreseen{Clean: 1}
		for _, l := range locks {
			side := store.ForecastSide{Worktree: anyText(t), Branch: anyText(t), LockID: l.ID, Title: l.Title, AgentID: l.AgentID}
			pair := store.ForecastPair{Yours: side, Theirs: side, State: store.WillConflict, Why: anyText(t)}
			for _, path := range anyTexts(t) {
				pair.Files = append(pair.Files, store.ForecastFile{Path: path, Kind: "content", Lines: [][2]int{{1, 2}}, CoveredBy: []string{l.ID}})
			}
			foreseen.Pairs = append(foreseen.Pairs, pair)
		}
		results := append(naming, foreseen, whole, []store.Whole{whole, whole}, reaped, store.Refreshed{ID: "one", Waiting: waiter(t)})
		n := rapid.IntRange(0, len(results)-1).Draw(t, "result")
		var r *mcp.CallToolResult
		if failed, ok := results[n].(error); ok {
			r = createTool().failure(failed, warnings, answerRoom)
		} else {
			r = createTool().success(results[n], warnings, answerRoom)
		}
		encoded, fault := json.Marshal(r)
		if fault != nil || len(encoded) > answerRoom {
			t.Fatalf("%T: %d bytes, %v", results[n], len(encoded), fault)
		}
		if n >= len(naming) {
			return
		}
		var text strings.Builder
		for _, block := range r.Content {
			text.WriteString(block.(*mcp.TextContent).Text + "\n")
		}
		said := idsIn(text.String())
		for i := range locks {
			if !said[locks[i].ID] {
				t.Fatalf("%T does not name lock %d of %d", results[n], i, len(locks))
			}
		}
	})
}

// idsIn are the words of a text that may be ids.
func idsIn(text string) map[string]bool {
	ids := map[string]bool{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '-' && (r < '0' || r > 'z') }) {
		ids[word] = true
	}
	return ids
}

// What blocks stays in the list when there is no room for all; ids come before
// the bound where the two cannot both be had.
func TestTheLocksThatBlockAreListedLongest(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	locks := make([]store.Summary, 10_000)
	for i := range locks {
		locks[i] = store.Summary{ID: fmt.Sprintf("2026-07-17T18-45-12-lock-%d", i), Scope: []string{"src"}, Blocks: i == 5000, Stale: i < 4000}
	}
	f, err := fit(store.Refusal{Overlaps: locks}, answerRoom)
	if err != nil {
		t.Fatal(err)
	}
	named := idsIn(f.text + " " + f.notes[len(f.notes)-1])
	for i := range locks {
		if !named[locks[i].ID] {
			t.Fatalf("%s is not named", locks[i].ID)
		}
	}
	if n := f.size(); n > answerRoom+10_000*len("2026-07-17T18-45-12-lock-10000, ") {
		t.Errorf("%d bytes", n)
	}
	f, err = fit(store.Refusal{Overlaps: locks[4000:5100]}, answerRoom)
	if err != nil || f.size() > answerRoom || !strings.Contains(f.text, `lock-5000"`) || !strings.Contains(f.text, `lock-5099"`) {
		t.Errorf("%d bytes, %v: %.200s", f.size(), err, f.text)
	}
}

// Of a forecast files are omitted first, then pairs that could not be judged.
func TestAForecastKeepsItsPairsLongest(t *testing.T) {
	t.Parallel()
	conflicting := func(place string, files int) store.ForecastPair {
		p := store.ForecastPair{State: store.WillConflict, Yours: store.ForecastSide{Worktree: "/w/" + place}, Theirs: store.ForecastSide{Worktree: "/w/main"}}
		for i := range files {
			p.Files = append(p.Files, store.ForecastFile{Path: fmt.Sprintf("gen/some-file-%d.go", i), Kind: "both_added", Lines: [][2]int{{1, 1}}, CoveredBy: []string{}})
		}
		return p
	}
	told := func(pairs ...store.ForecastPair) (store.Foreseen, string) {
		t.Helper()
		f, err := fit(store.Foreseen{Pairs: pairs}, answerRoom-frameRoom)
		if err != nil || f.size() > answerRoom-frameRoom || len(f.notes) == 0 {
			t.Fatalf("%d bytes, notes %q, %v", f.size(), f.notes, err)
		}
		var short store.Foreseen
		if err := json.Unmarshal([]byte(f.text), &short); err != nil {
			t.Fatal(err)
		}
		return short, strings.Join(f.notes, "\n")
	}
	for _, n := range gittest.Some(2, []int{1, 3, 100}) {
		var pairs []store.ForecastPair
		place := strings.Repeat("x", 40)
		for range n {
			pairs = append(pairs, conflicting(place, 900))
		}
		short, notes := told(pairs...)
		if len(short.Pairs) != n || short.PairsLeftOut != 0 || !strings.Contains(notes, "`scope`") || strings.Contains(notes, "lock_show") {
			t.Fatalf("%d of %d pairs, %d left out: %s", len(short.Pairs), n, short.PairsLeftOut, notes)
		}
		for _, p := range short.Pairs {
			if len(p.Files)+p.FilesLeftOut != 900 || n < 100 && len(p.Files) < 20 || p.State != store.WillConflict || p.Yours.Worktree != "/w/"+place {
				t.Fatalf("of %d pairs one has %d files, and %d left out: %+v", n, len(p.Files), p.FilesLeftOut, p.Yours)
			}
		}
	}
	var pairs []store.ForecastPair
	for i := range 2000 {
		p := conflicting(fmt.Sprint(i), 3)
		if i < 1900 {
			p.State = store.NotAssessed
		}
		pairs = append(pairs, p)
	}
	short, _ := told(pairs...)
	kept := len(short.Pairs)
	if kept < 150 || kept+short.PairsLeftOut != 2000 || short.Pairs[kept-1].Yours.Worktree != "/w/1999" || short.Pairs[0].Yours.Worktree != "/w/0" {
		t.Errorf("%d pairs, %d left out", kept, short.PairsLeftOut)
	}
}

func TestWireSizeIsWhatAMessageTakes(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"x", `"`, `\`, "\n", "\t", "\x01", "\x7f", "<", "&", "é", "\u2028", "…", "漢", "🎯", `\u200b`} {
		text := strings.Repeat(unit, 100)
		encoded, err := json.Marshal(text)
		if got := wireSize(text); err != nil || got < len(encoded) || got > 3*len(encoded) || unit != "\t" && unit != "…" && got != len(encoded) {
			t.Errorf("%q: %d bytes, and %d in JSON, %v", unit, got, len(encoded), err)
		}
	}
}

func TestLimitAsksForALongerAnswer(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]int{
		`{}`: answerRoom, ``: answerRoom, `{"limit":null}`: answerRoom, `{"limit":5}`: answerRoom, `{"limit":"many"}`: answerRoom,
		`{"limit":100}`: 400 << 10, `{"limit":"100"}`: 400 << 10, `{"limit":9007199254740992}`: maxAnswer, `{"limit":-3}`: answerRoom,
	} {
		if got := queryTool().room(json.RawMessage(arguments)); got != want {
			t.Errorf("%s: %d bytes, want %d", arguments, got, want)
		}
	}
}

// A store that somebody filled by hand makes no answer of any tool too long.
func TestHostileStoresMakeNoLongAnswers(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.invalid"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "first")
	locks := filepath.Join(dir, ".git", "agents-locks")
	write := func(name, agent, scope string, head ...string) {
		t.Helper()
		text := fmt.Sprintf("---\nid: %s\nagent_id: %s\nstatus: active\ncreated: 2026-07-17T18-45-12\nupdated: 2026-07-17T18-45-12\nworktree: %s\nscope:\n%s---\n\n# %s\n\n- [ ] task\n\n## Notes\n- %s\n",
			name, agent, dir, scope, strings.Join(append(head, "title"), ""), strings.Repeat("note ", 20))
		if err := os.WriteFile(filepath.Join(locks, name+".md"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(locks, 0o777); err != nil {
		t.Fatal(err)
	}
	many := 400
	var ids []string
	for i := range many {
		id := fmt.Sprintf("2026-07-17T18-45-12-many-%d", i)
		ids = append(ids, id)
		write(id, "somebody", "  - src/**\n")
	}
	long := ""
	for i := range 200 {
		long += fmt.Sprintf("  - src/%d/%s\n", i, strings.Repeat("x", 4000))
	}
	ids = append(ids, "2026-07-17T18-45-12-agent", "2026-07-17T18-45-12-scope", "2026-07-17T18-45-12-title")
	write(ids[many], strings.Repeat("a", 900_000), "  - src/**\n")
	write(ids[many+1], "them", long)
	write(ids[many+2], "them", "  - src/**\n", strings.Repeat("t", 900_000))
	for i := range 200 {
		if err := os.WriteFile(filepath.Join(locks, fmt.Sprintf("2026-07-17T18-45-12-bad-%d.md", i)), []byte("no lock"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	gen := filepath.Join(dir, "src")
	if err := os.MkdirAll(gen, 0o777); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		if err := os.WriteFile(filepath.Join(gen, fmt.Sprintf("some-long-file-name-%d.js", i)), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2026, 7, 17, 18, 50, 0, 0, time.UTC)
	s := &store.Store{
		Now:     func() time.Time { return at },
		Getwd:   func() (string, error) { return dir, nil },
		Environ: func() []string { return append(os.Environ(), "AGENT_LOCKS_AGENT_ID=") },
	}
	call := func(tool, arguments string) (string, int) {
		t.Helper()
		req := &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{Name: tool, Arguments: json.RawMessage(arguments)}}
		r, err := toolNamed(t, tool).handler(s, overStdio(), slog.New(slog.DiscardHandler))(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		encoded, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, block := range r.Content {
			all.WriteString(block.(*mcp.TextContent).Text + "\n")
		}
		return all.String(), len(encoded)
	}
	for _, c := range []struct {
		tool, arguments string
		names           bool
	}{
		{"lock_query", `{}`, false},
		{"lock_query", `{"text":"title","limit":15}`, false},
		{"lock_check_conflict", `{"scope":["src/**"]}`, true},
		{"lock_create", `{"title":"t","scope":["src"],"if_free":true,"agent_id":"me"}`, true},
		{"lock_wait", `{"scope":["src"],"timeout_seconds":2,"agent_id":"me"}`, true},
		{"lock_create", `{"title":"t","scope":["src"],"agent_id":"me"}`, true},
		{"lock_show", `{"lock_id":"` + ids[many] + `"}`, false},
		{"lock_show", `{"lock_id":"` + ids[many+1] + `"}`, false},
		{"lock_show", `{"lock_id":"` + ids[many+2] + `"}`, false},
		{"lock_heartbeat", `{"lock_id":"` + ids[many] + `"}`, false},
		{"lock_finish", `{"lock_id":"` + ids[many] + `","agent_id":"me"}`, false},
		{"lock_create", `{"title":"t","scope":["docs"],"agent_id":"you"}`, false},
		{"lock_drift", `{"agent_id":"you"}`, true},
		{"lock_reap", `{"dry_run":true,"stale_minutes":1}`, false},
	} {
		text, size := call(c.tool, c.arguments)
		if size > answerRoom {
			t.Errorf("%s %s: %d bytes", c.tool, c.arguments, size)
		}
		for i, id := range ids {
			ended := c.tool == "lock_drift" && (i == many || i == many+1) // or covers none of what changed
			if c.names && !ended && !strings.Contains(text, id) {
				t.Errorf("%s %s does not name %s: %.500s", c.tool, c.arguments, id, text)
				break
			}
		}
	}
	if text, _ := call("lock_query", `{}`); strings.Count(text, `"id":`) != 100 || !strings.Contains(text, "omitted by `limit` 100") {
		t.Errorf("by default: %.300s", text)
	}
	if text, size := call("lock_query", `{"limit":10000}`); strings.Count(text, `"id":`) != len(ids)+2 || size < answerRoom {
		t.Errorf("when asked for: %d locks, %d bytes", strings.Count(text, `"id":`), size)
	}
}

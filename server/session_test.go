package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/store"
)

type object = map[string]any

// answer makes a call that must succeed without a warning, and reads its
// answer into into.
func answer(t *testing.T, client *mcp.ClientSession, tool string, args, into any) {
	t.Helper()
	texts, isError := callTool(t, client, tool, args)
	if isError || len(texts) != 1 {
		t.Fatalf("%s %v: isError %v, %q", tool, args, isError, texts)
	}
	if err := json.Unmarshal([]byte(texts[0]), into); err != nil {
		t.Fatalf("%s answered %s: %v", tool, texts[0], err)
	}
}

// refused makes a call that must fail with a sentence that begins so.
func refused(t *testing.T, client *mcp.ClientSession, tool string, args any, sentence string) {
	t.Helper()
	texts, isError := callTool(t, client, tool, args)
	if !isError || len(texts) == 0 || !strings.HasPrefix(texts[0], sentence) {
		t.Errorf("%s %v: isError %v, %q; want %q...", tool, args, isError, texts, sentence)
	}
}

// The workflow that the instructions teach, by two agents in two worktrees.
func TestTheWorkflowOfTwoAgents(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	alice, _ := connect(t, r.store(r.main), Tools())
	bob, _ := connect(t, r.store(r.link), Tools())

	var free []store.Summary
	answer(t, alice, "lock_query", nil, &free)
	answer(t, alice, "lock_check_conflict", object{"scope": []string{"src/**"}}, &free)
	if len(free) != 0 {
		t.Fatalf("a fresh repository has %v", free)
	}
	if _, err := os.Stat(r.locks()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking made %s (%v)", r.locks(), err)
	}

	var claim store.Created
	answer(t, alice, "lock_create", object{
		"title": "Add route tests", "scope": []string{"src/**"}, "tasks": []string{"unit", "integration"}, "agent_id": "alice",
	}, &claim)
	const id = "2026-07-17T18-45-12-add-route-tests"
	if claim.ID != id || filepath.ToSlash(claim.FilePath) != filepath.ToSlash(filepath.Join(r.locks(), id+".md")) || len(claim.Overlaps) != 0 {
		t.Errorf("claimed %+v", claim)
	}

	var met []store.Summary
	answer(t, bob, "lock_check_conflict", object{"scope": "src/a.go"}, &met)
	if len(met) != 1 || met[0].ID != id || *met[0].AgentID != "alice" || *met[0].SameWorktree || len(met[0].Overlaps) != 1 {
		t.Errorf("bob meets %+v", met)
	}
	var second store.Created
	answer(t, bob, "lock_create", object{"title": "Fix a", "scope": "src/a.go"}, &second)
	if len(second.Overlaps) != 1 || second.Overlaps[0].ID != id {
		t.Errorf("bob's claim overlaps %+v", second.Overlaps)
	}

	var updated store.Updated
	answer(t, alice, "lock_update", object{"lock_id": id, "task_text": "unit", "note": "watch the clock"}, &updated)
	if updated.PercentComplete != 50 {
		t.Errorf("updated: %+v", updated)
	}
	var beat store.Heartbeat
	answer(t, alice, "lock_heartbeat", object{"lock_id": id}, &beat)
	if beat != (store.Heartbeat{ID: id, Updated: "2026-07-17T18-45-12"}) {
		t.Errorf("heartbeat: %+v", beat)
	}
	var whole store.Whole
	answer(t, bob, "lock_show", object{"lock_id": id}, &whole)
	if len(whole.Tasks) != 2 || !whole.Tasks[0].Done || whole.Tasks[1].Done || len(whole.Notes) != 1 || whole.Notes[0] != "watch the clock" {
		t.Errorf("shown: %+v", whole)
	}

	var finished store.Finished
	answer(t, alice, "lock_finish", object{"lock_id": id, "summary": "tests added"}, &finished)
	if want := filepath.ToSlash(filepath.Join(r.locks(), "done", id+".md")); filepath.ToSlash(finished.FilePath) != want {
		t.Errorf("finished %+v, want %s", finished, want)
	}
	refused(t, alice, "lock_heartbeat", object{"lock_id": id}, `lock "`+id+`"`)

	var done, reaped []store.Summary
	answer(t, bob, "lock_query", object{"status": "done"}, &done)
	if len(done) != 1 || done[0].ID != id {
		t.Errorf("done: %+v", done)
	}
	answer(t, bob, "lock_reap", object{"dry_run": "true"}, &reaped)
	if len(reaped) != 0 {
		t.Errorf("reaped: %+v", reaped)
	}
}

// A tool's answer is the operation's result in the store's own encoding, from
// which the command line prints as well.
func TestAnswersAreTheStoresBytes(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	s := r.store(r.main)
	client, _ := connect(t, s, Tools())
	var claim store.Created
	answer(t, client, "lock_create", object{"title": "a <b> & \"c\"", "scope": "src/**"}, &claim)

	listed, err := s.Query(t.Context(), store.QueryRequest{})
	if err != nil {
		t.Fatal(err)
	}
	shown, err := s.Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: claim.ID}})
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]any{"lock_query": listed.Result, "lock_show": shown.Result} {
		args := object{}
		if tool == "lock_show" {
			args["lock_id"] = claim.ID
		}
		encoded, err := store.Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		texts, isError := callTool(t, client, tool, args)
		if diff := cmp.Diff([]string{string(encoded)}, texts); diff != "" || isError {
			t.Errorf("%s: isError %v (-want +got):\n%s", tool, isError, diff)
		}
	}
}

// Explicit nothings: null is an omission everywhere, "" where it cannot mean
// another target.
func TestNothingsArriveAsOmissions(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	client, _ := connect(t, r.store(r.main), Tools())
	var claim store.Created
	answer(t, client, "lock_create", object{"title": "n", "scope": []string{"a/b"}, "tasks": nil, "agent_id": nil, "parent_agent_id": nil, "base_dir": nil}, &claim)
	var found []store.Summary
	answer(t, client, "lock_query", object{"status": nil, "scope": nil, "agent_id": nil, "text": nil, "base_dir": nil}, &found)
	if len(found) != 1 || found[0].ID != claim.ID || found[0].AgentID != nil {
		t.Errorf("found %+v", found)
	}
	answer(t, client, "lock_query", object{"status": "", "scope": []string{}, "agent_id": "", "text": ""}, &found)
	if len(found) != 1 {
		t.Errorf("found %+v", found)
	}
	var reaped []store.Reaped
	answer(t, client, "lock_reap", object{"lock_id": nil, "dry_run": nil}, &reaped)
	refused(t, client, "lock_query", object{"base_dir": ""}, `argument "base_dir" must not be empty`)
	refused(t, client, "lock_reap", object{"lock_id": ""}, `argument "lock_id" must not be empty`)
	refused(t, client, "lock_heartbeat", object{"lock_id": nil}, `missing required argument "lock_id"`)
}

// A misspelt base_dir must not file the claim in the server's repository.
func TestMisspeltArgumentsChangeNothing(t *testing.T) {
	t.Parallel()
	here, there := newRepository(t), newRepository(t)
	client, _ := connect(t, here.store(here.main), Tools())
	refused(t, client, "lock_create", object{"title": "typo", "scope": []string{"a/b"}, "basedir": there.main}, `unknown argument "basedir"`)
	refused(t, client, "lock_reap", object{"dryrun": true}, `unknown argument "dryrun"`)
	for _, r := range []*repository{here, there} {
		if _, err := os.Stat(r.locks()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there (%v)", r.locks(), err)
		}
	}
	var claim store.Created
	answer(t, client, "lock_create", object{"title": "right", "scope": []string{"a/b"}, "base_dir": there.link}, &claim)
	if filepath.ToSlash(filepath.Dir(claim.FilePath)) != filepath.ToSlash(there.locks()) {
		t.Errorf("claimed in %s", claim.FilePath)
	}
}

// One bad file neither hides the others nor changes the answer's shape.
func TestUnreadableFilesAreWarnedOf(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	client, _ := connect(t, r.store(r.main), Tools())
	var claim store.Created
	answer(t, client, "lock_create", object{"title": "good", "scope": []string{"src/**"}}, &claim)
	if err := os.WriteFile(filepath.Join(r.locks(), "empty.md"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for tool, args := range map[string]object{"lock_query": {}, "lock_check_conflict": {"scope": "src/a"}, "lock_reap": {"dry_run": true}} {
		texts, isError := callTool(t, client, tool, args)
		if isError || len(texts) != 2 {
			t.Errorf("%s: isError %v, %q", tool, isError, texts)
			continue
		}
		var list []object
		if err := json.Unmarshal([]byte(texts[0]), &list); err != nil {
			t.Errorf("%s answered %s: %v", tool, texts[0], err)
		}
		if !strings.HasPrefix(texts[1], "warning: ") || !strings.Contains(texts[1], "empty.md") {
			t.Errorf("%s warns %q", tool, texts[1])
		}
	}
}

func TestOutsideARepositoryCallsSayWhereTheyLooked(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	nowhere := filepath.Dir(r.main)
	client, _ := connect(t, r.store(nowhere), Tools())
	texts, isError := callTool(t, client, "lock_query", nil)
	if !isError || !strings.Contains(texts[0], fmt.Sprintf("%q", nowhere)) || !strings.Contains(texts[0], "base_dir") {
		t.Errorf("isError %v, %q", isError, texts)
	}
	var found []store.Summary
	answer(t, client, "lock_query", object{"base_dir": r.link}, &found)
}

func TestClaimsAtOnceAreAllDistinct(t *testing.T) {
	t.Parallel()
	const claims = 20
	r := newRepository(t)
	client, _ := connect(t, r.store(r.main), Tools())
	ids := make([]string, claims)
	var at sync.WaitGroup
	for i := range claims {
		at.Go(func() {
			result, err := client.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "lock_create", Arguments: object{"title": "same", "scope": fmt.Sprintf("p/%d", i)},
			})
			if err != nil || result.IsError {
				t.Errorf("claim %d: %v, %+v", i, err, result)
				return
			}
			var claim store.Created
			if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &claim); err != nil {
				t.Error(err)
			}
			ids[i] = claim.ID
		})
	}
	at.Wait()
	seen := make(map[string]bool)
	for _, id := range ids {
		seen[id] = true
	}
	var found []store.Summary
	answer(t, client, "lock_query", nil, &found)
	if len(seen) != claims || len(found) != claims {
		t.Errorf("%d claims got %d ids and made %d locks", claims, len(seen), len(found))
	}
}

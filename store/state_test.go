package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func (w *world) set(name, text string, ifVersion int64) (int64, error) {
	a, err := w.at(w.main, "AGENT_LOCKS_AGENT_ID=agent-2").SetState(background, store.SetStateRequest{Name: name, Text: &text, IfVersion: &ifVersion})
	return a.Result.Version, err
}

func (w *world) mustSet(name, text string, ifVersion int64, scope ...string) {
	w.t.Helper()
	_, err := w.at(w.main, "AGENT_LOCKS_AGENT_ID=agent-2").SetState(background,
		store.SetStateRequest{Name: name, Text: &text, IfVersion: &ifVersion, Scope: scope})
	if err != nil {
		w.t.Fatalf("set %s: %v", name, err)
	}
}

func (w *world) get(name string) (store.StateEntry, error) {
	a, err := w.at(w.link).GetState(background, store.GetStateRequest{Name: name})
	return a.Result, err
}

func conflictOf(t *testing.T, err error) store.StateConflict {
	t.Helper()
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is a %T", err, err)
	}
	c, ok := e.Detail.(store.StateConflict)
	if !ok {
		t.Fatalf("the detail of %v is a %T", err, e.Detail)
	}
	return c
}

func TestAnEntryIsAFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("api/limits", "10 a minute", 0, "./src/api/**")
	w.pass(time.Hour)
	w.mustSet("api/limits", "At most 100 requests a minute.\n", 1)
	const want = `---
name: api/limits
version: 2
created: 2026-07-17T18-45-12
updated: 2026-07-17T19-45-12
agent_id: agent-2
scope:
  - src/api/**
---

At most 100 requests a minute.

`
	if diff := cmp.Diff(want, w.read("state", "api", "limits.md")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if past := w.read("state", ".past", "api", "limits", "1.md"); !strings.HasSuffix(past, "\n10 a minute\n") {
		t.Errorf("the past version is %q", past)
	}
	got, err := w.get("api/limits")
	agent := "agent-2"
	if diff := cmp.Diff(store.StateEntry{
		Name: "api/limits", Version: 2, AgentID: &agent, Created: "2026-07-17T18-45-12", Updated: "2026-07-17T19-45-12",
		Scope: []string{"src/api/**"}, Text: "At most 100 requests a minute.\n", FilePath: filepath.Join(w.dir(), "state", "api", "limits.md"),
	}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	list, err := w.at(w.main).Query(background, store.QueryRequest{Status: "all"})
	if err != nil || len(list.Result) > 0 || len(list.Warnings) > 0 {
		t.Errorf("a listing of locks has %v, %q, %v", list.Result, list.Warnings, err)
	}
}

func TestNothingIsOverwrittenUnseen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("x", "one", 0)
	before := w.read("state", "x.md")
	for _, c := range []struct {
		request store.SetStateRequest
		says    string
	}{
		{store.SetStateRequest{Name: "x", Text: ptr("two")}, "no version was given"},
		{store.SetStateRequest{Name: "x", Text: ptr("two"), IfVersion: ptr[int64](0)}, "expected to be new"},
		{store.SetStateRequest{Name: "x", Text: ptr("two"), IfVersion: ptr[int64](7)}, "not 7"},
		{store.SetStateRequest{Name: "x", Mode: "delete"}, "no version was given"},
		{store.SetStateRequest{Name: "x", Mode: "delete", IfVersion: ptr[int64](2)}, "not 2"},
	} {
		_, err := w.at(w.link).SetState(background, c.request)
		wantCode(t, err, store.VersionConflict, c.says, "version 1", `"agent-2"`, "`if_version` 1")
		if d := conflictOf(t, err); d.Code != store.VersionConflict || d.Version != 1 || *d.AgentID != "agent-2" || d.Text != "one" ||
			d.Updated != "2026-07-17T18-45-12" {
			t.Errorf("%+v", d)
		}
	}
	if w.read("state", "x.md") != before {
		t.Error("a refusal wrote")
	}
	if _, err := os.Stat(filepath.Join(w.dir(), "state", ".past")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refusal kept a version: %v", err)
	}
	if a, err := w.at(w.link).SetState(background, store.SetStateRequest{Name: "x", Text: ptr("two"), Force: true}); err != nil || a.Result.Version != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	if e, err := w.get("x"); err != nil || e.AgentID != nil || e.Text != "two" {
		t.Errorf("%+v, %v", e, err)
	}
}

// The version counter of a deleted entry continues, and the entry is not listed
// anywhere.
func TestDeletedEntriesCountOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("a/x", "one", 0, "src")
	gone, err := w.at(w.main).SetState(background, store.SetStateRequest{Name: "a/x", Mode: "delete", IfVersion: ptr[int64](1)})
	if err != nil || gone.Result.Version != 2 {
		t.Fatalf("%+v, %v", gone.Result, err)
	}
	file := w.read("state", "a", "x.md")
	if !strings.Contains(file, "version: 2\n") || !strings.Contains(file, "deleted: true\n") || strings.Contains(file, "src") {
		t.Errorf("its file is %q", file)
	}
	_, err = w.get("a/x")
	wantCode(t, err, store.StateNotFound, "was deleted as version 2")
	_, err = w.at(w.main).SetState(background, store.SetStateRequest{Name: "a/x", Mode: "delete", Force: true})
	wantCode(t, err, store.StateNotFound, "was deleted")
	list, err := w.at(w.main).ListState(background, store.ListStateRequest{})
	if err != nil || len(list.Result.Entries)+len(list.Result.Namespaces) > 0 {
		t.Errorf("%+v, %v", list.Result, err)
	}
	_, err = w.set("a/x", "again", 1)
	wantCode(t, err, store.VersionConflict, "deleted")
	if d := conflictOf(t, err); !d.Deleted || d.Version != 2 || d.Text != "" {
		t.Errorf("%+v", d)
	}
	_, err = w.at(w.main).SetState(background, store.SetStateRequest{Name: "a/x", Text: ptr("again")})
	wantCode(t, err, store.VersionConflict, "deleted")
	w.pass(time.Hour)
	w.mustSet("a/x", "again", 0)
	e, err := w.get("a/x")
	if err != nil || e.Version != 3 || e.Text != "again" || len(e.Scope) > 0 || e.Created != "2026-07-17T19-45-12" {
		t.Errorf("%+v, %v", e, err)
	}
	if v, err := w.set("a/x", "", 3); err != nil || v != 4 {
		t.Errorf("%d, %v", v, err)
	}
	if e, err := w.get("a/x"); err != nil || e.Text != "" {
		t.Errorf("an empty value: %+v, %v", e, err)
	}
	log, err := w.at(w.main).ListState(background, store.ListStateRequest{History: "a/x"})
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, v := range log.Result.Versions {
		versions = append(versions, fmt.Sprintf("%d %v %s", v.Version, v.Deleted, v.FirstLine))
	}
	if diff := cmp.Diff([]string{"4 false ", "3 false again", "2 true ", "1 false one"}, versions); diff != "" {
		t.Error(diff)
	}
	for v, want := range map[int64]string{1: "one", 3: "again", 4: ""} {
		if a, err := w.at(w.main).GetState(background, store.GetStateRequest{Name: "a/x", Version: &v}); err != nil || a.Result.Text != want || a.Result.Version != v {
			t.Errorf("version %d: %+v, %v", v, a.Result, err)
		}
	}
	a, err := w.at(w.main).GetState(background, store.GetStateRequest{Name: "a/x", Version: ptr[int64](2)})
	if err != nil || !a.Result.Deleted {
		t.Errorf("%+v, %v", a.Result, err)
	}
	wantWarning(t, a.Warnings, "was deleted as version 2")
	_, err = w.at(w.main).GetState(background, store.GetStateRequest{Name: "a/x", Version: ptr[int64](5)})
	wantCode(t, err, store.StateNotFound, "no version 5 yet", "version 4")
}

func TestTheNewestFiftyVersionsAreKept(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	for n := range int64(54) {
		w.mustSet("n", fmt.Sprint("v", n+1), n)
	}
	past, err := os.ReadDir(filepath.Join(w.dir(), "state", ".past", "n"))
	if err != nil || len(past) != 50 {
		t.Fatalf("%d past versions, %v", len(past), err)
	}
	for v, kept := range map[int64]bool{1: false, 3: false, 4: true, 53: true, 54: true} {
		a, err := w.at(w.main).GetState(background, store.GetStateRequest{Name: "n", Version: &v})
		if kept && (err != nil || a.Result.Text != fmt.Sprint("v", v)) {
			t.Errorf("version %d: %+v, %v", v, a.Result, err)
		}
		if !kept {
			wantCode(t, err, store.StateNotFound, "no longer kept")
		}
	}
}

// prune deletes past versions by when they were replaced, but never the present
// version or a deletion that keeps the counter.
func TestPruneTakesThePast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("x", "one", 0)
	w.pass(48 * time.Hour)
	w.mustSet("x", "two", 1)
	w.mustSet("gone", "one", 0)
	if _, err := w.at(w.main).SetState(background, store.SetStateRequest{Name: "gone", Mode: "delete", Force: true}); err != nil {
		t.Fatal(err)
	}
	w.pass(48 * time.Hour)
	w.mustSet("x", "three", 2)
	for _, yes := range []bool{false, true} {
		a, err := w.at(w.main).Prune(background, store.PruneRequest{OlderThan: "1d", Yes: yes})
		var ids []string
		for _, p := range a.Result {
			ids = append(ids, p.ID+" "+p.Finished)
		}
		if diff := cmp.Diff([]string{"state/gone/1 2026-07-19T18-45-12", "state/x/1 2026-07-19T18-45-12"}, ids); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	log, err := w.at(w.main).ListState(background, store.ListStateRequest{History: "x"})
	if err != nil || len(log.Result.Versions) != 2 || log.Result.Versions[1].FirstLine != "two" {
		t.Errorf("%+v, %v", log.Result, err)
	}
	if v, err := w.set("gone", "again", 0); err != nil || v != 3 {
		t.Errorf("%d, %v", v, err)
	}
}

func TestAppendAndAdd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	do := func(mode, name, text string) (store.StateWritten, error) {
		a, err := w.at(w.link, "AGENT_LOCKS_AGENT_ID=me").SetState(background, store.SetStateRequest{Name: name, Mode: mode, Text: &text})
		return a.Result, err
	}
	for _, text := range []string{"one\n", "two\nlines"} {
		if _, err := do("append", "log", text); err != nil {
			t.Fatal(err)
		}
	}
	const want = "(me, 2026-07-17T18-45-12) one\n\n(me, 2026-07-17T18-45-12) two\nlines"
	if e, err := w.get("log"); err != nil || e.Text != want || e.Version != 2 {
		t.Errorf("%+v, %v", e, err)
	}
	if n, err := do("add", "count", "-8000"); err != nil || *n.Value != -8000 || n.Version != 1 {
		t.Errorf("%+v, %v", n, err)
	}
	if n, err := do("add", "count", "9000"); err != nil || *n.Value != 1000 || n.Version != 2 {
		t.Errorf("%+v, %v", n, err)
	}
	_, err := do("append", "count", "x")
	wantCode(t, err, store.BadInput, "holds a number")
	_, err = do("add", "log", "1")
	wantCode(t, err, store.BadInput, `"log" holds a text`)
	if _, err := do("append", "log", strings.Repeat("x", 256<<10)); err == nil {
		t.Error("a value over the bound was written")
	} else {
		wantCode(t, err, store.BadInput, "at most 262144")
	}
}

// Two agents have read a budget of 10,000, and each wants to spend 8,000.
func TestABudgetIsSpentOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("budget", "10000", 0)
	errs := make(chan error, 2)
	for _, dir := range []string{w.main, w.link} {
		go func() {
			_, err := w.at(dir).SetState(background, store.SetStateRequest{Name: "budget", Mode: "add", Text: ptr("-8000"), Min: ptr[int64](0)})
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if first == nil {
		first, second = second, first
	}
	if second != nil {
		t.Fatalf("neither could: %v, %v", first, second)
	}
	wantCode(t, first, store.Conflict, "is 2000", "-6000", "below `min` 0")
	if d := conflictOf(t, first); d.Code != store.Conflict || d.Text != "2000" || d.Version != 2 {
		t.Errorf("%+v", d)
	}
	if e, err := w.get("budget"); err != nil || e.Text != "2000" || e.Version != 2 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestStateIsListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("api/limits", "At most 100\nrequests", 0, "src/api/**")
	w.mustSet("api/v2/errors", "JSON", 0, "src/api/v2", "docs/**")
	w.mustSet("apiary", "bees", 0)
	w.mustSet("next", "7", 0, "*.sql")
	for name, c := range map[string]struct {
		request store.ListStateRequest
		want    string
	}{
		"all":              {store.ListStateRequest{}, "api/limits api/v2/errors apiary next"},
		"a prefix":         {store.ListStateRequest{Prefix: "api"}, "api/limits api/v2/errors"},
		"one with a slash": {store.ListStateRequest{Prefix: "api/v2/"}, "api/v2/errors"},
		"a whole name":     {store.ListStateRequest{Prefix: "next"}, "next"},
		"none":             {store.ListStateRequest{Prefix: "ap"}, ""},
		"a scope":          {store.ListStateRequest{Scope: []string{"src/api/v2/x.go", "db/1.sql"}}, "api/limits api/v2/errors next"},
		"a text":           {store.ListStateRequest{Text: "REQ"}, "api/limits"},
		"a text in a name": {store.ListStateRequest{Text: "iary"}, "apiary"},
	} {
		a, err := w.at(w.main).ListState(background, c.request)
		var names []string
		for _, e := range a.Result.Entries {
			names = append(names, e.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != c.want || len(a.Warnings) > 0 {
			t.Errorf("%s: %s, %v, %q", name, got, err, a.Warnings)
		}
	}
	a, err := w.at(w.main).ListState(background, store.ListStateRequest{})
	if diff := cmp.Diff([]store.StateNamespace{{Namespace: "", Entries: 2}, {Namespace: "api", Entries: 2}}, a.Result.Namespaces); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if e := a.Result.Entries[0]; e.Bytes != 20 || e.FirstLine != "At most 100" || e.Version != 1 || *e.AgentID != "agent-2" {
		t.Errorf("%+v", e)
	}
	var exported []string
	if _, err := w.at(w.main).ExportState(background, store.Target{}, func(e store.StateExported) error {
		exported = append(exported, fmt.Sprint(e.Name, len(e.Past)))
		return nil
	}); err != nil || strings.Join(exported, " ") != "api/limits0 api/v2/errors0 apiary0 next0" {
		t.Errorf("%v, %v", exported, err)
	}
}

func TestAPrefixIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"api", "api/a", "api/b/c", "apiary"} {
		w.mustSet(name, "x", 0)
	}
	for _, c := range []struct {
		yes  bool
		want string
	}{{false, "api1 api/a1 api/b/c1"}, {true, "api2 api/a2 api/b/c2"}, {true, ""}} {
		a, err := w.at(w.main).DeleteStates(background, store.DeleteStatesRequest{Prefix: "api/", Yes: c.yes})
		var gone []string
		for _, g := range a.Result {
			gone = append(gone, fmt.Sprint(g.Name, g.Version))
		}
		slices.Sort(gone)
		want := strings.Fields(c.want)
		slices.Sort(want)
		if diff := cmp.Diff(want, gone); len(want)+len(gone) > 0 && diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	if _, err := w.get("apiary"); err != nil {
		t.Error(err)
	}
	_, err := w.at(w.main).DeleteStates(background, store.DeleteStatesRequest{Yes: true})
	wantCode(t, err, store.BadInput, "is empty")
	_, err = w.at(w.main).DeleteStates(background, store.DeleteStatesRequest{Prefix: "*", Yes: true})
	wantCode(t, err, store.BadInput, `"*"`)
}

// Each of these is refused with a sentence and a way out, and writes nothing,
// not even a store.
func TestBadInputToStateWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	set := func(r store.SetStateRequest) func() error {
		return func() error { _, err := w.at(w.main).SetState(background, r); return err }
	}
	get := func(r store.GetStateRequest) func() error {
		return func() error { _, err := w.at(w.main).GetState(background, r); return err }
	}
	list := func(r store.ListStateRequest) func() error {
		return func() error { _, err := w.at(w.main).ListState(background, r); return err }
	}
	for name, c := range map[string]struct {
		do   func() error
		code store.Code
		says string
	}{
		"no name":                {set(store.SetStateRequest{Text: ptr("x")}), store.BadInput, "the name is empty"},
		"a path":                 {set(store.SetStateRequest{Name: "../x", Text: ptr("x")}), store.BadInput, `"../x"`},
		"a device":               {set(store.SetStateRequest{Name: "a/nul.x", Text: ptr("x")}), store.BadInput, "device"},
		"a mode":                 {set(store.SetStateRequest{Name: "x", Text: ptr("x"), Mode: "put"}), store.BadInput, `"put"`},
		"no text":                {set(store.SetStateRequest{Name: "x"}), store.BadInput, "missing"},
		"a NUL":                  {set(store.SetStateRequest{Name: "x", Text: ptr("a\x00")}), store.BadInput, "NUL"},
		"not UTF-8":              {set(store.SetStateRequest{Name: "x", Text: ptr("a\xff")}), store.BadInput, "UTF-8"},
		"too long":               {set(store.SetStateRequest{Name: "x", Text: ptr(strings.Repeat("x", 256<<10+1))}), store.BadInput, "262145"},
		"a version below 0":      {set(store.SetStateRequest{Name: "x", Text: ptr("x"), IfVersion: ptr[int64](-1)}), store.BadInput, "-1"},
		"a version and force":    {set(store.SetStateRequest{Name: "x", Text: ptr("x"), IfVersion: ptr[int64](1), Force: true}), store.BadInput, "exclude"},
		"a version of nothing":   {set(store.SetStateRequest{Name: "x", Text: ptr("x"), IfVersion: ptr[int64](3)}), store.VersionConflict, "does not exist"},
		"a bad scope":            {set(store.SetStateRequest{Name: "x", Text: ptr("x"), Scope: []string{"/etc/**"}}), store.BadScope, "/etc/**"},
		"a bad agent":            {set(store.SetStateRequest{Name: "x", Text: ptr("x"), AgentID: ptr("a\nb")}), store.BadInput, "agent"},
		"min above max":          {set(store.SetStateRequest{Name: "x", Text: ptr("1"), Mode: "add", Min: ptr[int64](2), Max: ptr[int64](1)}), store.BadInput, "above"},
		"min of a text":          {set(store.SetStateRequest{Name: "x", Text: ptr("1"), Min: ptr[int64](2)}), store.BadInput, "no effect on set"},
		"a min that is too much": {set(store.SetStateRequest{Name: "x", Text: ptr("1"), Mode: "add", Min: ptr[int64](-1 << 60)}), store.BadInput, "2^53-1"},
		"add a text":             {set(store.SetStateRequest{Name: "x", Text: ptr("one"), Mode: "add"}), store.BadInput, "whole number"},
		"add below min":          {set(store.SetStateRequest{Name: "x", Text: ptr("-1"), Mode: "add", Min: ptr[int64](0)}), store.Conflict, "below"},
		"append nothing":         {set(store.SetStateRequest{Name: "x", Text: ptr(" "), Mode: "append"}), store.BadInput, "empty"},
		"append by force":        {set(store.SetStateRequest{Name: "x", Text: ptr("x"), Mode: "append", Force: true}), store.BadInput, "no effect"},
		"delete with a text":     {set(store.SetStateRequest{Name: "x", Text: ptr("x"), Mode: "delete", Force: true}), store.BadInput, "no effect"},
		"delete with a scope":    {set(store.SetStateRequest{Name: "x", Mode: "delete", Scope: []string{"x"}}), store.BadInput, "no effect"},
		"delete nothing":         {set(store.SetStateRequest{Name: "x", Mode: "delete", Force: true}), store.StateNotFound, "no entry"},
		"get nothing":            {get(store.GetStateRequest{Name: "x"}), store.StateNotFound, "no entry"},
		"get no name":            {get(store.GetStateRequest{Name: "X"}), store.BadInput, `"X"`},
		"get version 0":          {get(store.GetStateRequest{Name: "x", Version: ptr[int64](0)}), store.BadInput, "0"},
		"get both":               {get(store.GetStateRequest{Name: "x", Version: ptr[int64](1), After: ptr[int64](1)}), store.BadInput, "exclude"},
		"wait for nothing":       {get(store.GetStateRequest{Name: "x", WaitSeconds: ptr(1.0)}), store.BadInput, "without"},
		"wait for too long":      {get(store.GetStateRequest{Name: "x", After: ptr[int64](0), WaitSeconds: ptr(1e6)}), store.BadInput, "3600"},
		"wait after the future":  {get(store.GetStateRequest{Name: "x", After: ptr[int64](5)}), store.StateNotFound, "no entry"},
		"list a bad prefix":      {list(store.ListStateRequest{Prefix: "a//"}), store.BadInput, "empty part"},
		"list a bad scope":       {list(store.ListStateRequest{Scope: []string{"!x"}}), store.BadScope, "!x"},
		"history and text":       {list(store.ListStateRequest{History: "x", Text: "y"}), store.BadInput, "no effect"},
		"history of nothing":     {list(store.ListStateRequest{History: "x"}), store.StateNotFound, "no entry"},
		"history of no name":     {list(store.ListStateRequest{History: "x y"}), store.BadInput, `"x y"`},
	} {
		err := c.do()
		if !errors.Is(err, c.code) {
			t.Errorf("%s: %v, want %s", name, err, c.code)
			continue
		}
		var e *store.Error
		if errors.As(err, &e); !strings.Contains(e.Message, c.says) || strings.Contains(e.Message, "\n") || e.Hint == "" {
			t.Errorf("%s: %q, hint %q: want %q", name, e.Message, e.Hint, c.says)
		}
	}
	if _, err := os.Stat(w.dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a store now: %v", err)
	}
}

package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// finished makes and finishes a lock, and advances the clock by an hour.
func (w *world) finished(title, scope, summary string, agent *string) string {
	w.t.Helper()
	s := w.at(w.main)
	a, err := s.Create(background, store.CreateRequest{Title: title, Scope: []string{scope}, AgentID: agent})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(a.Result.ID), Summary: &summary}); err != nil {
		w.t.Fatal(err)
	}
	w.pass(time.Hour)
	return a.Result.ID
}

func wholeIDs(locks []store.Whole) string {
	out := make([]string, len(locks))
	for i, l := range locks {
		out[i] = l.ID
	}
	return strings.Join(out, " ")
}

func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.finished("One", "src/**", "did this", ptr("a"))
	two := w.finished("Two", "docs", "Did that", ptr("b"))
	three := w.finished("Three", "src/x.go", "more", ptr("a"))
	w.claim(w.main, "active", "src")
	for name, c := range map[string]struct {
		r    store.HistoryRequest
		want []string
	}{
		"all":         {store.HistoryRequest{}, []string{three, two, one}},
		"scope":       {store.HistoryRequest{Scope: []string{"src/x.go"}}, []string{three, one}},
		"agent":       {store.HistoryRequest{AgentID: "b"}, []string{two}},
		"text":        {store.HistoryRequest{Text: "did T"}, []string{two, one}},
		"since hours": {store.HistoryRequest{Since: "2h"}, []string{three, two}},
		"since stamp": {store.HistoryRequest{Since: "2026-07-17T19-45-13"}, []string{three}},
		"since days":  {store.HistoryRequest{Since: "1d"}, []string{three, two, one}},
		"since zone":  {store.HistoryRequest{Since: "2026-07-17T21:45:12+02:00"}, []string{three, two}},
		"nothing":     {store.HistoryRequest{Text: "zzz"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := w.at(w.link).History(background, c.r)
			if err != nil || wholeIDs(a.Result) != strings.Join(c.want, " ") || a.Result == nil || len(a.Warnings) > 0 {
				t.Errorf("%q, %v, %q", wholeIDs(a.Result), err, a.Warnings)
			}
		})
	}
	for name, r := range map[string]store.HistoryRequest{"plain": {Limit: ptr(2)}, "filtered": {Limit: ptr(2), Since: "9d"}} {
		a, err := w.at(w.main).History(background, r)
		if err != nil || wholeIDs(a.Result) != three+" "+two || a.Result[1].Notes[0] != "Did that" {
			t.Errorf("%s: %q, %v", name, wholeIDs(a.Result), err)
		}
		wantWarning(t, a.Warnings, "1 more, claimed earlier, are omitted by `limit` 2")
	}
	_, err := w.at(w.main).History(background, store.HistoryRequest{Limit: ptr(0)})
	wantCode(t, err, store.BadInput, "`limit` 0")
	for _, bad := range []string{"yesterday", "h", "-1d", "1.5w", "24", "5m30s", "9999999999999999999999d", "4294967295d"} {
		_, err = w.at(w.main).History(background, store.HistoryRequest{Since: bad})
		wantCode(t, err, store.BadInput, bad, "90d")
	}
}

// What is not shown is not opened: an unreadable old file is not noticed.
func TestHistoryOpensWhatItShows(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	old := w.finished("old", "a", "s", nil)
	recent := w.finished("recent", "a", "s", nil)
	w.write(filepath.Join("done", old+".md"), "torn")
	a, err := w.at(w.main).History(background, store.HistoryRequest{Limit: ptr(1)})
	if err != nil || wholeIDs(a.Result) != recent || len(a.Warnings) != 1 {
		t.Errorf("%q, %v, %q", wholeIDs(a.Result), err, a.Warnings)
	}
	wantWarning(t, a.Warnings, "1 more, claimed earlier, are omitted by `limit` 1")
	a, err = w.at(w.main).History(background, store.HistoryRequest{})
	if err != nil || wholeIDs(a.Result) != recent {
		t.Errorf("%q, %v", wholeIDs(a.Result), err)
	}
	wantWarning(t, a.Warnings, old)
}

// Filtered searches stop at the limit, too, and files last written before the
// requested time are not opened: a damaged one is not noticed in either case.
func TestHistoryOpensWhatMayPass(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	old := w.finished("old", "a", "s", nil)
	recent := w.finished("recent", "a", "s", nil)
	path := filepath.Join(w.dir(), "done", old+".md")
	w.write(filepath.Join("done", old+".md"), "torn")
	longAgo := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(path, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	a, err := w.at(w.main).History(background, store.HistoryRequest{Since: "24h"})
	if err != nil || wholeIDs(a.Result) != recent || len(a.Warnings) > 0 {
		t.Errorf("%q, %v, %q", wholeIDs(a.Result), err, a.Warnings)
	}
	a, err = w.at(w.main).History(background, store.HistoryRequest{Since: "72h"})
	if err != nil || wholeIDs(a.Result) != recent {
		t.Errorf("%q, %v", wholeIDs(a.Result), err)
	}
	wantWarning(t, a.Warnings, old)

	text := w.read("done", recent+".md")
	for i := range 200 {
		id := fmt.Sprintf("2026-07-17T20-%02d-%02d-later", i/60, i%60)
		w.write("done/"+id+".md", strings.ReplaceAll(text, recent, id))
	}
	a, err = w.at(w.main).History(background, store.HistoryRequest{Scope: []string{"a"}, Limit: ptr(3)})
	if err != nil || len(a.Result) != 3 || a.Result[0].ID != "2026-07-17T20-03-19-later" || len(a.Warnings) != 1 {
		t.Errorf("%q, %v, %q", wholeIDs(a.Result), err, a.Warnings)
	}
	wantWarning(t, a.Warnings, "199 more, claimed earlier, were not searched: `limit` 3 was reached")
}

func TestPrune(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := w.finished("old", "a", "s", nil)
	active := w.claim(w.main, "active", "a")
	w.pass(100 * 24 * time.Hour)
	recent := w.finished("recent", "a", "s", nil)
	w.write(filepath.Join("done", "2020-01-01T00-00-00-torn.md"), "torn")
	s := w.at(w.main)
	prune := func(yes bool) string {
		a, err := s.Prune(background, store.PruneRequest{OlderThan: "90d", Yes: yes})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(a.Result)
	}
	want := fmt.Sprint([]store.Pruned{{ID: old, Title: "old", Finished: "2026-07-17T18-45-12"}})
	if got := prune(false); got != want {
		t.Errorf("dry run: %s", got)
	}
	if got := prune(true); got != want {
		t.Errorf("prune: %s", got)
	}
	if got := prune(true); got != "[]" {
		t.Errorf("again: %s", got)
	}
	for _, name := range []string{active + ".md", "done/" + recent + ".md", "done/2020-01-01T00-00-00-torn.md"} {
		if _, err := os.Stat(filepath.Join(w.dir(), name)); err != nil {
			t.Error(err)
		}
	}
	_, err := s.Prune(background, store.PruneRequest{Yes: true})
	wantCode(t, err, store.BadInput, "90d")
}

// prune cannot decide which of two copies to keep.
func TestPruneLeavesTwoCopiesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	text := strings.Replace(w.read(id+".md"), "status: active", "status: done", 1)
	w.write(id+".md", text)
	w.write("done/"+id+".md", text+"\nand more\n")
	w.pass(48 * time.Hour)
	a, err := w.at(w.main).Prune(background, store.PruneRequest{OlderThan: "24h", Yes: true})
	if err != nil || len(a.Result) != 0 {
		t.Errorf("%+v, %v", a.Result, err)
	}
	if got := w.read("done", id+".md"); got != text+"\nand more\n" {
		t.Errorf("the copy says %q", got)
	}
}

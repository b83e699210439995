package store_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// age makes the last look at the remote older.
func (w *world) age(d time.Duration) {
	w.t.Helper()
	path := filepath.Join(w.dir(), "fleet", "tip.json")
	data, err := os.ReadFile(path)
	var tip map[string]any
	if err == nil {
		err = json.Unmarshal(data, &tip)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	tip["looked"] = time.Now().Add(-d)
	if data, err = json.Marshal(tip); err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

type viewed struct {
	warnings []string
	unseen   bool
	rows     int
	missing  string
}

// readings returns the operations that report who is at work.
func (w *world) readings() map[string]func() (viewed, error) {
	s, agent := w.at(w.main), "agent"
	return map[string]func() (viewed, error){
		"check": func() (viewed, error) {
			a, err := s.Check(background, store.CheckRequest{Scope: []string{"src"}})
			return viewed{a.Warnings, a.Unseen, len(a.Result), a.Missing()}, err
		},
		"status": func() (viewed, error) {
			a, err := s.Query(background, store.QueryRequest{})
			return viewed{a.Warnings, a.Unseen, len(a.Result), a.Missing()}, err
		},
		"edit": func() (viewed, error) {
			a, err := s.Edit(background, store.EditRequest{Path: filepath.Join(w.main, "src", "a.go"), AgentID: &agent})
			return viewed{a.Warnings, a.Unseen, len(a.Result.Blocked), a.Missing()}, err
		},
		"guard": func() (viewed, error) {
			a, err := s.Guard(background, store.GuardRequest{Files: []string{"src/a.go"}, AgentID: &agent})
			return viewed{a.Warnings, a.Unseen, len(a.Result.Blocked), a.Missing()}, err
		},
		"session": func() (viewed, error) {
			a, err := s.SessionStart(background, store.SessionRequest{Session: store.Session{ID: "s1"}, AgentID: &agent,
				OwnID: &agent, Why: "startup"})
			return viewed{a.Warnings, a.Unseen, len(a.Result.Others), a.Missing()}, err
		},
		"drift": func() (viewed, error) {
			a, err := s.Drift(background, store.DriftRequest{AgentID: &agent})
			return viewed{a.Warnings, a.Unseen, len(a.Result[0].HeldByOthers), a.Missing()}, err
		},
		"forecast": func() (viewed, error) {
			a, err := s.Forecast(background, store.ForecastRequest{})
			return viewed{a.Warnings, a.Unseen, 1, a.Missing()}, err
		},
	}
}

// Each reading reports if it may be out of date: after a failed look, and with a warning
// after ten minutes. It still shows what was last seen.
func TestReadingsSayHowOldTheirViewIs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	agent := "agent"
	if _, err := a.at(a.main).Create(t.Context(), claimRequest(agent, "docs/**")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(a.main, "src"), 0o777); err != nil {
		t.Fatal(err)
	}
	a.plant("src/a.go", "package a\n")
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh)})
	want := func(when string, unseen bool, said string) {
		t.Helper()
		for name, read := range a.readings() {
			v, err := read()
			warned := said == "" || strings.Contains(strings.Join(v.warnings, "\n"), said)
			if err != nil || v.unseen != unseen || !warned || v.rows == 0 {
				t.Errorf("%s, %s: %+v, %v", when, name, v, err)
			}
		}
	}
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	want("after a look", false, "")
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}); err == nil {
		t.Fatal("the remote is gone, and answers")
	}
	want("after a look that failed", true, "the last look failed")
	a.age(11 * time.Minute)
	want("when that is long ago", true, "known as of 11m ago")
}

//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A file whose name lock files cannot store is recognized by its own name and
// by the one in answers.
func TestOddNamesAreHeld(t *testing.T) {
	t.Parallel()
	for _, tc := range gittest.Some(3, []struct{ scope, file, told string }{
		{"d?x/f", "d\nx/f", "d%0Ax/f"},
		{"d[!a]x/f", "d\tx/f", "d%09x/f"},
		{"@(d?x)/f", "d\x7fx/f", "d%7Fx/f"},
		{"d[^a-z]x/**", "d\nx/f", "d%0Ax/f"},
		{"?/f", "\xff/f", "%FF/f"},
		{"??/f", "\xff\xfe/f", "%FF%FE/f"},
		{"d%0Ax", "d\nx/f", "d%0Ax/f"},
		{"d*x/f", "d\u0085x/f", "d%C2%85x/f"},
	}) {
		t.Run(tc.told+" by "+tc.scope, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := os.MkdirAll(filepath.Dir(filepath.Join(w.main, tc.file)), 0o777); err != nil {
				t.Skipf("no such name here: %v", err)
			}
			if err := os.WriteFile(filepath.Join(w.main, tc.file), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			w.held("them", "", tc.scope)
			s := w.at(w.main)
			g, err := s.Guard(background, store.GuardRequest{Files: []string{tc.file}, AgentID: ptr("me")})
			if err != nil || len(g.Result.Blocked) != 1 || !slices.Equal(g.Result.Blocked[0].Files, []string{tc.told}) || g.Result.Spelled[tc.told] != tc.file {
				t.Errorf("guard: %+v, %v", g.Result, err)
			}
			e, err := s.Edit(background, store.EditRequest{Path: filepath.Join(w.main, tc.file), AgentID: ptr("me")})
			if err != nil || len(e.Result.Blocked) != 1 {
				t.Errorf("edit: %+v, %v", e.Result, err)
			}
			w.held("me", "", "elsewhere")
			d, err := s.Drift(background, store.DriftRequest{AgentID: ptr("me")})
			if err != nil || len(d.Result) != 1 || !slices.Equal(d.Result[0].Outside, []string{tc.told}) || len(d.Result[0].HeldByOthers) != 1 {
				t.Errorf("drift: %+v, %v", d.Result, err)
			}
			c, err := s.Check(background, store.CheckRequest{Scope: []string{store.ScopeEntry(tc.told)}})
			if err != nil || len(c.Result) != 1 {
				t.Errorf("the entry %q that a way out names meets %d locks, %v", store.ScopeEntry(tc.told), len(c.Result), err)
			}
		})
	}
}

// Names for the guard are git's, relative to the root; with ./ or ../ they are
// relative to the caller's directory. Names that lead outside are refused.
func TestGuardedNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.held("them", "", "d/x")
	sub := filepath.Join(w.main, "d")
	if err := os.Mkdir(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, blocked := range map[string]bool{"d/x": true, "./x": true, "../d/x": true, filepath.Join(w.main, "d", "x"): true, "x": false, "./d/x": false} {
		g, err := w.at(sub).Guard(background, store.GuardRequest{Files: []string{name}, AgentID: ptr("me")})
		if err != nil || len(g.Result.Blocked) > 0 != blocked {
			t.Errorf("%q: %+v, %v", name, g.Result.Blocked, err)
		}
	}
	for _, name := range []string{"../../x", "/etc/passwd", "d/../../x"} {
		_, err := w.at(sub).Guard(background, store.GuardRequest{Files: []string{name}, AgentID: ptr("me")})
		wantCode(t, err, store.BadInput, name)
	}
}

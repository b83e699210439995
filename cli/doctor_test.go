package cli

import (
	"slices"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestDoctorRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, store.Diagnosis{}, []requestCase{
		{args: []string{"doctor"}, want: store.DoctorRequest{}},
		{args: []string{"doctor", "--fix", "--base-dir", "x"}, want: store.DoctorRequest{Target: store.Target{BaseDir: p("x")}, Fix: true}},
		{args: []string{"doctor", "x"}, err: `doctor takes no arguments, got "x"`},
	})
}

func TestDoctorOutput(t *testing.T) {
	t.Parallel()
	ok := store.Finding{Severity: store.SeverityOK, Check: "git", Message: "git 2.50.0"}
	note := store.Finding{Severity: store.SeverityNote, Check: "stale", Message: "silent", Fix: "reap it"}
	problem := store.Finding{Severity: store.SeverityProblem, Check: "unreadable", Message: "torn\x1b", Path: "/x", Fix: "fix it\nor move it"}
	done := store.Finding{Severity: store.SeverityProblem, Check: "permissions", Message: "lacks", Fix: "chmod", Fixed: "granted"}
	all := store.Diagnosis{Findings: []store.Finding{ok, note, done, problem}}
	testOutputs(t, []outputCase{
		{
			name: "the worst first", args: []string{"doctor"}, store: fake{result: all}, code: exitError,
			want: "problem  unreadable   torn\\x1b\n                      fix it\n                      or move it\n" +
				"note     stale        silent\n                      reap it\n" +
				"fixed    permissions  lacks\n                      granted\n" +
				"ok       git          git 2.50.0\n\n1 problem, 1 note\n",
		},
		{
			name: "JSON", args: []string{"doctor", "--json"}, store: fake{result: all}, code: exitError,
			want: `{"findings":[{"severity":"ok","check":"git","message":"git 2.50.0"},` +
				`{"severity":"note","check":"stale","message":"silent","fix":"reap it"},` +
				`{"severity":"problem","check":"permissions","message":"lacks","fix":"chmod","fixed":"granted"},` +
				`{"severity":"problem","check":"unreadable","message":"torn\u001b","path":"/x","fix":"fix it\nor move it"}]}` + "\n",
		},
		{
			name: "what was fixed is not a problem any more", args: []string{"doctor", "--fix"},
			store: fake{result: store.Diagnosis{Findings: []store.Finding{done}}},
			want:  "fixed    permissions  lacks\n                      granted\n\n0 problems, 0 notes\n",
		},
	})
}

func TestDoctorOnTheGuard(t *testing.T) {
	t.Parallel()
	runs := guardState{Runs: true, Hook: "/h", GuardState: store.GuardState{Mode: store.ModeBlock}}
	broken := runs
	broken.Runs, broken.Why, broken.Fix = false, "not executable", guardInstall
	off, bypassed := broken, broken
	off.Mode, bypassed.Bypass = store.ModeOff, true
	anothers := broken
	anothers.Unknown = true
	edited := anothers
	edited.Edited, edited.Mode = true, store.ModeOff
	partly := runs
	partly.Elsewhere = []guardGone{{Worktree: "/w", Why: "no hook"}, {Worktree: "/v", Why: "not what it was", Edited: true}}
	odd := runs
	odd.Elsewhere = []guardGone{{Worktree: "/w`x` $(y)", Why: "no hook"}}
	if f := guardFindings(odd, true); f[1].Fix != "agent-locks guard install --base-dir '/w`x` $(y)'" {
		t.Errorf("a shell would run a part of it: %s", f[1].Fix)
	}
	const ok, note, problem = store.SeverityOK, store.SeverityNote, store.SeverityProblem
	for name, c := range map[string]struct {
		state     guardState
		installed bool
		want      []string // severities
	}{
		"it runs":                   {runs, true, []string{ok}},
		"it does not run":           {broken, true, []string{problem}},
		"it may not run":            {edited, true, []string{problem}},
		"nobody can tell":           {anothers, true, []string{note}},
		"it was never wanted":       {broken, false, []string{ok}},
		"off":                       {off, true, []string{note}},
		"off, and never wanted":     {off, false, []string{ok}},
		"bypassed":                  {bypassed, true, []string{note}},
		"it runs in some worktrees": {partly, true, []string{ok, note, note}},
	} {
		var got []string
		for _, f := range guardFindings(c.state, c.installed) {
			got = append(got, f.Severity)
			if f.Check != store.CheckGuard || f.Path == "" || (f.Severity == ok) != (f.Fix == "") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

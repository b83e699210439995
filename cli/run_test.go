package cli

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/store"
)

func TestRunRequests(t *testing.T) {
	t.Parallel()
	self, err := exec.LookPath("go") // any program that is there
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		args []string
		want store.CreateRequest
	}{
		{[]string{"-t", "T", "src/**", "--scope", "a", "--", self, "--json", "-x"},
			store.CreateRequest{Title: "T", Scope: []string{"a", "src/**"}, IfFree: true}},
		{[]string{"--title", "T", "src/**", "--wait", "5m", "--lease", "2h", "--agent", "me", "--parent", "you", "--shared", "--", self},
			store.CreateRequest{Title: "T", Scope: []string{"src/**"}, IfFree: true, Shared: true, WaitSeconds: p(300.0),
				LeaseMinutes: p(120.0), AgentID: p("me"), ParentAgentID: p("you")}},
	} {
		f := &fake{err: &store.Error{Code: store.Conflict, Message: "not claimed"}}
		got := try(t, f, append([]string{"run"}, c.args...))
		if diff := cmp.Diff(c.want, f.request); diff != "" || got.code != exitNotRun || got.stderr != "agent-locks: not claimed\n" {
			t.Errorf("%q: %+v; request (-want +got):\n%s", c.args, got, diff)
		}
	}
}

// What is wrong with the call is never taken for the command's own exit code.
func TestRunWithoutACommand(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"run needs a command":                         {"run", "-t", "T", "src/**"},
		"run needs --title":                           {"run", "src/**", "--", "make"},
		"run needs a scope":                           {"run", "-t", "T", "--", "make"},
		`unknown flag "--titel" for agent-locks run`:  {"run", "--titel", "T", "--", "make"},
		`--wait "soon": not a duration`:               {"run", "-t", "T", "src/**", "--wait", "soon", "--", "make"},
		`there is no command "no-such-program-there"`: {"run", "-t", "T", "src/**", "--", "no-such-program-there"},
	} {
		f := &fake{}
		got := try(t, f, args)
		code := exitNotRun
		if strings.HasPrefix(want, "there is no") {
			code = exitNotFound
		}
		if line, _, _ := strings.Cut(got.stderr, "\n"); line != "agent-locks: "+want || got.code != code || f.request != nil {
			t.Errorf("%q: exit code %d, stderr %q, request %+v", args, got.code, got.stderr, f.request)
		}
	}
}

func TestHeartbeatsAreOftenEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		minutes string
		lease   *float64
		want    time.Duration
	}{
		{"", nil, 5 * time.Minute},
		{"8", nil, 2 * time.Minute},
		{"8", p(16.0), 4 * time.Minute},
		{"0.001", nil, time.Second},
		{"nonsense", p(43200.0), 5 * time.Minute},
	} {
		a := &app{World: World{Environ: func() []string { return []string{"AGENT_LOCKS_STALE_MINUTES=" + c.minutes} }}}
		if got := a.heartbeatEvery(c.lease); got != c.want {
			t.Errorf("%q, %v: every %v, want %v", c.minutes, c.lease, got, c.want)
		}
	}
}

func TestCodedErrorsKeepTheirCause(t *testing.T) {
	t.Parallel()
	cause := &store.Error{Code: store.Timeout}
	if !errors.Is(coded{exitNotRun, cause}, store.Timeout) {
		t.Error("the cause is lost")
	}
}

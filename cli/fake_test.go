package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/store"
)

var update = flag.Bool("update", false, "rewrite golden files")

// A fake stands for the store: it keeps the request and gives the answer.
type fake struct {
	request    any
	result     any
	warnings   []string
	compared   int
	waiting    []store.Waiter
	unreadable int
	unseen     bool
	err        error
}

func give[T any](f *fake, request any) (store.Answer[T], error) {
	f.request = request
	ans := store.Answer[T]{Warnings: f.warnings, Dir: "/repo/.git/agents-locks", Unreadable: f.unreadable, Unseen: f.unseen, Compared: f.compared, Waiting: f.waiting}
	if f.result != nil {
		ans.Result = f.result.(T)
	}
	return ans, f.err
}

func (f *fake) Query(_ context.Context, r store.QueryRequest) (store.Answer[[]store.Summary], error) {
	return give[[]store.Summary](f, r)
}
func (f *fake) Check(_ context.Context, r store.CheckRequest) (store.Answer[[]store.Summary], error) {
	return give[[]store.Summary](f, r)
}
func (f *fake) Wait(_ context.Context, r store.WaitRequest) (store.Answer[store.Waited], error) {
	return give[store.Waited](f, r)
}
func (f *fake) Create(_ context.Context, r store.CreateRequest) (store.Answer[store.Created], error) {
	return give[store.Created](f, r)
}
func (f *fake) Update(_ context.Context, r store.UpdateRequest) (store.Answer[store.Updated], error) {
	return give[store.Updated](f, r)
}
func (f *fake) Finish(_ context.Context, r store.FinishRequest) (store.Answer[store.Finished], error) {
	return give[store.Finished](f, r)
}
func (f *fake) Heartbeat(_ context.Context, r store.HeartbeatRequest) (store.Answer[store.Refreshed], error) {
	return give[store.Refreshed](f, r)
}
func (f *fake) History(_ context.Context, r store.HistoryRequest) (store.Answer[[]store.Whole], error) {
	return give[[]store.Whole](f, r)
}
func (f *fake) Drift(_ context.Context, r store.DriftRequest) (store.Answer[[]store.LockDrift], error) {
	return give[[]store.LockDrift](f, r)
}
func (f *fake) Forecast(_ context.Context, r store.ForecastRequest) (store.Answer[store.Foreseen], error) {
	return give[store.Foreseen](f, r)
}
func (f *fake) Doctor(_ context.Context, r store.DoctorRequest) (store.Answer[store.Diagnosis], error) {
	return give[store.Diagnosis](f, r)
}
func (f *fake) Prune(_ context.Context, r store.PruneRequest) (store.Answer[[]store.Pruned], error) {
	return give[[]store.Pruned](f, r)
}
func (f *fake) Reopen(_ context.Context, r store.ReopenRequest) (store.Answer[store.Reopened], error) {
	return give[store.Reopened](f, r)
}
func (f *fake) SetState(_ context.Context, r store.SetStateRequest) (store.Answer[store.StateWritten], error) {
	return give[store.StateWritten](f, r)
}
func (f *fake) GetState(_ context.Context, r store.GetStateRequest) (store.Answer[store.StateEntry], error) {
	return give[store.StateEntry](f, r)
}
func (f *fake) ListState(_ context.Context, r store.ListStateRequest) (store.Answer[store.StateListing], error) {
	return give[store.StateListing](f, r)
}
func (f *fake) ExportState(_ context.Context, r store.Target, emit func(store.StateExported) error) (store.Answer[int], error) {
	entries, _ := f.result.([]store.StateExported)
	f.request, f.result = r, len(entries)
	for _, e := range entries {
		if err := emit(e); err != nil {
			return store.Answer[int]{}, err
		}
	}
	return give[int](f, r)
}
func (f *fake) DeleteStates(_ context.Context, r store.DeleteStatesRequest) (store.Answer[[]store.StateWritten], error) {
	return give[[]store.StateWritten](f, r)
}
func (f *fake) Reap(_ context.Context, r store.ReapRequest) (store.Answer[[]store.Reaped], error) {
	return give[[]store.Reaped](f, r)
}
func (f *fake) Show(_ context.Context, r store.ShowRequest) (store.Answer[store.Whole], error) {
	return give[store.Whole](f, r)
}

func (f *fake) Guard(_ context.Context, r store.GuardRequest) (store.Answer[store.Guarded], error) {
	return give[store.Guarded](f, r)
}

func (f *fake) GuardSettings(_ context.Context, t store.Target) (store.Answer[store.GuardState], error) {
	return give[store.GuardState](f, t)
}

func (f *fake) SessionStart(_ context.Context, r store.SessionRequest) (store.Answer[store.Started], error) {
	return give[store.Started](f, r)
}
func (f *fake) SubagentStart(_ context.Context, r store.SessionRequest) (store.Answer[store.Started], error) {
	return give[store.Started](f, r)
}
func (f *fake) SessionEnd(_ context.Context, r store.SessionRequest) (store.Answer[store.Started], error) {
	return give[store.Started](f, r)
}

func (f *fake) SessionWaits(_ context.Context, r store.SessionRequest) (store.Answer[[]string], error) {
	return give[[]string](f, r)
}
func (f *fake) SessionWorks(_ context.Context, r store.SessionRequest) (store.Answer[[]string], error) {
	return give[[]string](f, r)
}
func (f *fake) Edit(_ context.Context, r store.EditRequest) (store.Answer[store.EditVerdict], error) {
	return give[store.EditVerdict](f, r)
}
func (f *fake) Edited(_ context.Context, r store.EditRequest) (store.Answer[store.EditFollowUp], error) {
	return give[store.EditFollowUp](f, r)
}

// A result is what a command line did.
type result struct {
	stdout, stderr string
	code           int
}

// try runs one command line against a fake store; change may alter the world.
func try(t *testing.T, f *fake, args []string, change ...func(*World)) result {
	t.Helper()
	var out, fault bytes.Buffer
	w := World{
		Args:       args,
		Stdin:      strings.NewReader("from stdin\n"),
		Stdout:     &out,
		Stderr:     &fault,
		Environ:    func() []string { return nil },
		Getwd:      func() (string, error) { return "", errors.New("no working directory in tests") },
		Now:        func() time.Time { return time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC) },
		TempDir:    t.TempDir(),
		Executable: func() (string, error) { return "/opt/agent-locks", nil },
		Columns:    func() int { return 0 },
	}
	for _, c := range change {
		c(&w)
	}
	code := run(t.Context(), w, f)
	return result{out.String(), fault.String(), code}
}

// A requestCase says which request a command line makes, or which error
// (its first line) it is.
type requestCase struct {
	args []string
	want any
	err  string
}

func testRequests(t *testing.T, result any, cases []requestCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			f := &fake{result: result}
			got := try(t, f, c.args)
			if c.err != "" {
				line, _, _ := strings.Cut(got.stderr, "\n")
				if line != "agent-locks: "+c.err || got.code != exitError || f.request != nil || got.stdout != "" {
					t.Errorf("got exit code %d, stdout %q, stderr %q, request %+v; want the error %q and no request",
						got.code, got.stdout, got.stderr, f.request, c.err)
				}
				return
			}
			if got.code != exitOK || got.stderr != "" {
				t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
			}
			if diff := cmp.Diff(c.want, f.request); diff != "" {
				t.Errorf("request differs (-want +got):\n%s", diff)
			}
		})
	}
}

// An outputCase says what is printed for a store's answer.
type outputCase struct {
	name   string
	args   []string
	store  fake
	want   string
	stderr string
	code   int
}

func testOutputs(t *testing.T, cases []outputCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := try(t, &c.store, c.args)
			if diff := cmp.Diff(result{c.want, c.stderr, c.code}, got, cmp.AllowUnexported(result{})); diff != "" {
				t.Errorf("outcome differs (-want +got):\n%s", diff)
			}
		})
	}
}

// golden compares got with a file under testdata, or rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./cli -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// p is a pointer to a flag's value.
func p[T any](v T) *T { return &v }

const someID = "2026-07-17T18-45-12-fix-login"

func ref(id string) store.Ref { return store.Ref{LockID: id} }

// someSummary is a fresh lock of agent-1.
func someSummary() store.Summary {
	return store.Summary{
		ID: someID, Title: "Fix login", Status: "active", PercentComplete: 50, TaskCount: 2,
		Scope: []string{"src/auth/**", "go.mod"}, Repository: "/repo", AgentID: p("agent-1"),
		Created: "2026-07-17T18-45-12", Updated: "2026-07-17T18-45-12", Worktree: "/home/me/login", Branch: "login",
	}
}

// staleSummary is a lock of nobody known, silent for two hours, whose
// worktree is gone.
func staleSummary() store.Summary {
	return store.Summary{
		ID: "2026-07-17T18-45-13-old", Title: "Old", Status: "active", PercentComplete: 100,
		Scope: []string{"docs"}, Repository: "/repo", Stale: true, StaleForSeconds: 7260,
		Worktree: "/home/me/gone", WorktreeGone: true,
	}
}
func (f *fake) FleetOn(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetOff(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetStatus(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetSync(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetSyncApart(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetPurge(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}
func (f *fake) FleetReset(_ context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
	return give[store.FleetState](f, r)
}

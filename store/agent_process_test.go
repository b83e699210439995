package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// An order tells an agent's process what to do. The process answers with a
// report.
type order struct {
	Create *CreateRequest `json:",omitempty"`
	Update *UpdateRequest `json:",omitempty"`
	Finish *FinishRequest `json:",omitempty"`
}

type report struct {
	ID      string
	Waiting []Waiter
	Code    fault.Code // of the error, if any
	Message string
	Refusal Refusal
}

// playAgent executes orders, one per line, in a repository until ctx ends.
func playAgent(ctx context.Context, repository string) error {
	fmt.Println("ready")
	s := storeAt(repository)
	orders := json.NewDecoder(os.Stdin)
	for {
		var o order
		if err := orders.Decode(&o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		line, err := json.Marshal(carryOut(ctx, s, o))
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
}

func carryOut(ctx context.Context, s *Store, o order) report {
	var r report
	var err error
	switch {
	case o.Create != nil:
		var a Answer[Created]
		a, err = s.Create(ctx, *o.Create)
		r.ID = a.Result.ID
	case o.Update != nil:
		var a Answer[Updated]
		a, err = s.Update(ctx, *o.Update)
		r.ID, r.Waiting = a.Result.ID, a.Result.Waiting
	case o.Finish != nil:
		var a Answer[Finished]
		a, err = s.Finish(ctx, *o.Finish)
		r.ID = a.Result.ID
	}
	var e *fault.Error
	if errors.As(err, &e) {
		r.Code, r.Message = e.Code, e.Message
		r.Refusal, _ = e.Detail.(Refusal)
	}
	return r
}

// storeAt returns a store configured like the program's, for a caller in dir.
func storeAt(dir string) *Store {
	return &Store{Now: time.Now, Getwd: func() (string, error) { return dir, nil }, Environ: storetest.CleanEnvironment, MutexWait: storetest.Patience}
}

// newRepository creates an empty repository; queueOf is where its tickets are.
func newRepository(t testing.TB) string {
	t.Helper()
	dir := storetest.NewCommon(t)
	cmd := exec.Command("git", "init", "-q", dir)
	cmd.Env = storetest.CleanEnvironment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return dir
}

func storeOf(repository string) string { return filepath.Join(repository, ".git", disk.Name) }

func queueOf(repository string) string { return filepath.Join(storeOf(repository), disk.WaitingName) }

// An agent is a process that executes orders.
type agent struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	in   *json.Encoder
	out  *bufio.Scanner
}

func startAgent(t testing.TB, repository, name string) *agent {
	t.Helper()
	return startAs(t, "agent", repository, name)
}

// startAs starts an agent in the given role.
func startAs(t testing.TB, role, repository, name string) *agent {
	t.Helper()
	cmd := storetest.Process(t, role, repository)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	return &agent{t: t, name: name, cmd: cmd, out: storetest.Begin(t, cmd), in: json.NewEncoder(in)}
}

// order sends an order without waiting for its report.
func (a *agent) order(o order) {
	a.t.Helper()
	if err := a.in.Encode(o); err != nil {
		a.t.Fatal(err)
	}
}

func (a *agent) report() report {
	a.t.Helper()
	if !a.out.Scan() {
		a.t.Fatalf("agent %s said nothing: %v", a.name, a.out.Err())
	}
	var r report
	if err := json.Unmarshal(a.out.Bytes(), &r); err != nil {
		a.t.Fatalf("agent %s said %q: %v", a.name, a.out.Text(), err)
	}
	return r
}

// longWait, in seconds, is for a claim that is expected to be granted.
const longWait = 600

// claim orders a claim. With wait 0, it must be granted at once.
func (a *agent) claim(scope string, wait float64) {
	a.t.Helper()
	r := CreateRequest{Title: "Work of " + a.name, Scope: []string{scope}, AgentID: &a.name, IfFree: true}
	if wait > 0 {
		r.WaitSeconds = &wait
	}
	a.order(order{Create: &r})
}

// granted returns the id of the claim that the agent must have been granted.
func (a *agent) granted() string {
	a.t.Helper()
	r := a.report()
	if r.Code != "" || r.ID == "" {
		a.t.Fatalf("agent %s got no claim: %+v", a.name, r)
	}
	return r.ID
}

func (a *agent) finish(id string) {
	a.t.Helper()
	a.order(order{Finish: &FinishRequest{Ref: Ref{LockID: id}}})
	if r := a.report(); r.Code != "" {
		a.t.Fatalf("agent %s could not finish: %+v", a.name, r)
	}
}

// queued waits until that many tickets are published.
func queued(t testing.TB, repository string, want int) {
	t.Helper()
	storetest.Eventually(t, fmt.Sprintf("%d tickets", want), func() bool {
		return len(storetest.NamesLike(t, queueOf(repository), "*.json")) == want
	})
}

// wantNothingLeft checks that no files are left in the queue.
func wantNothingLeft(t testing.TB, repository string) {
	t.Helper()
	if left := storetest.NamesLike(t, queueOf(repository), "*"); len(left) > 0 {
		t.Errorf("left in the queue: %q", left)
	}
}

package store

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// stressVariable asks for another stress than the short one of a plain test,
// as "processes seconds": AGENT_LOCKS_STRESS="40 60" go test ./store -run Stress -v
const stressVariable = "AGENT_LOCKS_STRESS"

// A step is one line of a stressed process's log. A claim is held from the line
// "got" until the line "ends".
type step struct {
	What   string // got, noted, ends, ended, nothing
	ID     string
	Scope  string
	Shared bool
	Note   string
	At     time.Time
	Waited time.Duration
}

// playStress claims, works and finishes until the time is up, and logs each
// step when it is confirmed.
func playStress(repository, name, seconds string) error {
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	end := time.Now().Add(time.Duration(n * float64(time.Second)))
	say := json.NewEncoder(os.Stdout)
	fmt.Println("ready")
	for s := storeAt(repository); time.Now().Before(end); {
		if err := stressOnce(s, name, say); err != nil {
			return err
		}
	}
	return nil
}

func stressOnce(s *Store, name string, say *json.Encoder) error {
	ctx, wait := context.Background(), 10.0
	scope := []string{"src/**", "src/a/**", "src/a/x.go", "src/b/**", "docs/**", "docs/a.md", "lib/**", "cmd/**"}[rand.N(8)]
	d := step{Scope: scope, Shared: rand.N(4) == 0}
	began := time.Now()
	a, err := s.Create(ctx, CreateRequest{Title: "Stress", Scope: []string{scope}, AgentID: &name, Shared: d.Shared, WaitSeconds: &wait})
	d.At, d.Waited, d.ID = time.Now(), time.Since(began), a.Result.ID
	if errors.Is(err, fault.Timeout) {
		d.What = "nothing"
		return say.Encode(d)
	}
	if err != nil {
		return err
	}
	d.What = "got"
	if err := say.Encode(d); err != nil {
		return err
	}
	time.Sleep(rand.N(20 * time.Millisecond))
	d.What, d.Note = "noted", fmt.Sprintf("note %d", rand.Int64())
	if _, err := s.Update(ctx, UpdateRequest{Ref: Ref{LockID: d.ID}, Note: &d.Note}); err != nil {
		return err
	}
	if err := say.Encode(d); err != nil {
		return err
	}
	d.What, d.At = "ends", time.Now()
	if err := say.Encode(d); err != nil {
		return err
	}
	if _, err := s.Finish(ctx, FinishRequest{Ref: Ref{LockID: d.ID}}); err != nil {
		return err
	}
	d.What = "ended"
	return say.Encode(d)
}

// A stressed is a process and its log.
type stressed struct {
	name   string
	cmd    *exec.Cmd
	steps  chan []step
	killed time.Time // just before; zero if it exited by itself
}

func startStressed(t *testing.T, repository, name string, left time.Duration) *stressed {
	t.Helper()
	s := &stressed{name: name, cmd: storetest.Process(t, "stress", repository, name, fmt.Sprint(left.Seconds())), steps: make(chan []step, 1)}
	lines := storetest.Begin(t, s.cmd)
	go func() { s.steps <- readSteps(lines) }()
	return s
}

func readSteps(lines *bufio.Scanner) []step {
	var all []step
	for lines.Scan() {
		var d step
		if json.Unmarshal(lines.Bytes(), &d) == nil { // otherwise it was killed within a line
			all = append(all, d)
		}
	}
	return all
}

func TestStress(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	processes, seconds := 10, 4
	if v := os.Getenv(stressVariable); v != "" {
		if _, err := fmt.Sscan(v, &processes, &seconds); err != nil {
			t.Fatalf("%s=%q: %v", stressVariable, v, err)
		}
	}
	repository := newRepository(t)
	span := time.Duration(seconds) * time.Second
	end := time.Now().Add(span)
	var alive, gone []*stressed
	for i := range processes {
		alive = append(alive, startStressed(t, repository, fmt.Sprintf("agent-%d", i), time.Until(end)))
	}
	pause := min(time.Second, span/4)
	for serial := processes; time.Until(end) > 2*pause; {
		time.Sleep(pause)
		for range max(1, processes/10) { // one in ten is killed and replaced
			i := rand.N(len(alive))
			dead := alive[i]
			dead.killed = time.Now()
			storetest.Kill(dead.cmd)
			gone = append(gone, dead)
			bury(t, repository, dead.name)
			alive[i] = startStressed(t, repository, fmt.Sprintf("agent-%d", serial), time.Until(end))
			serial++
		}
	}
	var all []step
	for _, s := range append(gone, alive...) {
		steps := <-s.steps
		if err := s.cmd.Wait(); err != nil && s.killed.IsZero() {
			t.Errorf("%s: %v", s.name, err)
		}
		all = append(all, complete(steps, s.killed)...)
	}
	wantNeverHeldTwice(t, all)
	wantNothingLost(t, repository, all)
	wantSwept(t, repository)
	logStress(t, all, len(gone), span)
}

// bury ends what a killed agent still holds, as somebody would eventually.
func bury(t *testing.T, repository, name string) {
	t.Helper()
	s, undertaker := storeAt(repository), "undertaker"
	a, err := s.Query(t.Context(), QueryRequest{AgentID: name})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range a.Result {
		if _, err := s.Finish(t.Context(), FinishRequest{Ref: Ref{LockID: l.ID}, AgentID: &undertaker, Force: true}); err != nil {
			t.Error(err)
		}
	}
}

// complete ends the claim that a process held when it was killed.
func complete(steps []step, killed time.Time) []step {
	if killed.IsZero() || len(steps) == 0 {
		return steps
	}
	if last := steps[len(steps)-1]; last.What == "got" || last.What == "noted" {
		last.What, last.At = "ends", killed
		steps = append(steps, last)
	}
	return steps
}

// wantNeverHeldTwice checks that no two claims that block each other were held
// at the same time. Each was held for longer than logged.
func wantNeverHeldTwice(t *testing.T, all []step) {
	t.Helper()
	type hold struct {
		step
		until time.Time
	}
	ends := map[string]time.Time{}
	for _, d := range all {
		if d.What == "ends" {
			ends[d.ID] = d.At
		}
	}
	var holds []hold
	for _, d := range all {
		if d.What == "got" {
			holds = append(holds, hold{d, ends[d.ID]})
		}
	}
	slices.SortFunc(holds, func(a, b hold) int { return a.At.Compare(b.At) })
	for i, a := range holds {
		for _, b := range holds[i+1:] {
			if !b.At.Before(a.until) {
				break
			}
			if !(a.Shared && b.Shared) && meet(t, a.Scope, b.Scope) {
				t.Errorf("%s (%s, until %s) and %s (%s, from %s) were held at once", a.ID, a.Scope, a.until, b.ID, b.Scope, b.At)
			}
		}
	}
}

// wantNothingLost checks that everything confirmed is on disk.
func wantNothingLost(t *testing.T, repository string, steps []step) {
	t.Helper()
	found := map[string]disk.Entry{}
	l := listedAll(t, repository)
	for _, e := range l.Entries {
		found[e.Lock.ID] = e
	}
	for _, d := range steps {
		e, known := found[d.ID]
		switch {
		case d.What == "nothing":
		case !known:
			t.Errorf("%s was confirmed and is gone", d.ID)
		case d.What == "noted" && !slices.Contains(e.Lock.Notes, d.Note):
			t.Errorf("%s lost %q", d.ID, d.Note)
		case d.What == "ended" && !e.Done():
			t.Errorf("%s was finished and is active", d.ID)
		}
	}
}

func listedAll(t *testing.T, repository string) disk.Listing {
	t.Helper()
	l, err := at(t, filepath.Join(repository, ".git")).List(t.Context(), disk.All)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Bad) > 0 {
		t.Errorf("faults: %v", l.Bad)
	}
	return l
}

// wantSwept checks that one more writer removes everything that killed
// processes left. Temporary files count as in use until they are an hour old.
func wantSwept(t *testing.T, repository string) {
	t.Helper()
	long := time.Now().Add(-2 * time.Hour)
	for _, name := range storetest.NamesLike(t, storeOf(repository), ".tmp-*") {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := storeAt(repository).Create(t.Context(), CreateRequest{Title: "Last", Scope: []string{"last"}, IfFree: true}); err != nil {
		t.Fatal(err)
	}
	wantNothingLeft(t, repository)
	if left := storetest.NamesLike(t, storeOf(repository), ".tmp-*"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func logStress(t *testing.T, all []step, killed int, span time.Duration) {
	t.Helper()
	var waits []time.Duration
	counts := map[string]int{}
	for _, d := range all {
		counts[d.What]++
		if d.What == "got" {
			waits = append(waits, d.Waited)
		}
	}
	if len(waits) == 0 {
		t.Fatal("nobody got anything")
	}
	slices.Sort(waits)
	at := func(q float64) time.Duration { return waits[int(q*float64(len(waits)-1))].Round(time.Millisecond) }
	t.Log(strings.Join([]string{
		fmt.Sprintf("%d claims (%.1f a second), %d updates, %d finishes, %d timeouts, %d killed", counts["got"], float64(counts["got"])/span.Seconds(), counts["noted"], counts["ended"], counts["nothing"], killed),
		fmt.Sprintf("waited: median %s, 9 in 10 %s, worst %s", at(0.5), at(0.9), at(1)),
	}, "; "))
}

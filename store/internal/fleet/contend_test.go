//go:build unix

package fleet

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// longVariable prolongs the contention test, to eight clones for that many seconds.
const longVariable = "AGENT_LOCKS_FLEET_SECONDS"

// Clones contend for a few scopes, with two processes each. Some are killed, some stopped
// for a while. A process that was told "claimed" held the scope exclusively, and in no
// state of the ref do two clones hold the same scope.
func TestContention(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	clones, seconds := 3, 3
	if s, err := strconv.Atoi(os.Getenv(longVariable)); err == nil {
		clones, seconds = 8, s
	}
	bare := newRemote(t)
	url := "git://127.0.0.1:" + serveDaemon(t, bare) + "/" + filepath.Base(bare)
	logs := realTemp(t)
	var workers []*worker
	for i := range clones {
		c := newClone(t, url)
		for _, dir := range []string{"wants", "held"} {
			if err := os.Mkdir(filepath.Join(c.dir, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		for j := range 2 {
			workers = append(workers, startWorker(t, orders{Dir: c.dir, Clone: "clone" + strconv.Itoa(i),
				Name: fmt.Sprintf("w%d%d", i, j), Logs: logs}))
		}
	}
	end := time.Now().Add(time.Duration(seconds) * time.Second)
	// On a busy machine few claims are made in that time.
	for time.Now().Before(end) || claimsIn(t, logs) < 5 && time.Now().Before(end.Add(time.Minute)) {
		time.Sleep(rand.N(600 * time.Millisecond))
		w := workers[rand.N(len(workers))]
		if rand.N(2) == 0 {
			w.kill()
			*w = *startWorker(t, w.orders)
		} else {
			_ = w.cmd.Process.Signal(syscall.SIGSTOP) // it may have ended
			time.Sleep(rand.N(400 * time.Millisecond))
			_ = w.cmd.Process.Signal(syscall.SIGCONT)
		}
	}
	if err := os.WriteFile(filepath.Join(logs, over), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, w := range workers {
		if err := w.cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", w.orders.Name, err, w.said())
		}
	}
	claims := judgeIntervals(t, logs)
	judgeStates(t, bare, claims)
	awaitSound(t, bare)
}

// awaitSound runs git fsck on a remote until it finds nothing: a push of a killed worker may
// still be running, and its objects arrive in no particular order.
func awaitSound(t *testing.T, bare string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		check := exec.Command("git", "fsck", "--strict")
		check.Dir, check.Env = bare, identified()
		if check.Run() == nil {
			return
		}
	}
	git(t, bare, "fsck", "--strict")
}

type worker struct {
	cmd    *exec.Cmd
	orders orders
}

type orders struct {
	Dir, Clone, Name, Logs string
}

// over is the file among the logs that stops the workers.
const over = "over"

// claimsIn counts the claims in the workers' logs so far.
func claimsIn(t *testing.T, logs string) (n int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(logs, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(data), " claimed ")
	}
	return n
}

func startWorker(t *testing.T, o orders) *worker {
	t.Helper()
	data, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := os.OpenFile(filepath.Join(o.Logs, o.Name+".err"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close() // the worker has it
	cmd := exec.Command(exe, string(data))
	cmd.Env = append(os.Environ(), workerVariable+"=1")
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &worker{cmd, o}
}

func (w *worker) kill() {
	_ = w.cmd.Process.Kill() // it may have ended
	_ = w.cmd.Wait()
}

func (w *worker) said() string {
	data, _ := os.ReadFile(filepath.Join(w.orders.Logs, w.orders.Name+".err")) // there may be none
	return string(data)
}

// An event is a line of a worker's log.
type event struct {
	at                      int64
	worker, what, id, scope string
	pushes                  int
}

// judgeIntervals checks that, according to the workers' logs, no two of them held a scope
// at the same time.
func judgeIntervals(t *testing.T, logs string) (claimed map[string]string) {
	t.Helper()
	var events []event
	names, err := filepath.Glob(filepath.Join(logs, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var e event
			if n, err := fmt.Sscan(line, &e.at, &e.worker, &e.what, &e.id, &e.scope, &e.pushes); n != 6 {
				t.Fatalf("%q: %v", line, err)
			}
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	claimed = map[string]string{}
	holder := map[string]event{}
	counts := map[string]int{}
	var pushes []int
	for _, e := range events {
		counts[e.what]++
		switch e.what {
		case "claimed":
			if h, held := holder[e.scope]; held {
				t.Errorf("%s claimed %s, which %s has held since %d", e.worker, e.scope, h.worker, h.at)
			}
			holder[e.scope] = e
			claimed[e.id] = e.scope
			pushes = append(pushes, e.pushes)
		case "releasing":
			delete(holder, e.scope)
		case "recovering":
			for scope, h := range holder {
				if h.worker == e.worker {
					delete(holder, scope)
				}
			}
		}
	}
	if len(claimed) < 5 {
		t.Errorf("there were %d claims only", len(claimed))
	}
	slices.Sort(pushes)
	if len(pushes) > 0 {
		t.Logf("%v; pushes a claim: median %d, of 95 in 100 at most %d, at most %d", counts, pushes[len(pushes)/2],
			pushes[len(pushes)*95/100], pushes[len(pushes)-1])
	}
	return claimed
}

// judgeStates checks each state that the ref has had.
func judgeStates(t *testing.T, bare string, claimed map[string]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(bare, "logs", filepath.FromSlash(DefaultRef)))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	before := map[string]string{} // path: scope
	states := 0
	for line := range strings.Lines(string(data)) {
		states++
		commit := strings.Fields(line)[1]
		now, by := stateOf(t, bare, commit)
		holder := map[string]string{}
		for path, scope := range now {
			clone, name, _ := strings.Cut(path, "/")
			seen[strings.TrimSuffix(name, ".md")] = true
			if other, held := holder[scope]; held && other != clone {
				t.Errorf("in %s both %s and %s hold %s", commit, clone, other, scope)
			}
			holder[scope] = clone
		}
		for path := range before {
			if _, stays := now[path]; !stays && !strings.Contains(path, by) {
				t.Errorf("%s, by %s, lost %s", commit, by, path)
			}
		}
		before = now
	}
	for id := range claimed {
		if !seen[id] {
			t.Errorf("%s was claimed, and never stood", id)
		}
	}
	t.Logf("%d states", states)
}

// stateOf returns who holds which scopes in a commit, and who made it.
func stateOf(t *testing.T, bare, commit string) (held map[string]string, by string) {
	t.Helper()
	by = git(t, bare, "log", "-1", "--format=%s", commit)
	by = by[strings.LastIndexByte(by, ' ')+1:] + "-"
	held = map[string]string{}
	for line := range strings.SplitSeq(grep(t, bare, commit), "\n") {
		_, rest, _ := strings.Cut(line, ":")
		path, text, _ := strings.Cut(rest, ":")
		if scope, ok := strings.CutPrefix(text, "  - "); ok {
			held[path] = scope
		}
	}
	return held, by
}

// grep returns the scopes in a commit, which may have none.
func grep(t *testing.T, bare, commit string) string {
	t.Helper()
	cmd := exec.Command("git", "grep", "^  - ", commit)
	cmd.Dir, cmd.Env = bare, identified()
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatal(err)
	}
	return string(out)
}

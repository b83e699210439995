//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// If git is slow, here because of a slow filter, the answer does not wait for
// it, and leaves neither of them running.
func TestClaimDoesNotWaitForASlowGit(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	started := filepath.Join(t.TempDir(), "started")
	w.git(w.main, "config", "filter.slow.clean", "echo $PPID $$ >>'"+started+"'; sleep 100; exit")
	w.write("../info/attributes", "slow filter=slow\n")
	w.put(w.link, "a")
	w.git(w.link, "add", "a")
	w.git(w.link, "update-index", "--add", "--cacheinfo", "100644,"+w.git(w.link, "rev-parse", ":a")+",slow")
	w.put(w.link, "slow") // git must read it to find out whether it differs
	wantEnded := func() {
		t.Helper()
		pids, err := os.ReadFile(started)
		if err != nil {
			t.Errorf("git did not run the filter: %v", err)
		}
		for _, text := range strings.Fields(string(pids)) {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
				if time.Now().After(end) { // it is a zombie until its new parent reaps it
					_ = syscall.Kill(pid, syscall.SIGKILL)
					t.Fatalf("process %d runs on", pid)
				}
			}
		}
	}
	for _, r := range []store.CreateRequest{{}, {IfFree: true}} {
		r.Title, r.Scope = "work", []string{"slow"}
		s := w.at(w.main)
		s.ElsewhereWait = 2 * time.Second
		began := time.Now()
		a, err := s.Create(background, r)
		if err != nil || len(a.Result.ChangedElsewhere) > 0 || len(a.Warnings) > 0 {
			t.Errorf("%+v, %v", a, err)
		}
		if took := time.Since(began); took > 90*time.Second {
			t.Errorf("it took %v", took)
		}
		wantEnded()
		w.finish(w.main, a.Result.ID, true)
	}
}

// Filters of a repository that is merely named are not run.
func TestClaimElsewhereRunsNoForeignFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ran := filepath.Join(t.TempDir(), "ran")
	w.git(w.main, "config", "filter.f.clean", "touch '"+ran+"'; cat")
	w.write("../info/attributes", "a filter=f\n")
	w.put(w.link, "a")
	w.git(w.link, "add", "-A")
	w.git(w.link, "commit", "-q", "-m", "a")
	home := t.TempDir()
	for _, test := range []struct {
		from string
		runs bool
	}{{home, false}, {w.link, true}} {
		w.put(w.link, "a")
		w.pass(time.Second)
		if err := os.RemoveAll(ran); err != nil {
			t.Fatal(err)
		}
		w.put(w.link, "a")
		a, err := w.patient(test.from).Create(background, store.CreateRequest{
			Target: store.Target{BaseDir: &w.main}, Title: "t", Scope: []string{"a"}})
		if err != nil || w.inShort(a.Result.ChangedElsewhere) != "link side [a] 0" {
			t.Errorf("from %s: %+v, %v", test.from, a, err)
		}
		if _, err := os.Stat(ran); (err == nil) != test.runs {
			t.Errorf("from %s: filters run: %v", test.from, err == nil)
		}
	}
}

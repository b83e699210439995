package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store"
)

// A bypassed commit is recorded on the locks that it ignored, and proceeds
// whatever prevents that.
func TestGuardNotesABypass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claim(w.main, "Theirs", "src/**")
	w.claim(w.main, "Docs", "docs/**")
	const file = "2026-07-17T18-45-12-theirs.md"
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.MkdirAll(filepath.Join(w.link, "src"), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(w.link, "src", name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w.git(w.link, "add", ".")
	w.pass(time.Minute)
	before := w.read(file)
	start, staged := time.Now(), store.GuardRequest{Staged: true, AgentID: ptr("me")}
	bypass := func(noted string, env ...string) {
		t.Helper()
		begun := time.Now()
		a, err := w.at(w.link, append(env, "AGENT_LOCKS_BYPASS=1")...).Guard(background, staged)
		if err != nil || a.Result.Verdict != store.GuardBypassed || len(a.Warnings) > 0 || len(a.Result.Blocked) > 0 {
			t.Errorf("%q: %+v, %v", env, a, err)
		}
		if got := strings.Join(a.Result.Noted, " "); got != noted {
			t.Errorf("%q: noted on %q, want %q", env, got, noted)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%q: it took %v", env, took)
		}
	}

	// If the guard would not have blocked, there is nothing to record.
	bypass("", "AGENT_LOCKS_GUARD=off")
	bypass("", "AGENT_LOCKS_GUARD=warn")
	w.git(w.main, "config", "agentlocks.guard", "warn")
	bypass("")
	w.git(w.main, "config", "--unset", "agentlocks.guard")
	// Nor can it be recorded while somebody writes, or without git.
	mutex := flock.New(filepath.Join(w.dir(), ".mutex"))
	if err := mutex.Lock(); err != nil {
		t.Fatal(err)
	}
	bypass("")
	if err := mutex.Unlock(); err != nil {
		t.Fatal(err)
	}
	bypass("", "PATH=")
	if got := w.read(file); got != before {
		t.Errorf("noted all the same:\n%s", got)
	}

	// A commit is not delayed for long, so on a busy machine it may proceed
	// without a note.
	noted := ""
	for noted == "" && time.Since(start) < time.Minute {
		a, err := w.at(w.link, "AGENT_LOCKS_BYPASS=1").Guard(background, staged)
		if err != nil || a.Result.Verdict != store.GuardBypassed || len(a.Warnings) > 0 || len(a.Result.Blocked) > 0 {
			t.Fatalf("%+v, %v", a, err)
		}
		noted = strings.Join(a.Result.Noted, " ")
	}
	if noted != "2026-07-17T18-45-12-theirs" {
		t.Errorf("noted on %q", noted)
	}
	bypass("2026-07-17T18-45-12-theirs") // recorded once
	added := strings.TrimPrefix(w.read(file), before)
	want := `- Committed past the guard (AGENT_LOCKS_BYPASS=1) by me in ` + strconv.Quote(w.link) + `: src/a, src/b, src/c and 1 more` + "\n"
	if added == w.read(file) || strings.Count(added, "\n- ") != 1 || !strings.HasSuffix(added, want) {
		t.Errorf("added %q, want %q and nothing else: `updated` stays", added, want)
	}
	if docs := w.read("2026-07-17T18-45-12-docs.md"); strings.Contains(docs, "past the guard") {
		t.Errorf("noted on a lock that was not passed by:\n%s", docs)
	}
}

package store_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestStaleness(t *testing.T) {
	t.Parallel()
	for name, c := range gittest.SomeOf(4, map[string]struct {
		quiet time.Duration
		env   string
		asked *float64
		lease string
		want  bool
	}{
		"at the default":         {quiet: time.Hour, want: false},
		"past the default":       {quiet: time.Hour + time.Second, want: true},
		"asked":                  {quiet: 2 * time.Second, asked: ptr(0.02), want: true},
		"asked, not yet":         {quiet: time.Second, asked: ptr(0.02), want: false},
		"environment":            {quiet: 3 * time.Minute, env: "2.5", want: true},
		"asked before env":       {quiet: 3 * time.Minute, env: "2.5", asked: ptr(4.0), want: false},
		"nonsense environment":   {quiet: 59 * time.Minute, env: "abc", want: false},
		"lease is longer":        {quiet: 2 * time.Hour, lease: "180", want: false},
		"lease is over":          {quiet: 4 * time.Hour, lease: "180", want: true},
		"a lease never shortens": {quiet: 30 * time.Minute, lease: "5", want: false},
		"a huge threshold":       {quiet: 30 * time.Minute, asked: ptr(1e300), want: false},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.claim(w.main, "x", "a")
			if c.lease != "" {
				w.write(id+".md", strings.Replace(w.read(id+".md"), "\nscope:", "\nlease_minutes: "+c.lease+"\nscope:", 1))
			}
			w.pass(c.quiet)
			a, err := w.at(w.link, "AGENT_LOCKS_STALE_MINUTES="+c.env).Query(background, store.QueryRequest{StaleMinutes: c.asked})
			if err != nil || len(a.Result) != 1 || a.Result[0].Stale != c.want || a.Result[0].StaleForSeconds != int64(c.quiet/time.Second) {
				t.Errorf("%+v, %v", a.Result, err)
			}
			if c.env == "abc" {
				wantWarning(t, a.Warnings, `AGENT_LOCKS_STALE_MINUTES="abc"`)
			}
		})
	}
	w := newWorld(t)
	for _, m := range []float64{0, -5, math.NaN(), math.Inf(1)} {
		_, err := w.at(w.main).Query(background, store.QueryRequest{StaleMinutes: &m})
		wantCode(t, err, store.BadInput, "stale_minutes")
		_, err = w.at(w.main).Reap(background, store.ReapRequest{StaleMinutes: &m})
		wantCode(t, err, store.BadInput, "stale_minutes")
	}
}

// A lock can be reaped from the first second past the threshold, as soon as it
// is shown as stale, and not before.
func TestReapBeginsPastTheThreshold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	id := w.claim(w.main, "x", "a")
	w.pass(time.Hour)
	for _, dry := range []bool{true, false} {
		if a, err := s.Reap(background, store.ReapRequest{DryRun: dry}); err != nil || len(a.Result) != 0 || len(a.Warnings) != 0 {
			t.Errorf("at the threshold, dry %v: %+v, %v", dry, a, err)
		}
		_, err := s.Reap(background, store.ReapRequest{LockID: &id, DryRun: dry})
		wantCode(t, err, store.LockNotStale, "is not stale: silent only 1h")
	}
	w.pass(time.Second)
	if a, err := s.Reap(background, store.ReapRequest{LockID: &id}); err != nil || len(a.Result) != 1 || a.Result[0].StaleForSeconds != 3601 {
		t.Errorf("past it: %+v, %v", a, err)
	}
}

// If nothing was reaped, the reason is an error; otherwise the answer is what
// was done.
func TestReapThatCannotWriteSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.claim(w.main, "x", "a")
	w.write("done", "")
	w.pass(2 * time.Hour)
	_, err := w.at(w.main).Reap(background, store.ReapRequest{})
	wantCode(t, err, store.StoreUnwritable, "not a directory")
}

func TestReapNamesTheReaper(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	w.pass(2 * time.Hour)
	if _, err := w.at(w.main).Reap(background, store.ReapRequest{AgentID: ptr("ops")}); err != nil {
		t.Fatal(err)
	}
	if n := lastNote(w.show(id)); !strings.HasPrefix(n, "Reaped for inactivity at 2026-07-17T20-45-12 by ops: ") {
		t.Errorf("note %q", n)
	}
}

func TestAgesOfCenturies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	text := w.read(id + ".md")
	w.write(id+".md", strings.Replace(text, "updated: 2026", "updated: 0001", 1))
	a, err := w.at(w.main).Query(background, store.QueryRequest{})
	if err != nil || a.Result[0].StaleForSeconds < 2000*365*24*3600 {
		t.Errorf("%+v, %v", a.Result, err)
	}
	w.write(id+".md", strings.Replace(text, "updated: 2026", "updated: 9999", 1))
	a, err = w.at(w.main).Query(background, store.QueryRequest{})
	if err != nil || a.Result[0].StaleForSeconds != 0 {
		t.Errorf("%+v, %v", a.Result, err)
	}
	wantWarning(t, a.Warnings, "2912078d from now")
}

// Nor does a short threshold bypass such work, however it is requested.
func TestAShortWindowPassesNobodyBy(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, tc := range []struct {
		quiet time.Duration
		live  bool
	}{{59 * time.Second, true}, {61 * time.Second, false}} {
		w := newWorld(t)
		w.held("one", "", "src")
		w.pass(tc.quiet)
		s := w.at(w.link, "AGENT_LOCKS_STALE_MINUTES=0.01")
		two, scope := ptr("two"), []string{"src/a.go"}

		checked, err := w.at(w.link).Check(background, store.CheckRequest{Scope: scope, AgentID: two, StaleMinutes: ptr(0.01)})
		if err != nil || len(checked.Result) != 1 || checked.Result[0].Stale == tc.live {
			t.Errorf("check after %s: %+v, %v", tc.quiet, checked.Result, err)
		}
		guarded, err := s.Guard(background, store.GuardRequest{Files: scope, AgentID: two})
		if err != nil || (guarded.Result.Verdict == store.GuardBlocked) != tc.live {
			t.Errorf("guard after %s: %+v, %v", tc.quiet, guarded.Result, err)
		}
		waited, err := s.Wait(background, store.WaitRequest{Scope: scope, AgentID: two, TimeoutSeconds: ptr(0.0)})
		if err != nil || (waited.Result.Status == "timeout") != tc.live {
			t.Errorf("wait after %s: %+v, %v", tc.quiet, waited.Result, err)
		}
		edited, err := s.Edit(background, store.EditRequest{Path: filepath.Join(w.link, "src", "a.go"), AgentID: two})
		if err != nil || (len(edited.Result.Blocked) == 1) != tc.live {
			t.Errorf("edit after %s: %+v, %v", tc.quiet, edited.Result, err)
		}
		started, err := s.SessionStart(background, store.SessionRequest{Session: store.Session{ID: "s"}, OwnID: two, AgentID: two})
		if err != nil || len(started.Result.Others) != 1 || started.Result.Others[0].Stale == tc.live {
			t.Errorf("session start after %s: %+v, %v", tc.quiet, started.Result, err)
		}
		_, err = s.Create(background, store.CreateRequest{Title: "t", Scope: scope, AgentID: two, IfFree: true})
		if tc.live {
			wantCode(t, err, store.Conflict, "one")
		} else if err != nil {
			t.Errorf("if_free after %s: %v", tc.quiet, err)
		}
	}
}

// A short threshold is not a back door to somebody else's live work.
func TestReapProtectsOthers(t *testing.T) {
	t.Parallel()
	for name, c := range gittest.SomeOf(3, map[string]struct {
		holder, reaper *string
		elsewhere      bool // the reaper is in the other worktree
		quiet          time.Duration
		asked          float64
		force          bool
		env            string
		want           bool
	}{
		"own, by worktree":          {quiet: 2 * time.Second, asked: 0.01, want: true},
		"own, by id":                {holder: ptr("a"), reaper: ptr("a"), elsewhere: true, quiet: 2 * time.Second, asked: 0.01, want: true},
		"other id, same worktree":   {holder: ptr("a"), reaper: ptr("b"), quiet: 30 * time.Minute, asked: 10, want: false},
		"reaper unknown, here":      {holder: ptr("a"), quiet: 2 * time.Second, asked: 0.01, want: true},
		"reaper unknown, elsewhere": {holder: ptr("a"), elsewhere: true, quiet: 30 * time.Minute, asked: 10, want: false},
		"somebody else's":           {elsewhere: true, quiet: 30 * time.Minute, asked: 10, want: false},
		"somebody else's, forced":   {elsewhere: true, quiet: 30 * time.Minute, asked: 10, force: true, want: true},
		"force needs the threshold": {elsewhere: true, quiet: 5 * time.Minute, asked: 10, force: true, want: false},
		"somebody else's, stale":    {elsewhere: true, quiet: 61 * time.Minute, asked: 10, want: true},
		"longer than configured":    {elsewhere: true, quiet: 61 * time.Minute, asked: 90, want: false},
		"never under a minute":      {elsewhere: true, quiet: 30 * time.Second, asked: 0.01, env: "0.001", want: false},
		"configured to two minutes": {elsewhere: true, quiet: 3 * time.Minute, asked: 0.01, env: "2", want: true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			created, err := w.at(w.main).Create(background, store.CreateRequest{Title: "live", Scope: []string{"a"}, AgentID: c.holder})
			if err != nil {
				t.Fatal(err)
			}
			w.pass(c.quiet)
			dir := w.main
			if c.elsewhere {
				dir = w.link
			}
			s := w.at(dir, "AGENT_LOCKS_STALE_MINUTES="+c.env)
			r := store.ReapRequest{StaleMinutes: &c.asked, AgentID: c.reaper, Force: c.force, DryRun: true}
			dry, err := s.Reap(background, r)
			if err != nil || (len(dry.Result) == 1) != c.want {
				t.Fatalf("dry run: %+v, %v", dry, err)
			}
			named := r
			named.LockID, named.DryRun = &created.Result.ID, false
			if !c.want {
				_, err := s.Reap(background, named)
				wantCode(t, err, store.LockNotStale, "silent only")
			}
			r.DryRun = false
			a, err := s.Reap(background, r)
			if err != nil || (len(a.Result) == 1) != c.want {
				t.Fatalf("%+v, %v", a, err)
			}
			if !c.want && c.quiet.Minutes() > c.asked {
				wantWarning(t, a.Warnings, "protected")
			}
			q, err := s.Query(background, store.QueryRequest{})
			if err != nil || (len(q.Result) == 0) != c.want {
				t.Errorf("left: %+v, %v", q.Result, err)
			}
			again, err := s.Reap(background, r)
			if err != nil || len(again.Result) != 0 {
				t.Errorf("a second reap: %+v, %v", again, err)
			}
			if c.want && c.force {
				if text := w.read("done", created.Result.ID+".md"); !strings.Contains(text, "forced") {
					t.Errorf("the note does not say that it was forced:\n%s", text)
				}
			}
		})
	}
	w := newWorld(t)
	_, err := w.at(w.main).Reap(background, store.ReapRequest{LockID: ptr("")})
	wantCode(t, err, store.BadInput, "lock_id")
}

// A lease protects the caller's own lock, too, and the warning must not call it
// somebody else's.
func TestReapNamesTheLease(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	created, err := s.Create(background, store.CreateRequest{Title: "x", Scope: []string{"a"}, LeaseMinutes: ptr(120.0)})
	if err != nil {
		t.Fatal(err)
	}
	for agent, hint := range map[string]string{"own": "wait, or finish it with `lock_finish`", "another": "wait, or ask its holder"} {
		fresh, err := s.Create(background, store.CreateRequest{Title: "x", Scope: []string{"b"}, AgentID: ptr("own")})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Reap(background, store.ReapRequest{LockID: &fresh.Result.ID, AgentID: &agent})
		wantCode(t, err, store.LockNotStale, hint)
		if _, err := s.Finish(background, store.FinishRequest{Ref: ref(fresh.Result.ID), AgentID: ptr("own")}); err != nil {
			t.Fatal(err)
		}
	}
	w.pass(90 * time.Minute)
	const want = "protected: silent only 1h; its lease makes it stale after 2 hours"
	a, err := s.Reap(background, store.ReapRequest{})
	if err != nil || len(a.Result) != 0 {
		t.Fatalf("%+v, %v", a.Result, err)
	}
	wantWarning(t, a.Warnings, want)
	_, err = s.Reap(background, store.ReapRequest{LockID: &created.Result.ID})
	wantCode(t, err, store.LockNotStale, want)
}

// A lock refreshed between the listing and the reap is not reaped, and is
// reported.
func TestReapSparesWhatAHeartbeatSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	saved := w.claim(w.main, "saved", "a")
	lost := w.claim(w.main, "silent", "b")
	w.pass(2 * time.Hour)
	s := w.at(w.main)
	// A call that asks for the time while nobody holds the mutex has finished
	// listing and is judging.
	once := false
	s.Now = func() time.Time {
		now := w.clock()
		mutex := flock.New(filepath.Join(w.dir(), ".mutex"))
		free, err := mutex.TryLock()
		if err := errors.Join(err, mutex.Close()); err != nil {
			t.Error(err)
		}
		if free && !once {
			once = true
			if _, err := w.at(w.link).Heartbeat(background, store.HeartbeatRequest{Ref: ref(saved)}); err != nil {
				t.Error(err)
			}
		}
		return now
	}
	a, err := s.Reap(background, store.ReapRequest{})
	if err != nil || len(a.Result) != 1 || a.Result[0].ID != lost {
		t.Fatalf("reaped were %+v, %v; want %s alone", a.Result, err, lost)
	}
	wantWarning(t, a.Warnings, "1 stale lock was not reaped: a heartbeat refreshed it")
	if q, err := w.at(w.main).Query(background, store.QueryRequest{}); err != nil || ids(q.Result) != saved {
		t.Errorf("left: %q, %v", ids(q.Result), err)
	}
}

// The archive keeps the stamp of the last update exactly as it was in the file.
func TestReapNoteKeepsTheStampAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	w.write(id+".md", strings.Replace(w.read(id+".md"), "updated: 2026-07-17T18-45-12", "updated: 2026-07-17T20:45:12+02:00", 1))
	w.pass(90 * time.Minute)
	if a, err := w.at(w.main).Reap(background, store.ReapRequest{StaleMinutes: ptr(45.5)}); err != nil || len(a.Result) != 1 || a.Result[0].StaleForSeconds != 90*60 {
		t.Fatalf("%+v, %v", a.Result, err)
	}
	if note := "last updated 2026-07-17T20:45:12+02:00, idle for 90 minutes, threshold 45.5 minutes"; !strings.Contains(w.read("done", id+".md"), note) {
		t.Errorf("%q is missing in:\n%s", note, w.read("done", id+".md"))
	}
}

// A clock that is up to a minute ahead is not reported.
func TestSkewIsToldFromAMinuteOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	for _, c := range []struct {
		pass  time.Duration
		tells bool
	}{{-60 * time.Second, false}, {-time.Second, true}} {
		w.pass(c.pass)
		a, err := w.at(w.main).Query(background, store.QueryRequest{})
		if err != nil || a.Result[0].StaleForSeconds != 0 || (len(a.Warnings) == 1) != c.tells {
			t.Errorf("at %s: %+v, %q, %v", w.clock(), a.Result, a.Warnings, err)
		}
	}
	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(id)}); err != nil {
		t.Fatal(err)
	}
	a, err := w.at(w.main).Query(background, store.QueryRequest{Status: "all"})
	if err != nil || len(a.Result) != 1 || len(a.Warnings) > 0 {
		t.Errorf("a done lock is no fresher for it: %+v, %q, %v", a.Result, a.Warnings, err)
	}
}

package store_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// held claims a lock for an agent with a parent.
func (w *world) held(agent, parent string, scope ...string) string {
	w.t.Helper()
	r := store.CreateRequest{Title: "held", Scope: scope, Tasks: []string{"one"}, AgentID: &agent}
	if parent != "" {
		r.ParentAgentID = &parent
	}
	a, err := w.at(w.main).Create(background, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Result.ID
}

func (w *world) show(id string) store.Whole {
	w.t.Helper()
	a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: ref(id)})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Result
}

func TestWidening(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("a", "", "auth/**")
	other := w.held("b", "", "billing/x.go", "web")
	w.pass(time.Minute)
	u, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"auth/**", " billing/** "}, AddTasks: []string{"two"}, AgentID: ptr("a")})
	if err != nil || u.Result.Overlaps == nil || ids(u.Result.Overlaps) != other || u.Result.PercentComplete != 0 {
		t.Fatalf("%+v, %v", u.Result, err)
	}
	l := w.show(id)
	if got := strings.Join(l.Scope, " "); got != "auth/** billing/**" || len(l.Tasks) != 2 || l.Updated != "2026-07-17T18-46-12" {
		t.Errorf("%+v", l)
	}
	if len(l.Notes) != 1 || l.Notes[0] != "Scope widened at 2026-07-17T18-46-12: billing/**" {
		t.Errorf("notes %q", l.Notes)
	}
	c, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{"billing/y.go"}})
	if err != nil || ids(c.Result) != id {
		t.Errorf("check: %q, %v", ids(c.Result), err)
	}
	// A stranger cannot decide what somebody else claims.
	docs := store.UpdateRequest{Ref: ref(id), AddScope: []string{"docs"}, AgentID: ptr("c")}
	_, err = w.at(w.link).Update(background, docs)
	wantCode(t, err, store.NotHolder, `held by "a", and you are "c": you cannot widen it`)
	docs.Force = true
	if _, err := w.at(w.link).Update(background, docs); err != nil {
		t.Fatal(err)
	}
	if n := lastNote(w.show(id)); !strings.HasSuffix(n, ", with force by c; its holder was a: docs") {
		t.Errorf("note %q", n)
	}
}

// Whether an added entry is a directory depends on the caller's worktree, as in
// a claim.
func TestWideningByADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("a", "", "src")
	if err := os.MkdirAll(filepath.Join(w.link, "packages", "socket.io"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"packages/socket.io"}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(w.show(id).Scope, " "); got != "src packages/socket.io/" {
		t.Errorf("scope %q", got)
	}
	c, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{"packages/*/x/*.js"}})
	if err != nil || ids(c.Result) != id {
		t.Errorf("check: %q, %v", ids(c.Result), err)
	}
}

func TestNarrowing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("a", "", "src/**", "docs/*.md", "lib")
	s := w.at(w.main)
	if _, err := s.Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{" docs/*.md ", "lib/"}}); err != nil {
		t.Fatal(err)
	}
	if l := w.show(id); strings.Join(l.Scope, " ") != "src/**" || !strings.Contains(lastNote(l), "Scope narrowed at 2026-07-17T18-45-12: docs/*.md, lib") {
		t.Errorf("%q, %q", l.Scope, lastNote(l))
	}
	before := w.read(id + ".md")
	_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{"src/**"}})
	wantCode(t, err, store.BadScope, "last entry")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{"nope"}, Note: ptr("half")})
	wantCode(t, err, store.BadScope, `"nope"`, "src/**")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"a/{b"}, Note: ptr("half")})
	wantCode(t, err, store.BadScope, "a/{b")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), AddTasks: []string{"one"}, Note: ptr("half")})
	wantCode(t, err, store.BadInput, "one")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"src/**"}})
	wantCode(t, err, store.BadInput, "nothing would change")
	_, err = s.Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(-1.0)})
	wantCode(t, err, store.BadInput, "lease_minutes")
	if after := w.read(id + ".md"); after != before {
		t.Errorf("a refused update changed the file:\n%s", after)
	}
}

// Only the holder, its parent, or force can take something from a holder.
func TestWhoseItIs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	type try func(s *store.Store, id string, agent *string, force bool) error
	tries := map[string]try{
		"finish it": func(s *store.Store, id string, agent *string, force bool) error {
			_, err := s.Finish(background, store.FinishRequest{Ref: ref(id), AgentID: agent, Force: force, Summary: ptr("why")})
			return err
		},
		"narrow it": func(s *store.Store, id string, agent *string, force bool) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{"b"}, AgentID: agent, Force: force})
			return err
		},
		"shorten its lease": func(s *store.Store, id string, agent *string, force bool) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(10.0), AgentID: agent, Force: force})
			return err
		},
		"hand it over": func(s *store.Store, id string, agent *string, force bool) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), HandTo: ptr("heir"), AgentID: agent, Force: force})
			return err
		},
		"reopen it": func(s *store.Store, id string, agent *string, force bool) error {
			if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id)}); err != nil {
				return err
			}
			_, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id), AgentID: agent, Force: force, Reason: ptr("why")})
			return err
		},
	}
	for what, try := range tries {
		for name, c := range map[string]struct {
			agent *string
			force bool
			ok    bool
			note  string // required content of the notes
		}{
			"the holder":         {agent: ptr("kid"), ok: true},
			"nobody known":       {ok: true},
			"the parent":         {agent: ptr("boss"), ok: true, note: "boss"},
			"a stranger":         {agent: ptr("other")},
			"a stranger, forced": {agent: ptr("other"), force: true, ok: true, note: "other"},
		} {
			t.Run(what+" by "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				id := w.held("kid", "boss", "a", "b")
				if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(120.0)}); err != nil {
					t.Fatal(err)
				}
				err := try(w.at(w.link), id, c.agent, c.force)
				if !c.ok {
					wantCode(t, err, store.NotHolder, `"kid"`, `"other"`, "you cannot "+what, "force")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				notes := strings.Join(w.show(id).Notes, "\n")
				if c.note != "" && (!strings.Contains(notes, c.note) || !strings.Contains(notes, "kid")) {
					t.Errorf("notes name neither both: %q", notes)
				}
			})
		}
	}
}

// An amendment by another agent leaves a note; one by the holder does not.
func TestAmendmentsByAnotherLeaveANote(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	lease := func(minutes float64) store.UpdateRequest { return store.UpdateRequest{LeaseMinutes: &minutes} }
	const at = " at 2026-07-17T18-45-12"
	for what, c := range map[string]struct {
		request store.UpdateRequest
		note    string
		always  bool // the log records it for any caller
	}{
		"a first lease":  {lease(90), "Lease set" + at + " to 90 minutes", false},
		"a longer lease": {lease(180), "Lease lengthened" + at + " from 2 hours to 3 hours", false},
		"a task":         {store.UpdateRequest{AddTasks: []string{"two"}}, "1 task added" + at, false},
		"tasks":          {store.UpdateRequest{AddTasks: []string{"two", "three"}}, "2 tasks added" + at, false},
		"a wider scope":  {store.UpdateRequest{AddScope: []string{"b"}}, "Scope widened" + at + "%s: b", true},
	} {
		for name, agent := range map[string]*string{"holder": ptr("kid"), "nobody known": nil, "parent": ptr("boss"), "stranger": ptr("other")} {
			t.Run(what+" by "+name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				id := w.held("kid", "boss", "a")
				if strings.Contains(c.note, "2 hours") {
					if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(120.0)}); err != nil {
						t.Fatal(err)
					}
				}
				r := c.request
				r.Ref, r.AgentID, r.Force = ref(id), agent, true
				if _, err := w.at(w.link).Update(background, r); err != nil {
					t.Fatal(err)
				}
				note := func(by string) []string {
					if strings.Contains(c.note, "%s") {
						return []string{fmt.Sprintf(c.note, by)}
					}
					return []string{c.note + by}
				}
				anonymous := ", by a caller without an agent id in " + fmt.Sprintf("%q", w.link)
				var want []string
				switch other := agent != nil && *agent != "kid"; {
				case c.always && name == "parent":
					want = note(", by its parent boss for its holder kid")
				case c.always && name == "stranger":
					want = note(", with force by other; its holder was kid")
				case other:
					want = note(", by " + *agent)
				case agent == nil:
					want = note(anonymous)
				case c.always:
					want = note("")
				}
				if got := w.show(id).Notes; !slices.Equal(got, want) {
					t.Errorf("notes %q, want %q", got, want)
				}
			})
		}
	}
}

// Anybody may amend a lock without an agent id, and its log names the caller.
func TestAmendmentsOfAnonymousLocksNameTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"a", "b"}, LeaseMinutes: ptr(90.0)})
	if err != nil {
		t.Fatal(err)
	}
	id := a.Result.ID
	_, err = w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{"b"}, LeaseMinutes: ptr(30.0), HandTo: ptr("heir"), AgentID: ptr("x")})
	if err != nil {
		t.Fatal(err)
	}
	notes := w.show(id).Notes
	if len(notes) != 3 {
		t.Errorf("notes %q", notes)
	}
	for _, n := range notes {
		if !strings.Contains(n, ", by x") {
			t.Errorf("the note %q does not name who did it", n)
		}
	}
}

func TestWhatIsOpenToAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("kid", "", "a")
	s := w.at(w.link)
	if _, err := s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("one"), Note: ptr("n"), AgentID: ptr("other"), LeaseMinutes: ptr(90.0)}); err != nil {
		t.Error(err)
	}
}

// A stranger's heartbeat would make a dead holder's lock block again.
func TestOnlyAHolderOrItsParentKeepsALockAlive(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.held("kid", "boss", "a")
	w.pass(time.Hour)
	before := w.read(id + ".md")
	_, err := w.at(w.link).Heartbeat(background, store.HeartbeatRequest{Ref: ref(id), AgentID: ptr("other")})
	wantCode(t, err, store.NotHolder, `held by "kid"`, "`note`")
	if w.read(id+".md") != before {
		t.Error("it was written all the same")
	}
	for _, who := range []*string{ptr("boss"), ptr("kid"), nil} {
		w.pass(time.Hour)
		if a, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: ref(id), AgentID: who}); err != nil || w.show(id).Stale {
			t.Errorf("%+v, %v", a, err)
		}
	}
}

// A refusal of what only the holder may do mentions that the holder may be
// gone.
func TestARefusalSaysThatTheHoldersWorktreeIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a, err := w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"a", "b"}, AgentID: ptr("one")})
	if err != nil {
		t.Fatal(err)
	}
	two, r := ptr("two"), ref(a.Result.ID)
	refused := func(part string, gone bool) {
		t.Helper()
		_, finish := w.at(w.main).Finish(background, store.FinishRequest{Ref: r, AgentID: two})
		_, narrow := w.at(w.main).Update(background, store.UpdateRequest{Ref: r, AgentID: two, RemoveScope: []string{"b"}})
		_, beat := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: r, AgentID: two})
		for _, err := range []error{finish, narrow, beat} {
			wantCode(t, err, store.NotHolder)
			var e *store.Error
			if errors.As(err, &e); strings.Contains(e.Hint, "is gone") != gone {
				t.Errorf("%s: %q", part, e.Hint)
			}
		}
	}
	refused("there", false)
	if err := os.RemoveAll(w.link); err != nil {
		t.Fatal(err)
	}
	refused("gone", true)
}

func TestHandingOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("old", "", "a")
	if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), HandTo: ptr("new"), AgentID: ptr("old")}); err != nil {
		t.Fatal(err)
	}
	l := w.show(id)
	if *l.AgentID != "new" || !strings.Contains(lastNote(l), "from old to new") || len(l.Tasks) != 1 {
		t.Errorf("%+v", l)
	}
	_, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: ptr("old")})
	wantCode(t, err, store.NotHolder)
	_, err = w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), HandTo: ptr("new")})
	wantCode(t, err, store.BadInput, "already")
}

func TestCheckLeavesOutOnesOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.held("me", "", "src")
	other := w.held("other", "", "src")
	anonymous := w.claim(w.main, "anonymous", "src")
	for _, s := range []struct {
		agent *string
		env   string
	}{{ptr("me"), ""}, {nil, "me"}} {
		a, err := w.at(w.link, "AGENT_LOCKS_AGENT_ID="+s.env).Check(background, store.CheckRequest{Scope: []string{"src/a"}, AgentID: s.agent})
		if err != nil || ids(a.Result) != anonymous+" "+other {
			t.Errorf("%v: %q, %v", s, ids(a.Result), err)
		}
	}
}

func lastNote(w store.Whole) string {
	if len(w.Notes) == 0 {
		return ""
	}
	return w.Notes[len(w.Notes)-1]
}

func TestScopeIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	many := make([]string, 257)
	for i := range many {
		many[i] = fmt.Sprintf("dir%d/**", i)
	}
	_, err := s.Create(background, store.CreateRequest{Title: "x", Scope: many})
	wantCode(t, err, store.BadScope, "257 entries, more than 256")
	a, err := s.Create(background, store.CreateRequest{Title: "x", Scope: many[:256]})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Update(background, store.UpdateRequest{Ref: store.Ref{LockID: a.Result.ID}, AddScope: many[256:]})
	wantCode(t, err, store.BadScope, "257 entries, more than 256")
}

// A note for a dead holder must not make its lock block again. The holder's own
// update, one by a caller without an id in its worktree, and a handover do.
func TestOnlyTheHoldersUpdateIsASignOfLife(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		request   store.UpdateRequest
		elsewhere bool // from another worktree
		alive     bool
	}{
		"the holder":           {store.UpdateRequest{Note: ptr("on it"), AgentID: ptr("a")}, false, true},
		"the holder elsewhere": {store.UpdateRequest{Note: ptr("on it"), AgentID: ptr("a")}, true, true},
		"nobody known":         {store.UpdateRequest{Note: ptr("on it")}, false, true},
		"nobody known's note":  {store.UpdateRequest{Note: ptr("hi")}, true, false},
		"nobody known's tick":  {store.UpdateRequest{TaskText: ptr("one")}, true, false},
		"nobody known's task":  {store.UpdateRequest{AddTasks: []string{"two"}}, true, false},
		"nobody known's scope": {store.UpdateRequest{AddScope: []string{"docs"}}, true, false},
		"nobody known's lease": {store.UpdateRequest{LeaseMinutes: ptr(1.0)}, true, false},
		"somebody's note":      {store.UpdateRequest{Note: ptr("are you there?"), AgentID: ptr("b")}, false, false},
		"somebody's tick":      {store.UpdateRequest{TaskText: ptr("one"), AgentID: ptr("b")}, false, false},
		"somebody's scope":     {store.UpdateRequest{AddScope: []string{"docs"}, AgentID: ptr("b"), Force: true}, false, false},
		"somebody's lease":     {store.UpdateRequest{LeaseMinutes: ptr(1.0), AgentID: ptr("b")}, false, false},
		"the parent's note":    {store.UpdateRequest{Note: ptr("where are you?"), AgentID: ptr("boss")}, false, false},
		"to a successor":       {store.UpdateRequest{HandTo: ptr("b"), AgentID: ptr("b"), Force: true}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.held("a", "boss", "src/**")
			w.pass(2 * time.Hour)
			c.request.Ref = ref(id)
			dir := w.main
			if c.elsewhere {
				dir = w.link
			}
			if _, err := w.at(dir).Update(background, c.request); err != nil {
				t.Fatal(err)
			}
			if l := w.show(id); l.Stale == c.alive || (l.Updated == l.Created) == c.alive {
				t.Errorf("stale %v, updated %s", l.Stale, l.Updated)
			}
		})
	}
}

// Adding an entry and removing it at once is refused, and nothing is changed.
func TestAnEntryIsNotAddedAndRemovedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	put(t, w.main, "lib/x.go")
	id := w.claim(w.main, "t", "src/**")
	before := w.read(id + ".md")
	for added, removed := range map[string]string{"g": "g", "lib": "lib/", "./lib/": "lib", "src/**": " src/** "} {
		_, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"docs", added},
			RemoveScope: []string{removed}, Note: ptr("half")})
		wantCode(t, err, store.BadInput, "both name", "one of the two")
		if after := w.read(id + ".md"); after != before {
			t.Errorf("%q and %q: the lock is now %s", added, removed, after)
		}
	}
	if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"src/a/**"},
		RemoveScope: []string{"src/**"}}); err != nil {
		t.Errorf("to narrow an entry: %v", err)
	}
}

// An entry added later has no precedence over what somebody else was granted
// meanwhile.
func TestWideningTakesNothingFromOthers(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		by     string
		shared bool
		late   bool // the other lock is older
		atOnce bool // it is from the same second
		stale  bool // the widened lock is stale
		to     string
		scope  string
		yields bool
	}{
		"the holder":             {by: "old", scope: "src/**", yields: true},
		"a stranger":             {by: "x", scope: "src/**", yields: true},
		"elsewhere":              {by: "old", scope: "docs"},
		"over a reader":          {by: "old", scope: "src/**", shared: true},
		"over a lock before one": {by: "old", scope: "src/**", late: true},
		"what it had covered":    {by: "old", scope: "m/a/**"},
		"in the same second":     {by: "old", scope: "src/**", atOnce: true, yields: true},
		"over one's own":         {by: "old", scope: "src/**", to: "old"},
		"what it names already":  {by: "old", scope: "custom://port"},
		"a stale one":            {by: "x", scope: "src/**", stale: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			granted := func() {
				r := store.CreateRequest{Title: "granted", Scope: []string{"src/a", "m/a/x", "custom://port"}, AgentID: ptr(cmp.Or(c.to, "new")), Shared: c.shared}
				if _, err := w.at(w.main).Create(background, r); err != nil {
					t.Fatal(err)
				}
			}
			if c.late {
				granted()
				w.pass(time.Minute)
			}
			id := w.held("old", "", "m/**", "custom://port")
			if !c.atOnce {
				w.pass(time.Minute)
			}
			if c.stale {
				w.pass(2 * time.Hour)
			}
			if !c.late {
				granted()
			}
			w.pass(time.Minute)
			a, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{c.scope, "other"}, AgentID: &c.by, Force: true})
			if err != nil || strings.Contains(strings.Join(a.Warnings, "\n"), "comes first in what was added") != c.yields {
				t.Errorf("%q, %v", a.Warnings, err)
			}
			if strings.Contains(w.read(id+".md"), "live_since") != c.yields {
				t.Error(w.read(id + ".md"))
			}
			if !c.yields {
				return
			}
			for agent, want := range map[string]store.Verdict{"old": store.GuardBlocked, "new": store.GuardWarned} {
				g, err := w.at(w.main).Guard(background, store.GuardRequest{Files: []string{"src/a"}, AgentID: &agent})
				if err != nil || g.Result.Verdict != want {
					t.Errorf("%s: %+v, %v", agent, g.Result, err)
				}
			}
		})
	}
}

package store_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// What refuses a claim or a commit says where its holder is gone, or was in the
// caller's own worktree, and what to do then.
func TestRefusalsSayWhoseWorktree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, holder, parent string
		begin, end, remove   bool
		want                 string
	}{
		"its own worktree, nobody known": {from: "main", holder: "them", want: "was made from this worktree by \"them\"; if that is you, pass `agent_id` \"them\""},
		"its own worktree, live":         {from: "main", holder: "them", begin: true, want: "made from your own worktree, in another live session there"},
		"its own worktree, ended":        {from: "main", holder: "them", end: true, want: "made from your own worktree, in a session that has ended"},
		"its own child":                  {from: "main", holder: "sub", parent: "me", want: "you started \"sub\"; when it is done: `lock_finish` \"2"},
		"its child elsewhere":            {from: "link", holder: "sub", parent: "me", want: "you started \"sub\"; when it is done: `lock_finish` \"2"},
		"another worktree":               {from: "link", holder: "them"},
		"one that is gone":               {from: "link", holder: "them", remove: true, want: "is gone: if nobody works on it any longer, finish it (`lock_finish` with `force`)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			dir := map[string]string{"main": w.main, "link": w.link}[c.from]
			r := store.CreateRequest{Title: "held", Scope: []string{"src/**"}, AgentID: &c.holder}
			if c.parent != "" {
				r.ParentAgentID = &c.parent
			}
			if _, err := w.at(dir).Create(background, r); err != nil {
				t.Fatal(err)
			}
			if c.begin {
				session := store.SessionRequest{Session: store.Session{ID: "s"}, Why: "startup", OwnID: &c.holder, AgentID: &c.holder}
				if a, err := w.at(dir).SessionStart(background, session); err != nil || len(a.Warnings) > 0 {
					t.Fatal(a.Warnings, err)
				}
			}
			if c.end {
				session := store.SessionRequest{Session: store.Session{ID: "s"}, Why: "logout", OwnID: &c.holder, AgentID: &c.holder}
				if a, err := w.at(dir).SessionEnd(background, session); err != nil || len(a.Warnings) > 0 {
					t.Fatal(a.Warnings, err)
				}
			}
			if c.remove {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			_, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/a"}, AgentID: ptr("me"), IfFree: true})
			wantCode(t, err, store.Conflict, c.want)
			if c.want == "" && (says(err.Error(), "worktree") || strings.Contains(err.(*store.Error).Hint, "worktree")) {
				t.Errorf("%+v", err)
			}
			g, err := w.at(w.main).Guard(background, store.GuardRequest{Files: []string{"src/a"}, AgentID: ptr("me")})
			if err != nil || len(g.Result.Blocked) != 1 || g.Result.Blocked[0].HolderEnded != c.end || g.Result.Blocked[0].HolderRecorded != (c.begin || c.end) || g.Result.Blocked[0].WorktreeGone != c.remove {
				t.Errorf("%+v, %v", g.Result, err)
			}
		})
	}
}

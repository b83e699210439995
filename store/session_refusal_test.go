package store_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A refused claim or commit reports if the holder is gone or was in the
// caller's worktree, and what to do then.
func TestRefusalsSayWhoseWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		from, holder, parent string
		begin, end, remove   bool
		whose                store.Whose
		want                 string
	}{
		"its own worktree, nobody known": {from: "main", holder: "them", whose: store.WhoseUnknown, want: "was made from your worktree by \"them\"; if that was you under an earlier id, ask the person you work for"},
		"its own worktree, live":         {from: "main", holder: "them", begin: true, whose: store.WhoseLive, want: "made from your own worktree, in another live session there"},
		"its own worktree, ended":        {from: "main", holder: "them", end: true, whose: store.WhoseEnded, want: "made from your own worktree, in a session that has ended"},
		"its own child":                  {from: "main", holder: "sub", parent: "me", whose: store.WhoseChild, want: "you started \"sub\"; when it is done: `lock_finish` \"2"},
		"its child elsewhere":            {from: "link", holder: "sub", parent: "me", whose: store.WhoseChild, want: "you started \"sub\"; when it is done: `lock_finish` \"2"},
		"one started with it":            {from: "main", holder: "sub", parent: "boss", whose: store.WhoseKin},
		"another worktree":               {from: "link", holder: "them"},
		"one that is gone":               {from: "link", holder: "them", remove: true, whose: store.WhoseGone, want: "is gone: if nobody works on it any longer, finish it (`lock_finish` with `force`)"},
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
			_, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/a"}, AgentID: ptr("me"), ParentAgentID: ptr("boss"), IfFree: true})
			wantCode(t, err, store.Conflict, c.want)
			if c.want == "" && (says(err.Error(), "worktree") || strings.Contains(err.(*store.Error).Hint, "worktree")) {
				t.Errorf("%+v", err)
			}
			g, err := w.at(w.main).Guard(background, store.GuardRequest{Files: []string{"src/a"}, AgentID: ptr("me"), ParentAgentID: ptr("boss")})
			if err != nil || len(g.Result.Blocked) != 1 || g.Result.Blocked[0].HolderEnded != c.end || g.Result.Blocked[0].Whose != c.whose || g.Result.Blocked[0].WorktreeGone != c.remove {
				t.Errorf("%+v, %v", g.Result, err)
			}
		})
	}
}

// The hint names each holder to ask, up to a few.
func TestARefusedClaimNamesEachHolder(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	var ids []string
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		ids = append(ids, w.held(name, "", name))
	}
	_, err := w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"a", "b"}, AgentID: ptr("me"), IfFree: true})
	ask := func(name string, id int) string {
		return fmt.Sprintf("\nor ask %q: `lock_update` with `lock_id` %s and `note`\n", name, ids[id])
	}
	also := func(name string) string { return fmt.Sprintf("also blocking: %q is held by %[1]q since 2", name) }
	wantCode(t, err, store.Conflict, "; 1 more blocking\n"+also("b"), ask("a", 0), ask("b", 1)+"nothing was written")
	_, err = w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"**"}, AgentID: ptr("me"), IfFree: true})
	wantCode(t, err, store.Conflict, "; 4 more blocking\n"+also("b"), "\n"+also("c"), ask("c", 2)+"or ask the holders of 2 more\nnothing")
	if hint := err.(*store.Error).Hint; strings.Contains(hint, ids[3]) {
		t.Errorf("it names more than three: %q", hint)
	}
}

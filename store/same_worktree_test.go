package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A claim warns about others working in its worktree, by their live locks and
// live sessions there, but not about the caller's own family.
func TestClaimsWarnOfOthersInTheWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const warning = "also at work in this very worktree: "
	session := func(id, agent, subagent string) store.SessionRequest {
		return store.SessionRequest{Session: store.Session{ID: id, Subagent: subagent}, Why: "startup", OwnID: &agent, AgentID: &agent}
	}
	for name, c := range map[string]struct {
		before     func(w *world)
		me, parent string // "" for none
		want       string // "" for no warning
	}{
		"nobody":              {func(*world) {}, "me", "", ""},
		"a lock":              {func(w *world) { w.held("them", "", "docs") }, "me", "", `"them"`},
		"a lock, overlapping": {func(w *world) { w.held("them", "", "src") }, "me", "", `"them"`},
		"a lock of one's own": {func(w *world) { w.held("me", "", "docs") }, "me", "", ""},
		"a lock of nobody":    {func(w *world) { w.claim(w.main, "t", "docs") }, "me", "", ""},
		"nobody known asks":   {func(w *world) { w.held("them", "", "docs") }, "", "", ""},
		"a child":             {func(w *world) { w.held("child", "me", "docs") }, "me", "", ""},
		"a sibling":           {func(w *world) { w.held("sister", "mother", "docs") }, "me", "mother", ""},
		"the parent":          {func(w *world) { w.held("mother", "", "docs") }, "me", "mother", ""},
		"a stale lock":        {func(w *world) { w.held("them", "", "docs"); w.pass(61 * time.Minute) }, "me", "", ""},
		"another worktree": {func(w *world) {
			w.at(w.link).Create(background, store.CreateRequest{Title: "t", Scope: []string{"docs"}, AgentID: ptr("them")})
		}, "me", "", ""},
		"a session":         {func(w *world) { w.at(w.main).SessionStart(background, session("s", "them", "")) }, "me", "", `"them"`},
		"one's own session": {func(w *world) { w.at(w.main).SessionStart(background, session("s", "me", "")) }, "me", "", ""},
		"a session and a lock": {func(w *world) {
			w.at(w.main).SessionStart(background, session("s", "them", ""))
			w.held("they", "", "docs")
			w.held("them", "", "docs")
		}, "me", "", `"they", "them"`},
		"a session that ended": {func(w *world) {
			w.held("them", "", "docs")
			w.at(w.main).SessionStart(background, session("s", "them", ""))
			w.at(w.main).SessionEnd(background, session("s", "them", ""))
		}, "me", "", ""},
		"a session of long ago": {func(w *world) {
			w.at(w.main).SessionStart(background, session("s", "them", ""))
			w.pass(61 * time.Minute)
		}, "me", "", ""},
		"a session elsewhere":      {func(w *world) { w.at(w.link).SessionStart(background, session("s", "them", "")) }, "me", "", ""},
		"a session that one is in": {func(w *world) { w.at(w.main).SubagentStart(background, session("s", "them", "me")) }, "me", "", ""},
		"another subagent of one's session": {func(w *world) {
			w.at(w.main).SubagentStart(background, session("s", "them", "me"))
			w.at(w.main).SubagentStart(background, session("s", "them", "sister"))
			w.held("sister", "", "docs")
		}, "me", "", ""},
		"a subagent of one's own": {func(w *world) {
			w.at(w.main).SubagentStart(background, session("s", "me", "child"))
			w.held("child", "", "docs")
		}, "me", "", ""},
		"many": {func(w *world) {
			for _, who := range []string{"a", "b\\", "c", "d", "e"} {
				w.held(who, "", "docs")
			}
		}, "me", "", `"a", "b\\", "c" and 2 more`},
	} {
		for _, free := range []bool{false, true} {
			if free && strings.Contains(name, "overlapping") {
				continue
			}
			t.Run(fmt.Sprintf("%s, if free: %v", name, free), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				c.before(w)
				r := store.CreateRequest{Title: "t", Scope: []string{"src"}, IfFree: free}
				if c.me != "" {
					r.AgentID = &c.me
				}
				if c.parent != "" {
					r.ParentAgentID = &c.parent
				}
				a, err := w.at(w.main).Create(background, r)
				if err != nil {
					t.Fatal(err)
				}
				said := strings.Join(a.Warnings, "\n")
				if c.want == "" && strings.Contains(said, warning) || c.want != "" && !strings.Contains(said, warning+c.want+"; ") {
					t.Errorf("warnings %q, want %q", a.Warnings, c.want)
				}
			})
		}
	}
}

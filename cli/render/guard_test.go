package render

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestWaysOutNameEveryFile(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	writeWaysOut(&b, store.Guarded{Blocked: []store.Hold{{Files: []string{"src/one.ts", "src/two 2.ts"}}, {Files: []string{"src/one.ts", "three"}}}}, false)
	for _, line := range []string{"agent-locks wait --timeout 600 -- src/one.ts 'src/two 2.ts' three\n", "git reset -q -- :/src/one.ts ':/src/two 2.ts' :/three\n"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is missing in:\n%s", line, b.String())
		}
	}
}

// What a commit has too much of is counted outside the commands, which stay
// such that they can be typed.
func TestWaysOutOfManyFiles(t *testing.T) {
	t.Parallel()
	files := strings.Fields("a b c d e f g")
	const more = "   (and 2 more: agent-locks guard check --json)"
	if got := Entries(files); got != "a b c d e"+more {
		t.Error(got)
	}
	if got := OnPaths("git reset -q", files); got != "git reset -q -- :/a :/b :/c :/d :/e"+more {
		t.Error(got)
	}
}

// A refusal says what to do about a lock that was made from the committer's own
// worktree, or from one that is gone.
func TestWaysOutOfOwnAndGoneWorktrees(t *testing.T) {
	t.Parallel()
	yes, them, me, odd := true, "them", "me", strings.Repeat("x", 1000)
	for name, c := range map[string]struct {
		change func(*store.Hold)
		want   []string
	}{
		"unknown":                           {func(h *store.Hold) { h.SameWorktree = &yes }, []string{"made from this worktree by \"them\"; if that is you, pass --agent them (for a commit: AGENT_LOCKS_AGENT_ID=them)"}},
		"live":                              {func(h *store.Hold) { h.SameWorktree, h.HolderRecorded = &yes, true }, []string{"made from your own worktree, by another live session there"}},
		"ended":                             {func(h *store.Hold) { h.SameWorktree, h.HolderEnded = &yes, true }, []string{"by a session that has ended", "agent-locks update 'a b' --hand-to me --agent them"}},
		"one of two ended":                  {func(h *store.Hold) { h.SameWorktree, h.HolderEnded, h.HolderContested = &yes, true, true }, []string{"nobody can tell whose work it is", "--hand-to me --agent them"}},
		"ended, of an id that is not clean": {func(h *store.Hold) { h.AgentID, h.SameWorktree, h.HolderEnded = &odd, &yes, true }, []string{"agent-locks update 'a b' --hand-to me --force"}},
		"gone":                              {func(h *store.Hold) { h.WorktreeGone = true }, []string{"in /w (gone)", "agent-locks finish 'a b' --force", "agent-locks reap 'a b'"}},
		"child":                             {func(h *store.Hold) { h.SameWorktree, h.ParentAgentID = &yes, &me }, []string{"  finish      you started them; when it is done: agent-locks finish 'a b' --agent me\n"}},
		"child in a worktree that is gone":  {func(h *store.Hold) { h.WorktreeGone, h.ParentAgentID = true, &me }, []string{"agent-locks finish 'a b' --agent me\n"}},
		"another's child":                   {func(h *store.Hold) { h.ParentAgentID = &them }, nil},
	} {
		h := store.Hold{Summary: store.Summary{ID: "a b", Title: "t", AgentID: &them, Worktree: "/w"}, Files: []string{"a"}, Exact: true}
		c.change(&h)
		var out, fault strings.Builder
		Guarded(&out, &fault, store.Guarded{Verdict: store.GuardBlocked, Files: 1, Blocked: []store.Hold{h}, You: &me}, false, false)
		for _, part := range c.want {
			if !strings.Contains(fault.String(), part) {
				t.Errorf("%s: %q is missing:\n%s", name, part, fault.String())
			}
		}
		if strings.HasPrefix(name, "child") && strings.Contains(fault.String(), "your own worktree") || c.want == nil && strings.Contains(fault.String(), "finish  ") {
			t.Errorf("%s:\n%s", name, fault.String())
		}
	}
}

// Where no lock is concerned, none gets a note of a bypass.
func TestBypassOfAMissingClaim(t *testing.T) {
	t.Parallel()
	const note = "the lock gets a note"
	for _, c := range []struct {
		found store.Guarded
		noted bool
	}{
		{store.Guarded{Unclaimed: []string{"a"}}, false},
		{store.Guarded{Blocked: []store.Hold{{Files: []string{"a"}}}}, true},
	} {
		var b strings.Builder
		writeWaysOut(&b, c.found, true)
		if strings.Contains(b.String(), note) != c.noted || !strings.Contains(b.String(), Bypass+" git commit\n") {
			t.Errorf("%s", b.String())
		}
	}
}

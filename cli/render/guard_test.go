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
// worktree, or from one that is gone. How to pass for its holder is told to a
// person only.
func TestWaysOutOfOwnAndGoneWorktrees(t *testing.T) {
	t.Parallel()
	them, me, odd := "them", "me", strings.Repeat("x", 1000)
	const pass = "made from this worktree by \"them\"; if that is you, pass --agent them (for a commit: AGENT_LOCKS_AGENT_ID=them)"
	for name, c := range map[string]struct {
		whose        store.Whose
		agent        *string
		person       bool
		want, wanted string // what it says, and what else; "" for nothing
		never        string
	}{
		"unknown":              {store.WhoseUnknown, &them, false, "made from your worktree by \"them\"; if that was you under an earlier id, ask the person", "", "AGENT_ID="},
		"unknown, to a person": {store.WhoseUnknown, &them, true, pass, "", "ask the person"},
		"live":                 {store.WhoseLive, &them, false, "made from your own worktree, by another live session there", "", "hand-to"},
		"ended":                {store.WhoseEnded, &them, false, "by a session that has ended", "agent-locks update 'a b' --hand-to me --agent them", "nobody can tell"},
		"one of two ended":     {store.WhoseContested, &them, false, "nobody can tell whose work it is", "--hand-to me --agent them", "ask them,"},
		"ended, of an id that is not clean": {store.WhoseEnded, &odd, false, "by a session that has ended",
			"agent-locks update 'a b' --hand-to me --force", "--agent xxx"},
		"gone":    {store.WhoseGone, &them, false, "agent-locks finish 'a b' --force", "agent-locks reap 'a b'", "your own worktree"},
		"a child": {store.WhoseChild, &them, false, "  finish      you started them; when it is done: agent-locks finish 'a b' --agent me\n", "", "your own worktree"},
		"kin":     {store.WhoseKin, &them, false, "", "", "worktree"},
		"others'": {store.WhoseOthers, &them, false, "", "", "  finish"},
	} {
		h := store.Hold{Summary: store.Summary{ID: "a b", Title: "t", AgentID: c.agent, Whose: c.whose}, Files: []string{"a"}, Exact: true}
		var out, fault strings.Builder
		Guarded(&out, &fault, store.Guarded{Verdict: store.GuardBlocked, Files: 1, Blocked: []store.Hold{h}, You: &me}, false, c.person)
		if said := fault.String(); !strings.Contains(said, c.want) || !strings.Contains(said, c.wanted) || strings.Contains(said, c.never) {
			t.Errorf("%s:\n%s", name, said)
		}
	}
}

// Each holder is one to ask, and once; of many, some.
func TestARefusalNamesEachHolder(t *testing.T) {
	t.Parallel()
	var blocked []store.Hold
	for _, id := range []string{"a", "a", "b", "c", "d", "e"} { // of a lock that covers one file exactly and one perhaps
		blocked = append(blocked, store.Hold{Summary: store.Summary{ID: id, AgentID: &id}, Files: []string{id}})
	}
	for n, want := range map[int]string{
		2: "  coordinate  ask a to commit first, to finish, or to narrow the claim: agent-locks tell a 'what you need'\n  wait ",
		3: "tell a 'what you need'\n              ask b to commit first, to finish, or to narrow the claim: agent-locks tell b 'what you need'\n  wait ",
		6: "tell c 'what you need'\n              and the holders of 2 locks more\n  wait ",
	} {
		var b strings.Builder
		writeWaysOut(&b, store.Guarded{Blocked: blocked[:n]}, false)
		if !strings.Contains(b.String(), want) {
			t.Errorf("%d:\n%s", n, b.String())
		}
	}
}

// The claim that is missing is one of all files, in the committer's name.
func TestWayOutOfAMissingClaim(t *testing.T) {
	t.Parallel()
	for want, you := range map[string]*string{
		"  claim       agent-locks claim --title 'what you change' --agent me -- a 'b c' d\n": new("me"),
		"  claim       agent-locks claim --title 'what you change' -- a 'b c' d\n":            nil,
	} {
		var b strings.Builder
		writeWaysOut(&b, store.Guarded{Unclaimed: []string{"a", "b c", "d"}, You: you}, false)
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in:\n%s", want, b.String())
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

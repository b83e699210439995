package format

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
)

func TestRelate(t *testing.T) {
	t.Parallel()
	tip := func(commit, epoch string, seq uint64) Tip { return Tip{commit, Header{Epoch: epoch, Seq: seq}} }
	for name, c := range map[string]struct {
		known, found Tip
		want         Relation
	}{
		"nothing yet":             {Tip{}, Tip{}, Same},
		"the first look":          {Tip{}, tip("a", "e", 7), Successor},
		"it did not move":         {tip("a", "e", 7), tip("a", "e", 7), Same},
		"one more":                {tip("a", "e", 7), tip("b", "e", 8), Successor},
		"the history was dropped": {tip("a", "e", 7), tip("b", "e", 9), Successor},
		"a replica lags":          {tip("a", "e", 7), tip("b", "e", 6), Behind},
		"rewritten":               {tip("a", "e", 7), tip("b", "e", 7), Lost},
		"deleted":                 {tip("a", "e", 7), Tip{}, Lost},
		"deleted and made again":  {tip("a", "e", 7), tip("b", "f", 1), Lost},
		"made again, and longer":  {tip("a", "e", 7), tip("b", "f", 90), Lost},
	} {
		if got := Relate(c.known, c.found); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestHeaderReadsBack(t *testing.T) {
	t.Parallel()
	h := Header{Format: 1, Epoch: "abcdefgh", Seq: 12, Chain: 3, Nonce: "n0"}
	got, err := ParseHeader(Message(h, "agent-locks: 1 of laptop"))
	if err != nil || got != h {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestHeadersThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"",
		"x\n\nepoch: abcdefgh\nseq: 1\n",
		"x\n\nformat: 0\nepoch: abcdefgh\nseq: 1\n",
		"x\n\nformat: 1\nseq: 1\n",
		"x\n\nformat: 1\nepoch: short\nseq: 1\n",
		"x\n\nformat: 1\nepoch: ../../etc\nseq: 1\n",
		"x\n\nformat: 1\nepoch: abcdefgh\nseq: 0\n",
		"x\n\nformat: 1\nepoch: abcdefgh\nseq: -1\n",
		"x\n\nformat: 1\nepoch: abcdefgh\nseq: 99999999999999999\n",
		"format: 1\n",
	} {
		if h, err := ParseHeader(message); err == nil {
			t.Errorf("%q is read as %+v", message, h)
		}
	}
}

// git sorts a directory as if its name ended in a slash.
func TestTreesAreInGitsOrder(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("ab", 20)
	var tree Tree
	for _, name := range []string{"a-b", "a", "a.b", "b"} {
		tree = tree.With(ModeDir, name, id)
	}
	tree = tree.With(ModeFile, "a0", id).With(ModeDir, "b", "")
	var names []string
	for _, e := range tree {
		names = append(names, e.Name)
	}
	if want := []string{"a-b", "a.b", "a", "a0"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
	raw, err := tree.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseTree(raw, 20)
	if err != nil || !slices.Equal(got, tree) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := ParseTree(raw[:len(raw)-1], 20); err == nil {
		t.Error("a tree that is cut off is read")
	}
}

// Of names that differ only by letter case the one spelled the way this program does
// counts, wherever it is. If a clone is there twice, the first one counts.
func TestTwinsOfNames(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		names []string
		want  string
	}{
		{[]string{"2026-07-17T18-45-12-WEB", "2026-07-17T18-45-12-web"}, "2026-07-17T18-45-12-web"},
		{[]string{"2026-07-17T18-45-12-web", "2026-07-17t18-45-12-web"}, "2026-07-17T18-45-12-web"},
		{[]string{"2026-07-17T18-45-12-Web", "2026-07-17T18-45-12-web", "2026-07-17t18-45-12-web"}, "2026-07-17T18-45-12-web"},
		{[]string{"Mine", "mine"}, "Mine"},
	} {
		var tree Tree
		for _, name := range tc.names {
			tree = append(tree, Entry{ModeFile, name + Extension, "of " + name})
		}
		locks, said := tree.Locks()
		odd := said.MayBeLocks.Texts
		if len(locks) != 1 || locks[0] != (Entry{ModeFile, tc.want, "of " + tc.want}) || said.Count() != len(tc.names)-1 ||
			slices.ContainsFunc(odd, func(what string) bool { return strings.Contains(what, `"`+tc.want+".md") }) {
			t.Errorf("of %q it takes %v, and says %q", tc.names, locks, odd)
		}
	}
	twice := Tree{{ModeDir, "aaaaaaaa", "first"}, {ModeDir, "aaaaaaaa", "second"}}
	if clones, said := twice.Clones(""); len(clones) != 1 || clones[0].ID != "first" || said.MayBeLocks.Count != 1 {
		t.Errorf("it takes %v, and says %+v", clones, said)
	}
}

// Only the allowed fields go out, and only they are accepted.
func TestAllowed(t *testing.T) {
	t.Parallel()
	stamp, err := lockfile.ParseStamp("2026-07-17T18-45-12")
	if err != nil {
		t.Fatal(err)
	}
	agent := "agent-1"
	l := lockfile.Lock{
		ID: "2026-07-17T18-45-12-x", Title: "Title", AgentID: &agent, ParentAgentID: &agent, Status: lockfile.Active,
		Created: stamp, Updated: stamp, Scope: []string{"src/**"}, Repository: "/home/me", Worktree: "/home/me/w",
		WorktreeName: "w", Branch: "main", Head: strings.Repeat("a", 40), Mode: lockfile.Shared, LeaseMinutes: 90, LiveSince: stamp,
		Published: lockfile.Published{Fleet: "claiming", Nonce: "n0", Label: "laptop", StaleAfter: 60},
		MovedTo:   "/home/me/elsewhere", Tasks: []lockfile.Task{{Text: "task"}}, Notes: []string{"note"},
		NotesSeen: lockfile.Seen{}, WaitingForPerson: stamp,
	}
	want := `---
id: 2026-07-17T18-45-12-x
agent_id: agent-1
parent_agent_id: agent-1
status: active
created: 2026-07-17T18-45-12
updated: 2026-07-17T18-45-12
scope:
  - src/**
branch: main
head: ` + strings.Repeat("a", 40) + `
mode: shared
lease_minutes: 90
live_since: 2026-07-17T18-45-12
nonce: n0
label: laptop
stale_after: 60
---

# Title
`
	got, err := Render(l, false)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(got)))
	}
	if got, err = Render(l, true); err != nil || !strings.Contains(string(got), "- [ ] task") || !strings.Contains(string(got), "- note") {
		t.Errorf("shared whole it is %s, %v", got, err)
	}
	foreign := strings.Replace(want, "branch: main\n", "branch: main\nworktree: /etc\nfleet: claiming\nrepository: /x\nevil: [1, 2]\n", 1)
	_, data, err := Receive(l.ID, []byte(foreign))
	if err != nil || string(data) != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, string(data)))
	}
	for _, bad := range []string{"", "x", "---\n---\n", strings.Replace(want, "active", "maybe", 1), strings.Repeat("x", MaxLock+1)} {
		if _, _, err := Receive(l.ID, []byte(bad)); err == nil {
			t.Errorf("%.60q is received", bad)
		}
	}
}

func TestOwnerReadsBack(t *testing.T) {
	t.Parallel()
	o := Owner{Token: "T0", Label: "my laptop"}
	if got := ParseOwner(o.Text()); got != o {
		t.Errorf("%+v", got)
	}
	if got := ParseOwner([]byte("\x00\xff")); got != (Owner{}) {
		t.Errorf("%+v", got)
	}
}

// Any input is parsed or refused, without a panic and within the limits.
func FuzzParseTree(f *testing.F) {
	id, err := hex.DecodeString(strings.Repeat("ab", 20))
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("40000 clone001\x00" + string(id) + "100644 x.md\x00" + string(id)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tree, err := ParseTree(raw, 20)
		if err != nil {
			return
		}
		clones, _ := tree.Clones("clone001")
		locks, _ := tree.Locks()
		if len(clones) > MaxClones+1 || len(locks) > MaxLocks {
			t.Errorf("%d clones, %d locks", len(clones), len(locks))
		}
		for _, l := range locks {
			if lockfile.ValidID(l.Name) != nil {
				t.Errorf("%q is a lock's id", l.Name)
			}
		}
	})
}

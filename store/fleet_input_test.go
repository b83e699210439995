package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Invalid settings are refused in one sentence that names them, with the way out. Nothing
// is left behind: no setting, no file, no ref on the remote.
func TestFleetOnRefuses(t *testing.T) {
	t.Parallel()
	setRef := func(ref string) func(w *world, bare string) {
		return func(w *world, _ string) { w.git(w.main, "config", "agentlocks.fleetRef", ref) }
	}
	label := func(l string) store.FleetRequest { return store.FleetRequest{Label: &l} }
	for _, c := range gittest.Some(3, []struct {
		name    string
		arrange func(w *world, bare string)
		request store.FleetRequest
		code    store.Code
		parts   []string // of message and hint
	}{
		{"no such remote", nil, store.FleetRequest{Remote: "nowhere"}, store.BadInput, []string{`"nowhere"`, `there are "origin"`}},
		{"an option for a remote", nil, store.FleetRequest{Remote: "--upload-pack=touch x"}, store.BadInput,
			[]string{`"--upload-pack=touch x" cannot be a remote's name`, "`git remote` lists"}},
		{"a URL for a remote", nil, store.FleetRequest{Remote: "https://x/y"}, store.BadInput,
			[]string{`"https://x/y" cannot be a remote's name`, "git remote add"}},
		{"no remote at all", func(w *world, _ string) { w.git(w.main, "remote", "remove", "origin") }, store.FleetRequest{},
			store.BadInput, []string{`no remote "origin", nor any other`, "--remote"}},
		{"a remote that is a path that is gone", func(w *world, bare string) {
			w.git(w.main, "remote", "set-url", "origin", bare+"-gone")
		}, store.FleetRequest{}, store.FleetUnreachable, []string{"remote.git-gone", "try again"}},
		{"two push URLs", func(w *world, bare string) {
			w.git(w.main, "remote", "set-url", "--push", "--add", "origin", bare)
			w.git(w.main, "remote", "set-url", "--push", "--add", "origin", "/elsewhere")
		}, store.FleetRequest{}, store.BadInput, []string{"several push URLs", "one URL"}},
		{"another push URL", func(w *world, _ string) {
			w.git(w.main, "remote", "set-url", "--push", "origin", "/elsewhere")
		}, store.FleetRequest{}, store.BadInput, []string{"another URL than it is fetched from", "one URL"}},
		{"a label of two lines", nil, label("a\nb"), store.BadInput, []string{"line break", "one line"}},
		{"a label that nobody can see", nil, label("a\u202eb"), store.BadInput, []string{"U+202E", "one line"}},
		{"a blank label", nil, label("  "), store.BadInput, []string{"the label is empty", "one line"}},
		{"a long label", nil, label(strings.Repeat("x", 41)), store.BadInput, []string{"at most 40", "one line"}},
		{"an unknown share", nil, store.FleetRequest{Share: "everything"}, store.BadInput, []string{`"everything"`, "claims"}},
		{"a ref with a blank", setRef("refs/agent locks"), store.FleetRequest{}, store.BadInput,
			[]string{`"refs/agent locks" is not a ref's full name`, "refs/heads/agent-locks"}},
		{"a ref with dots", setRef("refs/x..y/z"), store.FleetRequest{}, store.BadInput, []string{"full name"}},
		{"a short ref", setRef("main"), store.FleetRequest{}, store.BadInput, []string{"full name"}},
		{"a ref like an option", setRef("--all"), store.FleetRequest{}, store.BadInput, []string{"full name"}},
		{"a ref with a colon", setRef("refs/a:refs/b"), store.FleetRequest{}, store.BadInput, []string{"full name"}},
		{"a ref that the host hides", func(w *world, bare string) {
			w.git(bare, "config", "transfer.hideRefs", "refs/agents-locks")
		}, store.FleetRequest{}, store.FleetRefused, []string{"hidden", "agentlocks.fleetRef"}},
		{"somebody's branch", func(w *world, bare string) {
			w.git(w.main, "push", "-q", "origin", "HEAD:refs/heads/work")
			w.git(w.main, "config", "agentlocks.fleetRef", "refs/heads/work")
		}, store.FleetRequest{}, store.FleetBroken, []string{"cannot be read", "an unused ref"}},
	}) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			bare := filepath.Join(filepath.Dir(w.main), "remote.git")
			w.git(filepath.Dir(w.main), "init", "-q", "--bare", bare)
			w.git(w.main, "remote", "add", "origin", bare)
			if c.arrange != nil {
				c.arrange(w, bare)
			}
			config, refs := w.git(w.main, "config", "--local", "--list"), w.git(bare, "for-each-ref")
			_, err := w.at(w.main).FleetOn(t.Context(), c.request)
			wantCode(t, err, c.code, c.parts...)
			if got := w.git(w.main, "config", "--local", "--list"); got != config {
				t.Errorf("the settings are\n%s\nand were\n%s", got, config)
			}
			if got := w.git(bare, "for-each-ref"); got != refs {
				t.Errorf("the remote has\n%s", got)
			}
			for _, name := range []string{"fleet", "fleet.git"} {
				if _, err := os.Stat(filepath.Join(w.dir(), name)); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s was left behind: %v", name, err)
				}
			}
		})
	}
}

// A clone that turns sharing on again keeps its id. It must turn sharing off before it
// moves to another remote, so that what it has published is withdrawn.
func TestFleetOnTwice(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	agent := "agent"
	if _, err := a.at(a.main).Create(t.Context(), claimRequest(agent, "src/**")); err != nil {
		t.Fatal(err)
	}
	before := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	labelled := func(label *string) store.FleetState {
		return get(t)(a.at(a.main).FleetOn(t.Context(), store.FleetRequest{Label: label}))
	}
	desk, none := "desk", ""
	if again := labelled(&desk); again.Clone != before.Clone || again.Label != desk || len(again.Published) != 1 {
		t.Errorf("it is %+v and was %+v", again, before)
	}
	if again := labelled(nil); again.Label != desk {
		t.Errorf("without a word about it the label is %q", again.Label)
	}
	if again := labelled(&none); again.Label != "" || strings.Contains(a.git(bare, "grep", "label: ", fleetRef), desk) {
		t.Errorf("the label was not taken away: %+v", again)
	}
	a.git(a.main, "remote", "add", "other", bare)
	_, err := a.at(a.main).FleetOn(t.Context(), store.FleetRequest{Remote: "other"})
	wantCode(t, err, store.BadInput, `through "origin" already`, "fleet off")
	get(t)(a.at(a.main).FleetOff(t.Context(), store.FleetRequest{}))
	if moved := get(t)(a.at(a.main).FleetOn(t.Context(), store.FleetRequest{Remote: "other"})); moved.Remote != "other" {
		t.Errorf("it is %+v", moved)
	}
}

// A reset never replaces a branch that did not hold locks before.
func TestResetSparesBranches(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.git(a.main, "push", "-q", "origin", "HEAD:refs/heads/work")
	work := a.git(bare, "rev-parse", "refs/heads/work")
	a.git(a.main, "config", "agentlocks.fleetRef", "refs/heads/work")
	_, err := a.at(a.main).FleetReset(t.Context(), store.FleetRequest{})
	wantCode(t, err, store.BadInput, "somebody's branch", "agentlocks.fleetRef")
	if now := a.git(bare, "rev-parse", "refs/heads/work"); now != work {
		t.Errorf("the branch is at %s, and was at %s", now, work)
	}
}

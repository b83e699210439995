package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func (w *world) put(dir string, names ...string) {
	w.t.Helper()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			w.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name+w.clock().String()), 0o666); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) commit(dir, message string) {
	w.t.Helper()
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "-q", "-m", message)
}

func (w *world) drift(dir string, id *string) []store.LockDrift {
	w.t.Helper()
	a, err := w.at(dir).Drift(background, store.DriftRequest{LockID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Result
}

func TestDrift(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if got := w.drift(w.main, nil); len(got) != 0 || got == nil {
		t.Errorf("without locks: %+v", got)
	}
	w.put(w.link, "old name.txt", "gone.txt", "src/a.go")
	w.commit(w.link, "base")
	id := w.claim(w.link, "mine", "src/**")
	if got := fmt.Sprint(w.drift(w.link, nil)); got != "[{"+id+" nothing_changed [] [] [] false 0 0 0 0 0}]" {
		t.Errorf("nothing changed: %s", got)
	}
	if line, err := store.Encode(w.drift(w.link, nil)); err != nil || strings.Contains(string(line), "null") {
		t.Errorf("an empty list is not a list: %s, %v", line, err)
	}
	w.put(w.link, "src/b.go")
	if got := fmt.Sprint(w.drift(w.link, &id)); got != "[{"+id+" covered [] [] [src/b.go] false 0 0 0 0 0}]" {
		t.Errorf("covered: %s", got)
	}

	other, err := w.at(w.main).Create(background, store.CreateRequest{Title: "theirs", Scope: []string{"docs"}, AgentID: ptr("them")})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.drift(w.link, &other.Result.ID); len(got) != 1 || !got[0].NotYours {
		t.Errorf("somebody else's: %+v", got)
	}
	w.pass(time.Second)
	w.put(w.link, "committed.txt")
	w.commit(w.link, "since the claim")
	w.git(w.link, "mv", "old name.txt", "new name.txt")
	w.git(w.link, "rm", "-q", "gone.txt")
	quotes := "docs/M\u00fcller's \"x\".md"
	if runtime.GOOS == "windows" {
		quotes = "docs/M\u00fcller's x.md" // where names cannot contain double quotes
	}
	w.put(w.link, quotes, "new dir/deep/file", "src/c.go")
	d := w.drift(w.link, &id)[0]
	want := []string{"committed.txt", quotes, "gone.txt", "new dir/deep/file", "new name.txt", "old name.txt"}
	if d.Outcome != "drifted" || fmt.Sprint(d.Outside) != fmt.Sprint(want) {
		t.Errorf("outside:\n got %q\nwant %q", d.Outside, want)
	}
	if len(d.HeldByOthers) != 1 || d.HeldByOthers[0].Path != want[1] || d.HeldByOthers[0].LockID != other.Result.ID || *d.HeldByOthers[0].AgentID != "them" || !d.HeldByOthers[0].Exact {
		t.Errorf("held by others: %+v", d.HeldByOthers)
	}
	// A file covered by the caller's second lock is not drift of the first.
	w.claim(w.link, "more", "new dir/**")
	if d := w.drift(w.link, &id)[0]; strings.Contains(fmt.Sprint(d.Outside), "new dir") {
		t.Errorf("outside: %q", d.Outside)
	}
	// Nothing changed in the other worktree.
	if got := w.drift(w.main, nil); len(got) != 1 || got[0].LockID != other.Result.ID || got[0].Outcome != "nothing_changed" {
		t.Errorf("from the main worktree: %+v", got)
	}
	w.claim(w.main, "all but x", "!(x).txt")
	if d := w.drift(w.link, &id)[0]; d.HeldByOthers[0].Path != "committed.txt" || d.HeldByOthers[0].Exact {
		t.Errorf("perhaps held by others: %+v", d.HeldByOthers)
	}
}

func TestDriftNamesWithNewlines(t *testing.T) {
	gittest.NotShort(t)
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such names")
	}
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "mine", "src")
	w.put(w.main, "a\nb")
	w.commit(w.main, "odd")
	w.put(w.main, "c\nd")
	if d := w.drift(w.main, &id)[0]; fmt.Sprintf("%q", d.Outside) != `["a%0Ab" "c%0Ad"]` {
		t.Errorf("%q", d.Outside)
	}
}

// A holder's own locks are never reported as somebody else's, wherever they
// were made. Others' locks are reported by file, with their staleness.
func TestDriftTellsWhoHoldsWhat(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	claim := func(dir, agent, scope string) string {
		a, err := w.at(dir).Create(background, store.CreateRequest{Title: scope, Scope: []string{scope}, AgentID: &agent})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID
	}
	old := claim(w.main, "them", "b")
	w.pass(2 * time.Hour)
	fresh, mine := claim(w.main, "them", "a"), claim(w.link, "me", "src")
	claim(w.main, "me", "c")
	w.put(w.link, "a", "b", "c", "d")
	d := w.drift(w.link, &mine)[0]
	if fmt.Sprint(d.Outside) != "[a b d]" {
		t.Errorf("outside: %q", d.Outside)
	}
	var held []string
	for _, h := range d.HeldByOthers {
		held = append(held, fmt.Sprint(h.Path, " ", h.LockID, " ", h.Stale))
	}
	if want := []string{"a " + fresh + " false", "b " + old + " true"}; !slices.Equal(held, want) {
		t.Errorf("held by others: %q, want %q", held, want)
	}
}

// Among several agents' locks in one worktree, drift is about the caller's own
// and those not known to be held by others.
func TestDriftIsAboutOnesOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	mine, theirs := w.held("me", "", "mine"), w.held("them", "", "theirs")
	unknown := w.claim(w.main, "unknown", "unknown")
	locks := func(agent *string) (out []string) {
		a, err := w.at(w.main).Drift(background, store.DriftRequest{AgentID: agent})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range a.Result {
			out = append(out, d.LockID)
		}
		return out
	}
	if got, want := locks(ptr("me")), []string{mine, unknown}; !slices.Equal(got, want) {
		t.Errorf("for me: %q, want %q", got, want)
	}
	if got, want := locks(nil), []string{mine, theirs, unknown}; !slices.Equal(got, want) {
		t.Errorf("for nobody in particular: %q, want %q", got, want)
	}
}

// A file that a lock may cover is reported: as drift for the caller's own lock,
// as held for another's.
func TestDriftReportsDoubts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.claim(w.link, "mine", "src/!(x).go")
	if _, err := w.at(w.main).Create(background, store.CreateRequest{Title: "theirs", Scope: []string{"src/!(y).go"}, AgentID: ptr("them")}); err != nil {
		t.Fatal(err)
	}
	w.put(w.link, "src/x.go")
	d := w.drift(w.link, &mine)[0]
	if d.Outcome != store.Drifted || fmt.Sprint(d.Outside) != "[src/x.go]" {
		t.Errorf("%s, outside: %q", d.Outcome, d.Outside)
	}
	if len(d.HeldByOthers) != 1 || d.HeldByOthers[0].Exact {
		t.Errorf("held by others: %+v", d.HeldByOthers)
	}
}

// Asked from elsewhere, drift names the worktree that it examined.
func TestDriftOfALockFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "theirs", "src")
	w.put(w.link, "docs")
	a, err := w.at(w.link).Drift(background, store.DriftRequest{LockID: &id})
	if err != nil || fmt.Sprint(a.Result[0].Outside) != "[docs]" {
		t.Errorf("%+v, %v", a, err)
	}
	wantWarning(t, a.Warnings, w.link)
}

// A planted fsmonitor program would run with the caller's rights.
func TestDriftRunsNoMonitor(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "mine", "src")
	mark := filepath.Join(t.TempDir(), "ran")
	w.git(w.main, "config", "core.fsmonitor", "touch '"+filepath.ToSlash(mark)+"'; false")
	w.put(w.main, "x")
	w.drift(w.main, &id)
	if _, err := os.Stat(mark); err == nil {
		t.Error("core.fsmonitor was run")
	}
	// The trap works: git itself triggers it.
	w.git(w.main, "status")
	if _, err := os.Stat(mark); err != nil {
		t.Skip("this git does not run core.fsmonitor")
	}
}

func TestDriftNeedsAWorktree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	w.git(w.main, "clone", "-q", "--bare", w.main, bare)
	_, err := w.at(w.main).Drift(background, store.DriftRequest{Target: store.Target{BaseDir: &bare}})
	wantCode(t, err, store.BadInput, "worktree")
}

// If too many files changed, directories stand for them, and every lock that
// holds some is named.
func TestDriftSumsDirectoriesUp(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "mine", "src")
	other := w.claim(w.link, "other", "gen/f1*")
	for i := range 300 {
		w.put(w.main, fmt.Sprintf("gen/f%d.js", i))
	}
	w.put(w.main, "go.mod")
	drift := func(limit *int) store.Answer[[]store.LockDrift] {
		t.Helper()
		a, err := w.at(w.main).Drift(background, store.DriftRequest{LockID: &id, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := drift(nil)
	d := a.Result[0]
	if got := strings.Join(d.Outside, "|"); got != "gen/ (300 files)|go.mod" || d.OutsideFiles != 301 || d.ChangedFiles != 301 || strings.Join(d.Changed, "|") != got {
		t.Errorf("%+v", d)
	}
	if h := d.HeldByOthers; len(h) != 1 || h[0].Path != "gen/ (111 files)" || h[0].LockID != other || !h[0].Exact {
		t.Errorf("%+v", d.HeldByOthers)
	}
	wantWarning(t, a.Warnings, "more than 100 files changed")
	if dir, many := store.SummedDirectory(d.Outside[0]); dir != "gen/" || !many {
		t.Errorf("%q, %v", dir, many)
	}
	all := 1000
	a = drift(&all)
	if d := a.Result[0]; len(d.Outside) != 301 || len(d.Changed) != 301 || len(d.HeldByOthers) != 111 || d.OutsideFiles != 0 || len(a.Warnings) > 0 {
		t.Errorf("%d, %d, %d, %d, %q", len(d.Outside), len(d.Changed), len(d.HeldByOthers), d.OutsideFiles, a.Warnings)
	}
	none := 0
	if _, err := w.at(w.main).Drift(background, store.DriftRequest{Limit: &none}); err == nil {
		t.Error("a limit of 0 is accepted")
	}
}

package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A wordOf is an operation on a lock whose answer delivers notes.
type wordOf func(s *store.Store, id string, agent *string) (store.NewNotes, func() error, error)

func answered[T any](a store.Answer[T], notes func(T) store.NewNotes, err error) (store.NewNotes, func() error, error) {
	return notes(a.Result), func() error {
		if a.Delivered == nil {
			return nil
		}
		return a.Delivered(background)
	}, err
}

func updating(r store.UpdateRequest) wordOf {
	return func(s *store.Store, id string, agent *string) (store.NewNotes, func() error, error) {
		r := r
		r.Ref, r.AgentID = ref(id), agent
		a, err := s.Update(background, r)
		return answered(a, func(u store.Updated) store.NewNotes { return u.NewNotes }, err)
	}
}

func heartbeat(s *store.Store, id string, agent *string) (store.NewNotes, func() error, error) {
	a, err := s.Heartbeat(background, store.HeartbeatRequest{Ref: ref(id), AgentID: agent})
	return answered(a, func(h store.Refreshed) store.NewNotes { return h.NewNotes }, err)
}

func finishing(s *store.Store, id string, agent *string) (store.NewNotes, func() error, error) {
	a, err := s.Finish(background, store.FinishRequest{Ref: ref(id), AgentID: agent, Summary: ptr("all done")})
	return answered(a, func(f store.Finished) store.NewNotes { return f.NewNotes }, err)
}

// text formats new notes briefly, as from|text each.
func text(n store.NewNotes) string {
	var out []string
	for _, note := range n.NewNotes {
		from := "?"
		if note.From != nil {
			from = *note.From
		}
		out = append(out, from+"|"+note.Text)
	}
	if n.NewNotesLeftOut > 0 {
		out = append(out, fmt.Sprintf("+%d", n.NewNotesLeftOut))
	}
	return strings.Join(out, " ")
}

// hears performs an operation, and delivers its answer.
func (w *world) hears(dir, id string, agent *string, word wordOf) string {
	w.t.Helper()
	n, arrives, err := word(w.at(dir), id, agent)
	if err == nil {
		err = arrives()
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return text(n)
}

// told adds a note by somebody.
func (w *world) told(dir, id string, agent *string, note string) {
	w.t.Helper()
	if got := w.hears(dir, id, agent, updating(store.UpdateRequest{Note: &note, Tell: true})); got != "" {
		w.t.Errorf("who wrote %q hears %q", note, got)
	}
}

func (w *world) work(agent *string) string {
	w.t.Helper()
	a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "work", Scope: []string{"src"}, Tasks: []string{"one"}, AgentID: agent})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Result.ID
}

// A note by somebody else reaches the holder once, with its next answer.
func TestNotesReachTheHolder(t *testing.T) {
	t.Parallel()
	for name, word := range gittest.SomeOf(2, map[string]wordOf{
		"a heartbeat":       heartbeat,
		"a note of its own": updating(store.UpdateRequest{Note: ptr("mine")}),
		"a task":            updating(store.UpdateRequest{TaskText: ptr("one")}),
		"a wider scope":     updating(store.UpdateRequest{AddScope: []string{"docs"}}),
		"the end":           finishing,
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			me, id := ptr("a"), w.work(ptr("a"))
			w.hears(w.main, id, me, updating(store.UpdateRequest{Note: ptr("begun")}))
			w.told(w.link, id, ptr("b"), "leave a.go\nplease")
			w.told(w.main, id, nil, "so do I")
			want := "b|leave a.go\nplease " + fmt.Sprintf("somebody in %q|so do I", w.main)
			if got := w.hears(w.link, id, me, word); got != want { // whatever the directory
				t.Errorf("the holder hears %q", got)
			}
			show, err := w.at(w.main, "AGENT_LOCKS_AGENT_ID=a").Show(background, store.ShowRequest{Ref: ref(id)})
			if err != nil || text(show.Result.NewNotes) != "" {
				t.Errorf("then show says %q, %v", text(show.Result.NewNotes), err)
			}
			if show.Result.Status == "active" {
				if got := w.hears(w.main, id, me, heartbeat); got != "" {
					t.Errorf("then it hears %q", got)
				}
			}
		})
	}
}

// Only the holder is shown others' notes as news, and nothing that another
// caller does counts as the holder's.
func TestNotesReachNobodyElse(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	id := w.work(ptr("a"))
	w.told(w.link, id, ptr("b"), "for a")
	for name, hears := range map[string]func() string{
		"its author": func() string {
			a, err := w.at(w.link, "AGENT_LOCKS_AGENT_ID=b").Show(background, store.ShowRequest{Ref: ref(id)})
			if err != nil {
				t.Fatal(err)
			}
			return text(a.Result.NewNotes)
		},
		"another agent": func() string {
			return w.hears(w.main, id, ptr("c"), updating(store.UpdateRequest{TaskText: ptr("one")}))
		},
		"nobody known": func() string { return w.hears(w.link, id, nil, heartbeat) },
		"another's show": func() string {
			a, err := w.at(w.main, "AGENT_LOCKS_AGENT_ID=c").Show(background, store.ShowRequest{Ref: ref(id)})
			if err != nil {
				t.Fatal(err)
			}
			return text(a.Result.NewNotes)
		},
	} {
		if got := hears(); got != "" {
			t.Errorf("%s hears %q", name, got)
		}
	}
	// A caller that may be the holder is shown them, and they stay new to the
	// holder.
	for range 2 {
		if got := w.hears(w.main, id, nil, heartbeat); got != "b|for a" {
			t.Errorf("somebody in the worktree hears %q", got)
		}
	}
	// A new holder gets the notes that the previous one has not seen, and those
	// that come with the handover.
	if got := w.hears(w.main, id, ptr("a"), updating(store.UpdateRequest{HandTo: ptr("d"), Note: ptr("tests are left")})); got != "" {
		t.Errorf("who hands it over hears %q", got)
	}
	w.told(w.main, id, ptr("a"), "good luck")
	want := "b|for a ?|tests are left a|good luck" // but not the note about the handover itself
	if got := w.hears(w.link, id, ptr("d"), heartbeat); got != want {
		t.Errorf("the successor hears %q", got)
	}
}

// A note by a caller without an id on a lock with one may be anybody's: it
// reaches the holder, even if the holder wrote it without passing its id. The
// holder of a lock without an id is the caller in its worktree.
func TestNotesWithoutAnIDReachTheHolder(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	before := w.show(id).Updated
	w.pass(time.Minute)
	note := updating(store.UpdateRequest{Note: ptr("mind b.go")})
	for range 2 {
		if got := w.hears(w.main, id, nil, note); got != "" {
			t.Errorf("its author hears %q", got)
		}
	}
	if after := w.show(id).Updated; after == before {
		t.Error("one who may be the holder is no sign of life")
	}
	for _, want := range []string{"?|mind b.go ?|mind b.go", ""} {
		if got := w.hears(w.main, id, me, heartbeat); got != want {
			t.Errorf("the holder hears %q, want %q", got, want)
		}
	}
	if got := w.hears(w.main, id, nil, finishing); got != "" {
		t.Errorf("who ends it hears its own summary: %q", got)
	}
	nobodys := w.work(nil)
	for _, word := range []wordOf{note, heartbeat} {
		if got := w.hears(w.main, nobodys, nil, word); got != "" {
			t.Errorf("a holder without an id hears itself: %q", got)
		}
	}
}

// An answer that did not arrive because its process was killed is repeated. A
// note that arrives between an answer and its record does not count as seen.
// What another holder was shown does not count as seen by the next one.
func TestNotesThatWereNotShownAreShownAgain(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	w.told(w.link, id, ptr("b"), "one")
	for range 2 { // killed before the answer was delivered, or recorded
		n, _, err := updating(store.UpdateRequest{Note: ptr("mine")})(w.at(w.main), id, me)
		if err != nil || text(n) != "b|one" {
			t.Fatalf("%q, %v", text(n), err)
		}
	}
	n, arrives, err := heartbeat(w.at(w.main), id, me)
	if err != nil || text(n) != "b|one" {
		t.Fatalf("%q, %v", text(n), err)
	}
	w.told(w.link, id, ptr("b"), "two")
	// Two answers to one holder, as from both front ends.
	n2, arrives2, err := heartbeat(w.at(w.main), id, me)
	if err != nil || text(n2) != "b|one b|two" {
		t.Fatalf("%q, %v", text(n2), err)
	}
	if err := arrives(); err != nil {
		t.Fatal(err)
	}
	if got := w.hears(w.main, id, me, updating(store.UpdateRequest{Note: ptr("mine, too")})); got != "b|two" {
		t.Errorf("after the first answer it hears %q", got)
	}
	if err := arrives2(); err != nil {
		t.Fatal(err)
	}
	if got := w.hears(w.main, id, me, heartbeat); got != "" {
		t.Errorf("after both it hears %q", got)
	}
	w.told(w.link, id, ptr("b"), "three")
	_, arrives, err = heartbeat(w.at(w.main), id, me)
	if err != nil {
		t.Fatal(err)
	}
	w.hears(w.main, id, me, updating(store.UpdateRequest{HandTo: ptr("d")}))
	if err := arrives(); err != nil {
		t.Fatal(err)
	}
	if got := w.hears(w.main, id, ptr("d"), heartbeat); got != "b|three" {
		t.Errorf("the successor hears %q", got)
	}
}

// `updated` in an answer reflects what the holder did, not the recording of it.
// A lock that has ended or is gone by then is not an error.
func TestTheRecordOfNotesChangesNothingElse(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	w.told(w.link, id, ptr("b"), "one")
	_, arrives, err := heartbeat(w.at(w.main), id, me)
	if err != nil {
		t.Fatal(err)
	}
	w.pass(time.Hour)
	before := w.read(id + ".md")
	if err := arrives(); err != nil {
		t.Fatal(err)
	}
	if got := w.read(id + ".md"); strings.Replace(got, "notes_seen: 1\n", "", 1) != before || got == before {
		t.Errorf("before\n%s\nafter\n%s", before, got)
	}
	w.told(w.link, id, ptr("b"), "two")
	_, arrives, err = heartbeat(w.at(w.main), id, me)
	if err != nil {
		t.Fatal(err)
	}
	w.hears(w.main, id, me, finishing)
	if err := arrives(); err != nil {
		t.Fatal(err)
	}
	if text := w.read("done", id+".md"); !strings.Contains(text, "notes_seen: 3\n") {
		t.Errorf("in the archive:\n%s", text)
	}
	w.pass(100 * 24 * time.Hour)
	if _, err := w.at(w.main).Prune(background, store.PruneRequest{OlderThan: "1d", Yes: true}); err != nil {
		t.Fatal(err)
	}
	if err := arrives(); err != nil {
		t.Errorf("of a lock that was pruned: %v", err)
	}
}

// Notes written into the file by hand or by another tool are new. If some were
// removed by hand, it is not known which, and none is missed.
func TestNotesByHandAreNew(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	for _, note := range []string{"one", "two", "three"} {
		w.hears(w.main, id, me, updating(store.UpdateRequest{Note: &note}))
	}
	w.write(id+".md", w.read(id+".md")+"- by another tool\n")
	if got := w.hears(w.main, id, me, heartbeat); got != "?|by another tool" {
		t.Errorf("it hears %q", got)
	}
	w.write(id+".md", strings.Replace(strings.Replace(w.read(id+".md"), "- one\n", "", 1), "- two\n", "", 1))
	w.told(w.link, id, ptr("b"), "four")
	w.told(w.link, id, ptr("b"), "five")
	if got := w.hears(w.main, id, me, heartbeat); !strings.HasSuffix(got, "b|four b|five") {
		t.Errorf("with notes taken out it hears %q", got)
	}
	if got := w.hears(w.main, id, me, heartbeat); got != "" {
		t.Errorf("then it hears %q", got)
	}
}

// A note edited after an answer showed it has not been seen.
func TestNotesThatChangedMeanwhileAreNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	w.told(w.link, id, ptr("b"), "one")
	_, arrives, err := heartbeat(w.at(w.main), id, me)
	if err != nil {
		t.Fatal(err)
	}
	w.write(id+".md", strings.Replace(w.read(id+".md"), "(from b) one", "(from b) another", 1))
	if err := arrives(); err != nil {
		t.Fatal(err)
	}
	if got := w.hears(w.main, id, me, heartbeat); got != "b|another" {
		t.Errorf("it hears %q", got)
	}
}

// How a lock ended without its holder is news to the holder when the lock is
// reopened.
func TestReopeningTellsTheHolderWhatHappened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.work(ptr("a"))
	w.told(w.link, id, ptr("b"), "are you there?")
	w.pass(2 * time.Hour)
	if _, err := w.at(w.link).Reap(background, store.ReapRequest{LockID: &id, AgentID: ptr("b")}); err != nil {
		t.Fatal(err)
	}
	a, err := w.at(w.main).Reopen(background, store.ReopenRequest{Ref: ref(id), AgentID: ptr("a")})
	if got := text(a.Result.NewNotes); err != nil || !strings.HasPrefix(got, "b|are you there? ?|Reaped for inactivity") || strings.Contains(got, "Reopened") {
		t.Errorf("%q, %v", got, err)
	}
}

// An answer has only as many notes as a model can read; the rest comes with the
// next.
func TestNewNotesComeInParts(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	me, id := ptr("a"), w.work(ptr("a"))
	long := strings.Repeat("<\"é\" ", 10<<10)
	w.told(w.link, id, ptr("b"), long)
	for i := range 30 {
		w.told(w.link, id, ptr("b"), fmt.Sprint(i, strings.Repeat(" and so on", 100)))
	}
	heard, answers := map[string]int{}, 0
	for answers = 0; ; answers++ {
		n, arrives, err := heartbeat(w.at(w.main), id, me)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := store.Encode(n); err != nil || len(b) > 17<<10 {
			t.Fatalf("%d bytes, %v", len(b), err)
		}
		for _, note := range n.NewNotes {
			heard[note.Text]++
		}
		if err := arrives(); err != nil {
			t.Fatal(err)
		}
		if n.NewNotesLeftOut == 0 {
			break
		}
	}
	if answers < 2 || len(heard) != 31 {
		t.Errorf("%d notes in %d answers", len(heard), answers+1)
	}
	for note, times := range heard {
		if times != 1 {
			t.Errorf("%d times %.40q", times, note)
		}
	}
}

package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// everyKind adds old locks in every possible state to a store.
func (w *world) everyKind() {
	w.t.Helper()
	const slug = "2026-07-17T18-45-12-"
	active := func(name string) string { return w.read(w.claim(w.main, name, "a") + ".md") }
	done := func(text string) string { return strings.Replace(text, "status: active", "status: done", 1) }
	active("stale")
	w.end(w.claim(w.main, "done", "a"))
	w.write(slug+"cut-before-the-move.md", done(active("cut before the move")))
	copied := done(active("cut with a copy"))
	w.write(slug+"cut-with-a-copy.md", copied)
	w.write("done/"+slug+"cut-with-a-copy.md", copied)
	twice := active("done twice")
	w.write(slug+"done-twice.md", done(twice))
	w.write("done/"+slug+"done-twice.md", done(twice)+"\nmore\n")
	w.write("done/"+slug+"active-and-done.md", done(active("active and done")))
	w.write(slug+"torn.md", "torn")
	w.write("done/"+slug+"torn-too.md", "torn")
	w.write("done/"+slug+"copy-torn.md", done(active("copy torn"))[:40])
	full := active("full")
	w.write(slug+"full.md", full+"\n## More\n"+strings.Repeat("x", 1<<20-len(full)-10)+"\n")
	w.pass(100 * 24 * time.Hour)
	w.claim(w.main, "fresh", "a")
	w.end(w.claim(w.main, "ended lately", "a"))
}

// A dry run reports what the real run does.
func TestDryRunsSayWhatIsDone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	prune := func(w *world, dry bool) string {
		a, err := w.at(w.main).Prune(background, store.PruneRequest{OlderThan: "90d", Yes: !dry})
		return fmt.Sprint(a.Result, err)
	}
	reap := func(id *string) func(w *world, dry bool) string {
		return func(w *world, dry bool) string {
			a, err := w.at(w.main).Reap(background, store.ReapRequest{LockID: id, DryRun: dry})
			if id == nil && !strings.Contains(fmt.Sprint(a.Warnings), "full\" is not reaped") {
				t.Errorf("the full one is not told of: %q", a.Warnings)
			}
			return fmt.Sprint(a.Result, err)
		}
	}
	runs := map[string]func(w *world, dry bool) string{"prune": prune, "reap": reap(nil)}
	for _, name := range []string{"stale", "done", "cut-before-the-move", "cut-with-a-copy", "done-twice", "active-and-done", "copy-torn", "torn", "full", "none"} {
		runs["reap "+name] = reap(ptr("2026-07-17T18-45-12-" + name))
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.everyKind()
			dry := run(w, true)
			if real := run(w, false); dry != real {
				t.Errorf("the dry run says\n%s\nand the real one\n%s", dry, real)
			}
			wants := map[string][]string{"prune": {"-done ", "-cut-before-the-move ", "-cut-with-a-copy "}, "reap": {"-stale "}}
			for _, want := range wants[name] {
				if !strings.Contains(dry, want) {
					t.Errorf("%q is missing in %s", want, dry)
				}
			}
			if gone := strings.Count(dry, "{"); wants[name] != nil && gone != len(wants[name]) {
				t.Errorf("%d locks in %s, want %d", gone, dry, len(wants[name]))
			}
		})
	}
}

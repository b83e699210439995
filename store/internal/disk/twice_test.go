package disk

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// What a killed process, or a person, can leave behind of one lock.
func TestOneIDInBothPlaces(t *testing.T) {
	t.Parallel()
	const active, done = lockfile.Active, lockfile.Done
	id := stamp + "-x"
	torn := "---\nid"
	type seen struct {
		Serial   int
		Archived bool
		Done     bool
		Dup      bool
		Other    bool
	}
	for name, c := range map[string]struct {
		active, done string // content of the files; "" for none
		want         *seen  // by Get and by listings; nil if unreadable
		faults       int
		notes        int
		settled      []string // the files after the next writer
	}{
		"finish cut short":      {text(id, done, 2), "", &seen{2, false, true, false, false}, 0, 0, []string{"done"}},
		"equal copies":          {text(id, done, 2), text(id, done, 2), &seen{2, true, true, false, true}, 0, 0, []string{"done"}},
		"both done, not equal":  {text(id, done, 2), text(id, done, 1), &seen{1, true, true, true, true}, 0, 1, []string{"active", "done"}},
		"active and done":       {text(id, active, 2), text(id, done, 1), &seen{2, false, false, true, true}, 0, 1, []string{"active", "done"}},
		"active beside torn":    {text(id, active, 2), torn, &seen{2, false, false, true, true}, 0, 1, []string{"active", "done"}},
		"torn beside done":      {torn, text(id, done, 1), nil, 1, 0, []string{"active", "done"}},
		"done beside torn":      {text(id, done, 2), torn, nil, 1, 0, []string{"active", "done"}},
		"torn in both":          {torn, torn, nil, 2, 0, []string{"active", "done"}},
		"active status in done": {"", text(id, active, 1), &seen{1, true, true, false, false}, 0, 0, []string{"done"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := at(t, storetest.NewCommon(t))
			paths := map[string]string{"active": filepath.Join(d.Path, id+".md"), "done": filepath.Join(d.Path, "done", id+".md")}
			for place, content := range map[string]string{"active": c.active, "done": c.done} {
				if content != "" {
					storetest.Put(t, paths[place], content)
				}
			}
			d = at(t, filepath.Dir(d.Path)) // the store exists by now
			look := func(e Entry) *seen {
				n, err := whole(e.File)
				if err != nil {
					t.Error(err)
				}
				return &seen{n, e.Archived, e.Done(), e.Duplicate, e.Other != ""}
			}

			e, err := d.Get(t.Context(), id)
			switch {
			case c.want == nil && !errors.Is(err, fault.BadInput):
				t.Errorf("get: %v, want the fault", err)
			case c.want != nil && err != nil:
				t.Errorf("get: %v", err)
			case c.want != nil:
				if diff := cmp.Diff(c.want, look(e)); diff != "" {
					t.Errorf("get (-want +got):\n%s", diff)
				}
			}
			l := listed(t, d, All)
			if len(l.Bad) != c.faults || len(l.Notes) != c.notes || len(l.Entries) > 1 {
				t.Errorf("listed: %v", l)
			}
			if c.want != nil {
				if diff := cmp.Diff(c.want, look(l.Entries[0])); diff != "" {
					t.Errorf("list (-want +got):\n%s", diff)
				}
				if got := len(listed(t, d, ActiveOnly).Entries) == 1; got == c.want.Done {
					t.Errorf("among the active ones: %v", got)
				}
			}

			tx := locked(t, d)
			wantPlaces := func() {
				t.Helper()
				var places []string
				for _, place := range []string{"active", "done"} {
					if _, err := os.Lstat(paths[place]); err == nil {
						places = append(places, place)
					}
				}
				if diff := cmp.Diff(c.settled, places); diff != "" {
					t.Errorf("where it is after the next writer (-want +got):\n%s", diff)
				}
			}
			if _, err := tx.Dir.Get(t.Context(), id); (err == nil) != (c.want != nil) {
				t.Errorf("get by a writer: %v", err)
			}
			wantPlaces()
			for place, content := range map[string]string{"active": c.active, "done": c.done} {
				if content != "" {
					storetest.Put(t, paths[place], content)
				}
			}
			listed(t, tx.Dir, ActiveOnly)
			wantPlaces()
		})
	}
}

func TestNothingInDoneIsOverwritten(t *testing.T) {
	t.Parallel()
	id := stamp + "-x"
	d := at(t, storetest.NewCommon(t))
	tx := locked(t, d)
	e, err := tx.Create(id, fresh)
	if err != nil {
		t.Fatal(err)
	}
	archived := filepath.Join(d.Path, "done", id+".md")
	storetest.Put(t, archived, "OLD")
	before := storetest.Tree(t, d.Path)
	_, err = tx.finishFile(e, made(t, id, lockfile.Done, 1))
	wantDuplicate(t, err, e.Path, archived)
	if diff := cmp.Diff(before, storetest.Tree(t, d.Path)); diff != "" {
		t.Errorf("a refused finish changed (-before +after):\n%s", diff)
	}

	storetest.Put(t, archived, text(id, lockfile.Done, 1))
	done, err := parse(id, lockfile.Done, 1)
	if err != nil {
		t.Fatal(err)
	}
	before = storetest.Tree(t, d.Path)
	_, err = tx.reopenFile(newEntry(&Folder{Path: filepath.Dir(archived)}, done, true), made(t, id, lockfile.Active, 2))
	wantDuplicate(t, err, e.Path, archived)
	if diff := cmp.Diff(before, storetest.Tree(t, d.Path)); diff != "" {
		t.Errorf("a refused reopen changed (-before +after):\n%s", diff)
	}
}

func wantDuplicate(t *testing.T, err error, paths ...string) {
	t.Helper()
	var e *fault.Error
	if !errors.Is(err, fault.DuplicateID) || !errors.As(err, &e) || e.Hint == "" {
		t.Fatalf("error %v, want %v with a way out", err, fault.DuplicateID)
	}
	for _, path := range paths {
		if !strings.Contains(e.Message, strconv.Quote(path)) {
			t.Errorf("the message %q does not name %s", e.Message, path)
		}
	}
}

package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// foreseen is a forecast as lines.
func (w *world) foreseen(dir string, r store.ForecastRequest) (lines []string, a store.Answer[store.Foreseen]) {
	w.t.Helper()
	a, err := w.at(dir).Forecast(background, r)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range a.Result.Pairs {
		lines = append(lines, fmt.Sprintf("%s %s/%s %s %s", p.State, filepath.Base(p.Yours.Place()), filepath.Base(p.Theirs.Place()), p.Theirs.LockID, p.Why))
		for _, f := range p.Files {
			lines = append(lines, fmt.Sprint(f.Path, " ", f.Kind, f.Lines, f.CoveredBy))
		}
	}
	return lines, a
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// A forecast joins what conflicts with who claimed it: each lock that covers a
// file, and of the other worktree the lock that covers most.
func TestForecastJoinsLocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	mine := w.claim(w.main, "mine", "src/**")
	w.claim(w.link, "something else", "docs")
	theirs := w.claim(w.link, "theirs", "src/a.go")
	done := w.claim(w.link, "done", "src/**")
	if _, err := w.at(w.link).Finish(background, store.FinishRequest{Ref: ref(done)}); err != nil {
		t.Fatal(err)
	}
	w.claim(w.link, "later", "elsewhere")
	for _, dir := range []string{w.main, w.link} {
		for _, name := range []string{"src/a.go", "free.txt"} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(dir+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	got, a := w.foreseen(w.main, store.ForecastRequest{})
	pair := fmt.Sprintf("conflict %s/%s %s ", filepath.Base(w.main), filepath.Base(w.link), theirs)
	free := "free.txt both_added[[1 1]] []"
	wantLines(t, got, pair, free, "src/a.go both_added[[1 1]] ["+mine+" "+theirs+"]")
	if p := a.Result.Pairs[0]; p.Yours.Changed != 2 || p.Yours.LockID != "" || p.Theirs.Title != "theirs" || !a.Result.Exact || len(a.Warnings) > 0 {
		t.Errorf("%+v, warnings %q", a.Result, a.Warnings)
	}
	got, _ = w.foreseen(w.main, store.ForecastRequest{Scope: []string{"*.txt"}})
	wantLines(t, got, strings.Replace(pair, theirs, a.Result.Pairs[0].Theirs.LockID, 1), free)
	if got, a = w.foreseen(w.main, store.ForecastRequest{Scope: []string{"docs"}}); len(got) > 0 || a.Result.Clean != 1 {
		t.Errorf("%q, %d clean", got, a.Result.Clean)
	}
	if line, err := store.Encode(a.Result); err != nil || string(line) != `{"pairs":[],"clean":1,"exact":true}` {
		t.Errorf("%s, %v", line, err)
	}
}

// Who holds a file in the other worktree is said of each file: by a live lock that
// is not only for reading. The worktree is its latest claimant's still.
func TestForecastNamesTheHolderOfEachFile(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	claim := func(agent, scope string, shared bool) {
		w.pass(time.Second)
		r := claimRequest(agent, scope)
		r.Shared, r.IfFree = shared, false
		if _, err := w.at(w.link).Create(background, r); err != nil {
			t.Fatal(err)
		}
	}
	claim("gone", "stale.txt", false)
	w.pass(100 * time.Hour)
	claim("one", "a.txt", false)
	claim("two", "b.txt", false)
	claim("three", "*.txt", true)
	w.claim(w.main, "mine", "c.txt")
	for _, dir := range []string{w.main, w.link} {
		w.put(dir, "a.txt", "b.txt", "c.txt", "stale.txt")
		w.pass(time.Second) // the text is the time's
	}
	_, a := w.foreseen(w.main, store.ForecastRequest{})
	var got []string
	for _, f := range a.Result.Pairs[0].Files {
		holder := "-"
		if f.HeldBy != nil {
			holder = *f.HeldBy
		}
		got = append(got, f.Path+" "+holder)
	}
	wantLines(t, got, "a.txt one", "b.txt two", "c.txt -", "stale.txt -")
	if theirs := a.Result.Pairs[0].Theirs.AgentID; theirs == nil || *theirs != "three" {
		t.Errorf("theirs: %v", theirs)
	}
}

// Names that look alike once their odd bytes are escaped can be distinguished.
func TestForecastOfNamesThatLookAlike(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no file has such a name there")
	}
	w := newWorld(t)
	names := []string{"e%09f", "e\tf", "\xff%FF", "%FF\xff"}
	for _, dir := range []string{w.main, w.link} {
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(dir), 0o666); err != nil {
				t.Skip(err)
			}
		}
	}
	_, a := w.foreseen(w.main, store.ForecastRequest{})
	line, err := store.Encode(a.Result)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Pairs []struct {
			Files []struct {
				Path  string
				Bytes []byte `json:"path_bytes"`
			}
		}
	}
	if err := json.Unmarshal(line, &read); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range read.Pairs[0].Files {
		if f.Bytes != nil {
			f.Path = string(f.Bytes)
		}
		got = append(got, f.Path)
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		t.Errorf("%q in %s", got, line)
	}
}

// What cannot be compared is said, and is no "clean".
func TestForecastOfWhatCannotBeCompared(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.git(w.link, "checkout", "-q", "--orphan", "unborn")
	got, a := w.foreseen(w.main, store.ForecastRequest{})
	if len(got) != 1 || !strings.HasPrefix(got[0], "not_assessed ") || !strings.Contains(got[0], "no commit yet") || a.Result.Clean != 0 {
		t.Errorf("%q, %+v", got, a.Result)
	}
	w.git(w.main, "checkout", "-q", "--orphan", "unborn-too")
	if got, a = w.foreseen(w.main, store.ForecastRequest{}); len(got) != 1 || a.Result.Clean != 0 {
		t.Errorf("neither has a commit: %q, %+v", got, a.Result)
	}
	w.git(w.main, "checkout", "-q", "-f", "main")
	w.git(w.main, "worktree", "remove", "--force", w.link)
	if got, a = w.foreseen(w.main, store.ForecastRequest{}); len(got) != 0 || !strings.Contains(strings.Join(a.Warnings, ""), "nothing to compare with") {
		t.Errorf("%q, warnings %q", got, a.Warnings)
	}
	w.git(w.main, "worktree", "add", "-q", "--detach", w.link)
	if err := os.Remove(filepath.Join(w.link, ".git")); err != nil {
		t.Fatal(err)
	}
	if got, a = w.foreseen(w.main, store.ForecastRequest{}); len(got) != 0 || !strings.Contains(strings.Join(a.Warnings, ""), "is skipped") {
		t.Errorf("%q, warnings %q", got, a.Warnings)
	}
	bad := map[string]store.ForecastRequest{
		`"nowhere" is not a commit`: {Against: ptr("nowhere")},
		`"main..side" is a range`:   {Against: ptr("main..side")},
		`"-x" is not a commit`:      {Against: ptr("-x")},
		`"" is not a commit`:        {Against: ptr("")},
		`"a[b"`:                     {Scope: []string{"a[b"}},
		"names no files":            {Scope: []string{"custom://port-1"}},
		`does not exist`:            {Target: store.Target{BaseDir: ptr(filepath.Join(w.main, "gone"))}},
	}
	for want, r := range bad {
		_, err := w.at(w.main).Forecast(background, r)
		var e *store.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, want) || e.Hint == "" {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, err := w.at(t.TempDir()).Forecast(background, store.ForecastRequest{}); !errors.Is(err, store.NotARepository) {
		t.Errorf("outside: %v", err)
	}
}

// Another history than the repository's own is not what is merged.
func TestForecastRefusesAnotherHistory(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	for _, variable := range []string{"GIT_REPLACE_REF_BASE=refs/other/", "GIT_GRAFT_FILE=/tmp/grafts", "GIT_SHALLOW_FILE=/tmp/shallow"} {
		name, _, _ := strings.Cut(variable, "=")
		_, err := w.at(w.main, variable).Forecast(background, store.ForecastRequest{})
		if !errors.Is(err, store.BadInput) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", variable, err)
		}
		if _, err := w.at(w.main, variable).Forecast(background, store.ForecastRequest{Target: store.Target{BaseDir: &w.main}}); err != nil {
			t.Errorf("%s, with base_dir: %v", variable, err)
		}
	}
}

// A bare repository has no worktree to compare with others, but may ask about
// every two.
func TestForecastFromABareRepository(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	bare := filepath.Join(t.TempDir(), "bare.git")
	w.git(w.main, "clone", "-q", "--bare", w.main, bare)
	if _, err := w.at(bare).Forecast(background, store.ForecastRequest{}); !errors.Is(err, store.BadInput) {
		t.Errorf("%v", err)
	}
	if _, err := w.at(bare).Forecast(background, store.ForecastRequest{All: true}); err != nil {
		t.Errorf("%v", err)
	}
}

// A temporary directory that is not there is an error with a way out.
func TestForecastWithoutATemporaryDirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := *w.at(w.main)
	s.Environ = func() []string { return append(w.at(w.main).Environ(), "TMPDIR="+filepath.Join(w.main, "nowhere")) }
	_, err := s.Forecast(background, store.ForecastRequest{})
	var e *store.Error
	if !errors.As(err, &e) || e.Code != store.StoreUnwritable || !strings.Contains(e.Hint, "TMPDIR") {
		t.Errorf("%v", err)
	}
	s.Environ = func() []string { return []string{"PATH=" + filepath.Join(w.main, "nowhere")} }
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forecast(background, store.ForecastRequest{}); !errors.Is(err, store.GitFailed) {
		t.Errorf("without git: %v", err)
	}
}

// Who claimed a file by the name that it has in their worktree, or asks by it, is
// told of a conflict that git knows only by the new name.
func TestForecastOfRenamedFileCountsByEachName(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "line %d\n", i)
	}
	put := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(w.main, "old.txt", text.String())
	w.git(w.main, "add", "-A")
	w.git(w.main, "commit", "-qm", "base")
	w.git(w.link, "reset", "-q", "--hard", w.git(w.main, "rev-parse", "HEAD"))
	w.git(w.main, "mv", "old.txt", "new.txt")
	put(w.main, "new.txt", strings.Replace(text.String(), "line 7\n", "mine\n", 1))
	put(w.link, "old.txt", strings.Replace(text.String(), "line 7\n", "theirs\n", 1))
	theirs := w.claim(w.link, "theirs", "old.txt")
	for _, scope := range [][]string{nil, {"old.txt"}, {"new.txt"}} {
		got, _ := w.foreseen(w.link, store.ForecastRequest{Scope: scope})
		pair := fmt.Sprintf("conflict %s/%s  ", filepath.Base(w.link), filepath.Base(w.main))
		wantLines(t, got, pair, "old.txt content[[8 8]] ["+theirs+"]")
		got, a := w.foreseen(w.main, store.ForecastRequest{Scope: scope})
		pair = fmt.Sprintf("conflict %s/%s %s ", filepath.Base(w.main), filepath.Base(w.link), theirs)
		wantLines(t, got, pair, "new.txt content[[8 8]] ["+theirs+"]")
		if f := a.Result.Pairs[0].Files[0]; !slices.Equal(f.Names, []string{"old.txt"}) {
			t.Errorf("%+v", f)
		}
	}
}

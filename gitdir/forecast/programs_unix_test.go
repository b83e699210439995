//go:build unix

package forecast_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// ran lists the marks that programs left.
func (s *sandbox) ran() []string {
	s.Helper()
	entries, err := os.ReadDir(s.path("marks"))
	if err != nil && !os.IsNotExist(err) {
		s.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// mark is a command that leaves a mark and does as `cat`.
func (s *sandbox) mark(name string) string {
	s.mkdir("marks")
	s.script("bin/"+name, "touch '"+s.path("marks/"+name)+"'\ncat\n")
	return s.path("bin/" + name)
}

// No program that a configuration or attributes name is run, but the content
// filters that status runs.
func TestRunsNoPrograms(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.write("main/.git/hooks/.keep", "")
	for key, value := range map[string]string{
		"core.fsmonitor":      s.mark("fsmonitor"),
		"merge.drv.driver":    s.mark("driver"),
		"merge.default":       "drv",
		"diff.external":       s.mark("external"),
		"diff.conv.textconv":  s.mark("textconv"),
		"core.pager":          s.mark("pager"),
		"core.editor":         s.mark("editor"),
		"gpg.program":         s.mark("gpg"),
		"commit.gpgSign":      "true",
		"filter.keep.clean":   s.mark("clean"),
		"core.attributesFile": s.path("attributes"),
	} {
		s.git("main", "config", key, value)
	}
	for _, hook := range []string{"post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout"} {
		s.script("main/.git/hooks/"+hook, "touch '"+s.path("marks/"+hook)+"'\n")
	}
	s.write("attributes", "f merge=drv diff=conv\nk filter=keep\n")
	s.conflicting()
	s.remove("marks")
	s.mkdir("marks")
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res), `main w driver "f"`, `main w: a merge driver, which is not run, decides about "f"`)
	s.wants(s.ran())

	s.write("w/k", "kept\n")
	s.ask("main", forecast.Request{})
	s.wants(s.ran(), "clean") // as `git status` and `git add` there would

	s.remove("marks")
	s.mkdir("marks")
	foreign, _, err := s.find("main").Unfiltered(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := forecast.Of(t.Context(), foreign, forecast.Request{Temp: s.temp}); err != nil {
		t.Fatal(err)
	}
	s.wants(s.ran())
}

// Merge attributes are the worktree's own: two changes of a file that is not to
// be merged conflict, of a union they do not, and a driver decides only where
// there is one.
func TestMergeAttributes(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.git("", "init", "-q", "main")
	s.git("main", "config", "merge.drv.driver", s.mark("driver"))
	s.write("main/.gitattributes", "*.lock -merge\n*.bin binary\n*.log merge=union\n*.drv merge=drv\n*.un merge=unheard\n*.txt merge\n")
	names := []string{"a.lock", "a.bin", "a.log", "a.drv", "a.un", "a.txt"}
	for _, name := range names {
		s.write("main/"+name, numbered(20))
		s.write("main/same-"+name, numbered(20))
	}
	s.commit("main")
	s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
	for _, name := range names {
		s.edit("main/"+name, 3, "mine")
		s.edit("w/"+name, 18, "theirs") // as text, clean
		s.edit("main/same-"+name, 3, "mine")
		s.edit("w/same-"+name, 3, "theirs")
	}
	s.wants(s.told(s.ask("main", forecast.Request{})),
		`main w content "a.bin"`,
		`main w driver "a.drv"`,
		`main w content "a.lock"`,
		`main w content "same-a.bin"`,
		`main w driver "same-a.drv"`,
		`main w content "same-a.lock"`,
		`main w content "same-a.txt" [[3 3]]`,
		`main w content "same-a.un" [[3 3]]`,
		`main w: a merge driver, which is not run, decides about "a.drv", "same-a.drv"`)
	s.wants(s.ran())
}

// A filter that fails loses its own files, not the others.
func TestFilterThatFails(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.write("main/.gitattributes", "*.lfs filter=lfs\n")
	s.commit("main")
	s.git("w", "merge", "-q", "main")
	s.git("main", "config", "filter.lfs.clean", "exit 1")
	s.git("main", "config", "filter.lfs.required", "true")
	for _, name := range []string{"a.lfs", "z.lfs", "m.txt"} {
		s.write("w/"+name, "x\n")
	}
	s.conflicting()
	res := s.ask("main", forecast.Request{})
	s.wants(s.told(res), conflictInF)
	var omitted []string
	for _, o := range res.Sides[1].Omitted {
		omitted = append(omitted, o.Path)
	}
	s.wants(omitted, "a.lfs", "z.lfs")
	if res.Sides[1].Changed != 2 { // f and m.txt
		t.Errorf("%d changed", res.Sides[1].Changed)
	}
	s.write("main/a.lfs", "x\n") // fails there as well: neither is known
	s.wants(s.told(s.ask("main", forecast.Request{})), conflictInF,
		`main w: "a.lfs" in "DIR/main" is not compared: git cannot read it: fatal: a.lfs: clean filter 'lfs' failed`)
}

// A partial clone lacks objects; none is fetched, and a pair that needs them is
// not judged.
func TestPartialCloneFetchesNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	s.git("main", "config", "uploadpack.allowFilter", "true")
	s.edit("w/g", 3, "theirs")
	s.commit("w")
	s.edit("main/g", 3, "mine")
	s.commit("main")
	s.git("", "clone", "-q", "--filter=blob:none", "file://"+s.path("main"), "partial")
	s.git("partial", "worktree", "add", "-q", "--no-checkout", "../pw", "origin/w")
	s.write("partial/new", "x\n")
	s.git("partial", "config", "remote.origin.uploadpack", s.mark("uploadpack"))
	before := s.sum("partial/.git")
	told := s.told(s.ask("partial", forecast.Request{}))
	if len(told) != 1 || !strings.HasPrefix(told[0], "partial pw: fatal: ") {
		t.Errorf("told: %q", told)
	}
	s.wants(s.ran())
	if s.sum("partial/.git") != before {
		t.Error("files changed")
	}
}

// withoutMergeTree is a PATH on which git is older than 2.38.
func (s *sandbox) withoutMergeTree() string {
	git, err := exec.LookPath("git")
	if err != nil {
		s.Fatal(err)
	}
	s.script("old/git", `for arg; do [ "$arg" = --write-tree ] && { echo "usage: git merge-tree" >&2; exit 129; }; done
exec '`+git+`' "$@"
`)
	return "PATH=" + s.path("old") + string(filepath.ListSeparator) + os.Getenv("PATH")
}

// git 2.38 has no --stdin; older ones do not merge trees, and what they are
// asked instead is not exact.
func TestOlderGits(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := newSandbox(t)
	s.two()
	for _, name := range []string{"moved", "gone", "clean"} {
		s.write("main/"+name, strings.ReplaceAll(numbered(30), "line", name))
	}
	s.commit("main")
	s.git("w", "merge", "-q", "main")
	s.conflicting()
	s.git("main", "mv", "moved", "to")
	s.edit("w/moved", 4, "theirs")
	s.edit("main/to", 4, "mine")
	s.remove("main/gone")
	s.edit("w/gone", 4, "theirs")
	s.edit("main/g", 4, "mine")
	s.remove("w/g")
	s.edit("main/clean", 4, "mine")
	s.edit("w/clean", 14, "theirs")
	s.write("main/new", "a\n")
	s.write("w/new", "b\n")
	s.write("main/same", "a\n")
	s.write("w/same", "a\n")
	s.write("main/dir", "a\n")
	s.write("w/dir/x", "b\n")
	s.write("main/bin", "\x00a\n")
	s.write("w/bin", "\x00b\n")
	exact := s.told(s.ask("main", forecast.Request{}))
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s.script("2.38/git", `for arg; do [ "$arg" = --write-tree ] && tree=1; [ "$arg" = --stdin ] && [ "$tree" ] && exit 129; done
exec '`+git+`' "$@"
`)
	res := s.ask("main", forecast.Request{}, "PATH="+s.path("2.38")+":"+os.Getenv("PATH"))
	s.wants(s.told(res), exact...)
	if !res.Exact {
		t.Error("2.38 is exact")
	}
	res = s.ask("main", forecast.Request{}, s.withoutMergeTree())
	if res.Exact {
		t.Error("older gits are not exact")
	}
	var plain []string
	for _, line := range exact {
		line, _, _ = strings.Cut(line, " [[")
		plain = append(plain, line)
	}
	s.wants(s.told(res), plain...)
}

// On real messes the fallback finds nearly all, and hardly anything else.
func TestFallbackOnMesses(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	seeds, files := 6, 100
	found, missed, wrong := 0, 0, 0
	for seed := range seeds {
		m := newMess(newSandbox(t), uint64(100+seed), files, 3)
		paths := func(res *forecast.Result) []string {
			var all []string
			for _, p := range res.Pairs {
				for _, f := range p.Files {
					all = append(all, m.name(res, p.Yours)+m.name(res, p.Theirs)+f.Path)
				}
			}
			return all
		}
		exact := paths(m.ask("main", forecast.Request{All: true}))
		old := paths(m.ask("main", forecast.Request{All: true}, m.withoutMergeTree()))
		for _, path := range exact {
			found++
			if !slices.Contains(old, path) {
				missed++
			}
		}
		for _, path := range old {
			if !slices.Contains(exact, path) {
				wrong++
			}
		}
	}
	t.Logf("of %d, %d missed; %d wrong", found, missed, wrong)
	if found == 0 || missed*2 > found || wrong*4 > found {
		t.Errorf("of %d, %d missed; %d wrong", found, missed, wrong)
	}
}

// What a killed process leaves is removed by one that comes an hour later, and
// not earlier.
func TestLeftoversAreSwept(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	if dir := os.Getenv("FORECAST_TEST_DIR"); dir != "" { // the process that is killed
		repo, err := gitdir.Find(context.Background(), gitdir.Query{BaseDir: &dir, Environ: os.Environ()})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = forecast.Of(context.Background(), repo, forecast.Request{Temp: os.Getenv("FORECAST_TEST_TEMP")})
		return
	}
	s := newSandbox(t)
	s.two()
	s.conflicting()
	before := s.sum("main")
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	s.script("slow/git", "case \"$*\" in *merge-tree*) touch '"+s.path("merging")+"'; exec sleep 60;; esac\nexec '"+git+"' \"$@\"\n")
	child := exec.Command(os.Args[0], "-test.run=^TestLeftoversAreSwept$")
	child.Env = append(slices.Clone(s.env), "FORECAST_TEST_DIR="+s.path("main"), "FORECAST_TEST_TEMP="+s.temp,
		"PATH="+s.path("slow")+":"+os.Getenv("PATH"))
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	child.Stdout, child.Stderr = &out, &out
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Lstat(s.path("merging")); err == nil {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := syscall.Kill(-child.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if s.sum("main") != before {
		t.Error("files changed")
	}
	left, err := filepath.Glob(s.path("temp/*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("left: %q, %v\n%s", left, err, out.String())
	}
	ask := func() bool {
		if _, err := forecast.Of(t.Context(), s.find("main"), forecast.Request{Temp: s.temp}); err != nil {
			t.Fatal(err)
		}
		_, err := os.Lstat(left[0])
		return err == nil
	}
	if !ask() {
		t.Error("swept at once")
	}
	old := time.Now().Add(-61 * time.Minute)
	if err := os.Chtimes(left[0], old, old); err != nil {
		t.Fatal(err)
	}
	if ask() {
		t.Error("not swept")
	}
}

// A link in the place of a file whose mode the other side changed conflicts, with an
// older git as with a newer one.
func TestModeAgainstLink(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.two()
	if err := os.Chmod(s.path("main/f"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.remove("w/f")
	s.link("g", "w/f")
	for _, env := range [][]string{nil, {s.withoutMergeTree()}} {
		res := s.ask("main", forecast.Request{}, env...)
		if len(res.Pairs) != 1 || len(res.Pairs[0].Files) == 0 || res.Old != (env != nil) {
			t.Errorf("%q, old %v", s.told(res), res.Old)
		}
	}
}

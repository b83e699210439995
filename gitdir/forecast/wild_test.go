package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Whatever is in the worktrees, in their history and in the settings, the forecast
// says what a real merge says, or that it does not know.
func TestEqualsRealMergesOfAnything(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	seeds := 8
	total := map[string]int{}
	for seed := range seeds {
		w := newWild(newSandbox(t), uint64(seed))
		before := w.sum("main/.git")
		res := w.ask("main", forecast.Request{All: true})
		if w.sum("main/.git") != before {
			t.Errorf("seed %d: files changed", seed)
		}
		w.compareWild(res, total, seed)
		if _, err := os.Lstat(w.path("ran")); err == nil {
			t.Errorf("seed %d: a merge driver was run", seed)
		}
	}
	t.Log(total)
	if total["conflicts"] == 0 || total["clean"] == 0 && !testing.Short() {
		t.Error("nothing was compared")
	}
}

// A wild is a mess with settings, attributes, submodules and sparse checkouts.
type wild struct {
	*mess
	commits []string // of the submodule's library: three in a line, one beside
	clones  map[string]bool
}

func newWild(s *sandbox, seed uint64) *wild {
	w := &wild{mess: &mess{sandbox: s, Rand: rand.New(rand.NewPCG(seed, 2))}, clones: map[string]bool{}}
	w.library()
	s.git("", "init", "-q", "main")
	w.settings()
	for i := range 36 {
		kind := []string{"txt", "txt", "lck", "mac", "uni", "drv", "crlf", "auto", "bin"}[i%9]
		name := fmt.Sprintf("d%d/e%d/f%d.%s", i%3, i%2, i, kind)
		text := strings.ReplaceAll(numbered(8+i%9), "line", fmt.Sprintf("file %d line", i))
		switch kind {
		case "bin":
			text = "\x00" + text
		case "crlf", "auto":
			if i%2 == 0 {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
		}
		s.write("main/"+name, text)
		w.touched = append(w.touched, name)
	}
	s.link("d0", "main/link")
	s.git("main", "add", "-A") // without attributes: as it is
	s.git("main", "commit", "-q", "-m", "files")
	s.write("main/.gitattributes", "*.lck -merge\n*.mac binary\n*.uni merge=union\n*.drv merge=mark\n"+
		"*.crlf text eol=crlf\n*.auto text=auto\n")
	s.git("main", "submodule", "--quiet", "add", "--name", "the lib", s.path("lib"), "sub")
	s.git("main/sub", "checkout", "-q", w.commits[0])
	s.commit("main")
	w.worktrees = []string{"main", "w1", "w2"}
	for _, name := range w.worktrees[1:] {
		s.git("main", "worktree", "add", "-q", "-b", name, "../"+name)
	}
	for _, name := range w.worktrees {
		w.submodule(name)
	}
	for range w.IntN(3) {
		w.crissCross()
	}
	for i, name := range w.worktrees {
		if i > 0 && w.IntN(3) == 0 {
			cone := [][]string{{"--cone", "d0", "d1/e1"}, {"--no-cone", "/d0/", "*.lck", "!.gitattributes"}}[w.IntN(2)]
			_, _ = s.try(name, append([]string{"sparse-checkout", "set"}, cone...)...)
		}
		w.anything(name, 3)
		if w.IntN(2) == 0 {
			_, _ = s.try(name, "add", "-u")
			w.anything(name, 2)
		}
	}
	s.remove("ran")
	return w
}

func (w *wild) library() {
	w.git("", "init", "-q", "lib")
	for i := range 4 {
		if i == 3 {
			w.git("lib", "checkout", "-q", "-b", "beside", "HEAD~1")
		}
		w.write("lib/x", fmt.Sprintln(i))
		w.commit("lib")
		w.commits = append(w.commits, w.git("lib", "rev-parse", "HEAD"))
	}
	w.git("lib", "checkout", "-q", "main")
}

// settings sets some that decide about merges.
func (w *wild) settings() {
	w.git("main", "config", "merge.mark.driver", "touch '"+w.path("ran")+"'; exit 1")
	for key, values := range map[string][]string{
		"merge.directoryRenames": {"", "", "true", "false"},
		"merge.renames":          {"", "", "", "false"},
		"merge.renameLimit":      {"", "", "1"},
		"diff.algorithm":         {"", "histogram", "patience"},
		"merge.default":          {"", "", "", "union", "mark", "binary"},
		"merge.conflictStyle":    {"", "diff3"},
		"core.autocrlf":          {"", "", "input", "true"},
		"core.attributesFile":    {"", "", w.path("attributes")},
	} {
		if value := values[w.IntN(len(values))]; value != "" {
			w.git("main", "config", key, value)
		}
	}
	w.write("attributes", "d1/**/*.txt merge=union\n")
	if w.IntN(3) == 0 {
		w.write("main/.git/info/attributes", "f1?.txt -merge\nd2/e0/*.bin merge=mark\n")
	}
}

// submodule checks the submodule out, or not, or not any longer.
func (w *wild) submodule(name string) {
	switch w.IntN(3) {
	case 0:
		w.git(name, "submodule", "--quiet", "update", "--init")
		w.clones[name] = true
	case 1:
		w.git(name, "submodule", "--quiet", "update", "--init")
		w.git(name, "submodule", "--quiet", "deinit", "-f", "sub")
		w.clones[name] = true
	case 2:
		w.remove(name + "/sub")
		w.mkdir(name + "/sub")
		if name == "main" {
			w.remove("main/.git/modules")
		}
	}
}

// anything makes changes of all kinds.
func (w *wild) anything(name string, n int) {
	w.Helper()
	for range n {
		switch w.IntN(8) {
		case 0:
			commit := w.commits[w.IntN(len(w.commits))]
			if _, err := os.Lstat(w.path(name + "/sub/.git")); err == nil {
				w.git(name+"/sub", "checkout", "-q", commit)
			} else {
				_, _ = w.try(name, "update-index", "--cacheinfo", "160000,"+commit+",sub")
			}
		case 1:
			line := []string{"*.txt merge=union\n", "d0/** -merge\n", "*.lck merge\n", "*.uni !merge\n"}[w.IntN(4)]
			at := w.path(name + "/.gitattributes")
			if text, err := os.ReadFile(at); err == nil {
				w.write(name+"/.gitattributes", string(text)+line)
			}
		default:
			w.changes(name, 2)
		}
	}
}

// crissCross has all commit, and then merge each other's commits of before.
func (w *wild) crissCross() {
	heads := map[string]string{}
	for _, name := range w.worktrees {
		w.anything(name, 3)
		w.commit(name)
		heads[name] = w.git(name, "rev-parse", "HEAD")
	}
	for _, name := range w.worktrees {
		other := w.worktrees[w.IntN(3)]
		strategy := []string{"ours", "theirs"}[w.IntN(2)]
		_, err := w.try(name, "-c", "merge.mark.driver=true", "merge", "-q", "-X", strategy, "-m", "m", heads[other])
		if err == nil {
			continue
		}
		if _, err := w.try(name, "add", "-A"); err == nil && w.IntN(2) == 0 {
			_, err = w.try(name, "commit", "-q", "-m", "m")
			if err == nil {
				continue
			}
		}
		w.git(name, "reset", "-q", "--hard")
		w.git(name, "clean", "-q", "-f", "-d")
	}
}

// compareWild merges for real, in a clone with the settings, attributes, sparse
// patterns and submodules of the worktree that merges.
func (w *wild) compareWild(res *forecast.Result, total map[string]int, seed int) {
	w.Helper()
	j := &judge{w.sandbox, map[string]string{}}
	w.git("", "clone", "-q", "--shared", "--no-checkout", "main", "judge")
	config, err := os.ReadFile(w.path("main/.git/config"))
	w.must(err)
	w.write("judge/.git/config", string(config))
	w.git("judge", "config", "merge.mark.driver", "exit 1")
	w.git("judge", "config", "core.autocrlf", "false")
	info, _ := os.ReadFile(w.path("main/.git/info/attributes"))     // there may be none
	w.write("judge/.git/info/attributes", "* -text\n"+string(info)) // nothing counts as changed for its line ends
	for _, name := range w.worktrees {
		j.commits[name] = w.asItIs(name)
	}
	for _, p := range res.Pairs {
		yours, theirs := w.name(res, p.Yours), w.name(res, p.Theirs)
		if !p.Judged || p.Why != "" && !strings.HasPrefix(p.Why, "a merge driver") {
			total["not assessed"]++
			w.Logf("seed %d: %s and %s: %s", seed, yours, theirs, p.Why)
			continue
		}
		w.prepare(yours, w.clones[yours] || w.clones[theirs])
		want, crashed := j.merge(yours, theirs)
		if crashed {
			total["crashed"]++
			continue
		}
		if got, ok := same(p.Files, want, total); !ok {
			w.prepare(theirs, w.clones[yours] || w.clones[theirs])
			back, _ := j.merge(theirs, yours) // where attributes differ, it conflicts if one direction does
			either := slices.Compact(slices.Sorted(slices.Values(append(mirrored(back), want...))))
			if _, ok := same(p.Files, either, map[string]int{}); !ok {
				w.Errorf("seed %d: %s and %s\ngot  %q\nwant %q (%s)\nor   %q", seed, yours, theirs, got, want, p.Why, either)
			}
		}
		if len(want) == 0 {
			total["clean"]++
		}
		total["conflicts"] += len(want)
	}
}

// mirrored are conflicts as the other side sees them.
func mirrored(conflicts []string) []string {
	swap := strings.NewReplacer("deleted_here ", "deleted_there ", "deleted_there ", "deleted_here ")
	out := make([]string, len(conflicts))
	for i, c := range conflicts {
		out[i] = swap.Replace(c)
	}
	return out
}

// same reports whether the files are those that did not merge. A driver may have
// decided otherwise about what the judge's always finds to conflict.
func same(files []forecast.File, want []string, total map[string]int) (got []string, ok bool) {
	for _, f := range files {
		total[f.Kind]++
		line := fmt.Sprintf("%s %q", f.Kind, f.Path)
		if f.Kind == forecast.Driver {
			content, added := fmt.Sprintf("content %q", f.Path), fmt.Sprintf("both_added %q", f.Path)
			switch {
			case slices.Contains(want, content):
				line = content
			case slices.Contains(want, added):
				line = added
			default:
				total["driver of several ancestors"]++
				continue
			}
		}
		got = append(append(got, line), others(f, want)...)
	}
	slices.Sort(got)
	got = slices.Compact(got)
	return got, slices.Equal(got, want)
}

// asItIs commits a worktree's files by a copy of its index.
func (w *wild) asItIs(name string) string {
	w.Helper()
	index := w.path("index-" + name)
	from := filepath.Join(w.git(name, "rev-parse", "--absolute-git-dir"), "index")
	text, err := os.ReadFile(from)
	w.must(err)
	info, err := os.Stat(from)
	w.must(err)
	w.must(os.WriteFile(index, text, 0o600))
	w.must(os.Chtimes(index, info.ModTime(), info.ModTime())) // else edits of the same second are missed
	in := *w.sandbox
	in.env = append(slices.Clone(w.env), "GIT_INDEX_FILE="+index)
	in.git(name, "add", "-u", "--sparse")
	for file := range strings.SplitSeq(in.git(name, "ls-files", "-z", "-o", "--exclude-standard"), "\x00") {
		if file != "" {
			in.git(name, "update-index", "--add", "--replace", "--", file)
		}
	}
	return in.git(name, "commit-tree", in.git(name, "write-tree"), "-p", "HEAD", "-m", name)
}

// prepare gives the judge a worktree's sparse patterns, and a clone of the submodule
// or none.
func (w *wild) prepare(name string, clone bool) {
	w.Helper()
	w.remove("judge/.git/modules")
	if clone {
		w.git("", "clone", "-q", "--bare", "lib", "judge/.git/modules/the lib")
	}
	w.remove("judge/.git/info/sparse-checkout")
	_, _ = w.try("judge", "config", "--unset", "core.sparseCheckout")
	patterns := filepath.Join(w.git(name, "rev-parse", "--absolute-git-dir"), "info", "sparse-checkout")
	if text, err := os.ReadFile(patterns); err == nil {
		w.write("judge/.git/info/sparse-checkout", string(text))
		w.git("judge", "config", "core.sparseCheckout", "true")
		w.git("judge", "config", "core.sparseCheckoutCone", w.git(name, "config", "core.sparseCheckoutCone"))
	}
}

package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Branches that have merged each other before have several common ancestors. What
// the forecast says of them is what a real merge says, of texts, of binary files
// and of those that attributes say are not to be merged.
func TestEqualsRealMergesOfTangledHistories(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	seeds := 12
	several, total := 0, map[string]int{}
	for seed := range seeds {
		m := newTangle(newSandbox(t), uint64(seed))
		res := m.ask("main", forecast.Request{All: true})
		m.compare(res, total, fmt.Sprint("seed ", seed))
		for i, yours := range m.worktrees {
			for _, theirs := range m.worktrees[:i] {
				if strings.Contains(m.git("main", "merge-base", "--all", yours, theirs), "\n") {
					several++
				}
			}
		}
	}
	t.Log(several, "pairs with several ancestors:", total)
	for _, kind := range []string{"content", "clean", "lck", "mac", "bin", "drv"} {
		if (total[kind] == 0 || several == 0) && !testing.Short() {
			t.Errorf("no pair had %s", kind)
		}
	}
}

// compare compares what was found with real merges. A driver may decide about what
// does conflict to a judge whose driver always finds a conflict.
func (m *mess) compare(res *forecast.Result, total map[string]int, which string) {
	m.Helper()
	j := m.newJudge()
	for _, p := range res.Pairs {
		yours, theirs := m.name(res, p.Yours), m.name(res, p.Theirs)
		want, crashed := j.merge(yours, theirs)
		if crashed {
			total["crashed"]++
			continue
		}
		var got, decided []string
		for _, f := range p.Files {
			kind := f.Kind
			total[kind]++
			if kind == forecast.Driver {
				kind = forecast.Content
				decided = append(decided, fmt.Sprintf("%s %q", kind, f.Path))
			}
			got = append(append(got, fmt.Sprintf("%s %q", kind, f.Path)), others(f, want)...)
			total[f.Path[strings.LastIndexByte(f.Path, '.')+1:]]++
		}
		for _, d := range decided {
			if !slices.Contains(want, d) {
				total["driver of several ancestors"]++
				got = slices.DeleteFunc(got, func(g string) bool { return g == d })
			}
		}
		total["lines"] += withLines(p.Files)
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			m.Errorf("%s: %s and %s\ngot  %q\nwant %q (%s)", which, yours, theirs, got, want, p.Why)
		}
		if len(want) == 0 {
			total["clean"]++
		}
	}
}

// others are the names by which a real merge has the same conflict, too: where each side
// renamed a file.
func others(f forecast.File, want []string) (names []string) {
	for _, name := range f.Names {
		if line := fmt.Sprintf("names %q", name); f.Kind == forecast.Names && slices.Contains(want, line) {
			names = append(names, line)
		}
	}
	return names
}

func withLines(files []forecast.File) (n int) {
	for _, f := range files {
		if len(f.Lines) > 0 {
			n++
		}
	}
	return n
}

// newTangle makes three worktrees of a few files that have merged each other's
// older commits, whatever conflicted.
func newTangle(s *sandbox, seed uint64) *mess {
	m := &mess{sandbox: s, Rand: rand.New(rand.NewPCG(seed, 1))}
	s.git("", "init", "-q", "main")
	s.git("main", "config", "merge.mark.driver", "touch '"+s.path("ran")+"'; exit 1")
	s.write("main/.gitattributes", "*.lck -merge\n*.mac binary\n*.uni merge=union\n*.drv merge=mark\n")
	for i, kind := range []string{"txt", "txt", "lck", "lck", "mac", "bin", "uni", "drv"} {
		name := fmt.Sprintf("d%d/f%d.%s", i%2, i, kind)
		text := numbered(12)
		if kind == "bin" {
			text = "\x00" + text
		}
		s.write("main/"+name, text)
		m.touched = append(m.touched, name)
	}
	s.commit("main")
	m.worktrees = []string{"main", "w1", "w2"}
	for _, w := range m.worktrees[1:] {
		s.git("main", "worktree", "add", "-q", "-b", w, "../"+w)
	}
	for range 2 + m.IntN(2) {
		heads := map[string]string{}
		for _, w := range m.worktrees {
			m.editSome(w)
			s.commit(w)
			heads[w] = s.git(w, "rev-parse", "HEAD")
		}
		for _, w := range m.worktrees {
			other := m.worktrees[m.IntN(3)]
			strategy := []string{"ours", "theirs"}[m.IntN(2)]
			_, err := s.try(w, "-c", "merge.mark.driver=true", "merge", "-q", "-X", strategy, "-m", "m", heads[other])
			if err != nil {
				s.git(w, "add", "-A") // as it is, markers too
				s.git(w, "commit", "-q", "-m", "m")
			}
		}
	}
	for _, w := range m.worktrees {
		m.editSome(w)
	}
	s.remove("ran")
	return m
}

// editSome changes a file or three, or moves one.
func (m *mess) editSome(w string) {
	m.Helper()
	for range 1 + m.IntN(3) {
		name := m.touched[m.IntN(len(m.touched))]
		at := m.path(w + "/" + name)
		text, err := os.ReadFile(at)
		if err != nil { // moved before
			continue
		}
		if m.IntN(12) == 0 {
			to := strings.Replace(at, "/f", fmt.Sprintf("/moved%d-f", m.IntN(2)), 1)
			m.must(os.Rename(at, to))
			continue
		}
		m.write(w+"/"+name, m.edited(string(text)))
	}
}

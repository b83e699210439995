package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Whatever files are omitted, renamed and moved: what is called clean merges, and what
// is called a conflict with nothing left unknown does not.
func TestOmittedFilesAndRealMerges(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	total := map[string]int{}
	for seed := range 24 {
		m := &mess{sandbox: newSandbox(t), Rand: rand.New(rand.NewPCG(uint64(seed), 3))}
		m.shuffled()
		res := m.ask("main", forecast.Request{})
		real, crashed := m.newJudge().merge("main", "w")
		p := res.Pairs[0]
		switch {
		case crashed:
			total["crashed"]++
		case p.Why != "":
			total["not assessed"]++
		case len(p.Files) == 0 && len(real) > 0:
			t.Errorf("seed %d: called clean, but there is %q", seed, real)
		case len(p.Files) > 0 && len(real) == 0:
			t.Errorf("seed %d: %q merges", seed, m.told(res))
		case len(real) == 0:
			total["clean"]++
		default:
			total["conflict"]++
		}
	}
	t.Log(total)
	if total["not assessed"] == 0 || total["clean"] == 0 || total["conflict"] == 0 {
		t.Error("nothing was compared")
	}
}

// shuffled makes two worktrees in which files are moved about. Of those whose names end
// in .om, what is new or changed cannot be read while the forecast is made.
func (m *mess) shuffled() {
	m.git("", "init", "-q", "main")
	if how := []string{"", "true", "conflict", "false"}[m.IntN(4)]; how != "" {
		m.git("", "config", "--global", "merge.directoryRenames", how)
	}
	if m.IntN(8) == 0 {
		m.git("", "config", "--global", "merge.renames", "false")
	}
	dirs := []string{"d", "d/sub", "d/sub/low", "e", "e/sub"}
	for i := range 3 + m.IntN(6) {
		m.write(fmt.Sprintf("main/%s/%d.%s", dirs[m.IntN(3)], i, m.kind()), twelve(i))
	}
	m.write("main/f", "f\n")
	m.commit("main")
	m.git("main", "worktree", "add", "-q", "../w", "-b", "w")
	m.settled("main", "w")
	for _, w := range m.worktrees {
		for range 2 + m.IntN(5) {
			from := w + "/" + dirs[m.IntN(len(dirs))]
			switch m.IntN(4) {
			case 0: // a directory
				if to := w + "/" + []string{"e", "g", "g/sub", "d/g"}[m.IntN(4)]; !m.exists(to) && m.exists(from) {
					m.mkdir(path.Dir(to))
					_ = os.Rename(m.path(from), m.path(to)) // not into itself
				}
			case 1: // a file
				if name := m.anyFile(from); name != "" {
					m.mkdir(w + "/g")
					m.must(os.Rename(m.path(name), m.path(w+"/g/"+path.Base(name))))
				}
			case 2:
				if name := m.anyFile(from); name != "" {
					m.remove(name)
				}
			default:
				name := fmt.Sprintf("%s/%d.%s", from, m.IntN(3)+2*m.IntN(4), m.kind())
				if m.exists(from) && !m.exists(name) {
					m.write(name, twelve(w, m.IntN(9)))
				}
			}
		}
	}
	m.write("main/.git/info/attributes", "*.om filter=no\n")
}

// twelve are lines that are another text's only if what they begin with is the same.
func twelve(beginning ...any) string {
	return strings.ReplaceAll(numbered(12), "line", fmt.Sprint(beginning...))
}

func (m *mess) kind() string { return []string{"om", "txt", "txt"}[m.IntN(3)] }

func (m *mess) exists(name string) bool {
	_, err := os.Lstat(m.path(name))
	return err == nil
}

// anyFile is one in a directory; "" where there is none.
func (m *mess) anyFile(dir string) string {
	entries, err := os.ReadDir(m.path(dir))
	for _, at := range m.Perm(len(entries)) {
		if err == nil && entries[at].Type().IsRegular() {
			return dir + "/" + entries[at].Name()
		}
	}
	return ""
}

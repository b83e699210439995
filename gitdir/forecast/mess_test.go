package forecast_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A mess is worktrees as several agents leave them.
type mess struct {
	*sandbox
	*rand.Rand
	worktrees []string // the first is the main one
	touched   []string // files that several of them work on
}

// newMess makes a repository of some hundred files with n worktrees, each with
// commits, staged, unstaged and untracked changes of every kind.
func newMess(s *sandbox, seed uint64, files, n int) *mess {
	m := &mess{sandbox: s, Rand: rand.New(rand.NewPCG(seed, 0))}
	s.git("", "init", "-q", "main")
	s.write("main/.gitattributes", "*.crlf text eol=crlf\n*.drv merge=mark\n*.uni merge=union\n*.lck -merge\n*.nodrv merge=unheard\n")
	s.git("main", "config", "merge.mark.driver", "touch '"+s.path("ran")+"'; exit 1")
	kinds := []string{"txt", "txt", "txt", "txt", "crlf", "drv", "uni", "lck", "nodrv", "bin"}
	for i := range files {
		name := fmt.Sprintf("d%d/e%d/f%d.%s", i%7, i%3, i, kinds[i%len(kinds)])
		text := strings.ReplaceAll(numbered(10+i%20), "line", fmt.Sprintf("file %d line", i))
		if strings.HasSuffix(name, ".bin") {
			text = "\x00\x01" + text
		}
		s.write("main/"+name, text)
		m.touched = append(m.touched, name)
	}
	for _, name := range []string{"odd\nname", "odd \xff\xfe bytes", `odd "quoted\" \t`, "odd/ spaces "} {
		s.write("main/"+name, numbered(12))
		m.touched = append(m.touched, name)
	}
	s.link("d0/e0/f0.txt", "main/link")
	s.commit("main")
	for i := range n {
		w := "main"
		if i > 0 {
			w = fmt.Sprintf("w%d", i)
			s.git("main", "worktree", "add", "-q", "-b", w, "../"+w)
		}
		m.worktrees = append(m.worktrees, w)
	}
	m.Shuffle(len(m.touched), func(i, j int) { m.touched[i], m.touched[j] = m.touched[j], m.touched[i] })
	m.touched = m.touched[:min(len(m.touched), 30)]
	for _, w := range m.worktrees {
		for range m.IntN(3) {
			m.changes(w, 4)
			s.commit(w)
		}
		m.changes(w, 3)
		s.git(w, "add", "-A")
		m.changes(w, 3)
	}
	return m
}

// changes makes some of all kinds of changes.
func (m *mess) changes(w string, n int) {
	m.Helper()
	for range n {
		name := m.touched[m.IntN(len(m.touched))]
		at := m.path(w + "/" + name)
		text, err := os.ReadFile(at)
		if err != nil { // renamed or removed before
			continue
		}
		switch kind := m.IntN(14); kind {
		case 0:
			m.must(os.Remove(at))
		case 1:
			m.must(os.Rename(at, at+fmt.Sprintf(".moved%d", m.IntN(2))))
		case 2:
			m.moveDirectory(w)
		case 3, 4:
			m.write(fmt.Sprintf("%s/new%d/n%d.txt", w, m.IntN(2), m.IntN(3)), fmt.Sprintf("new\n%d\n", m.IntN(3)))
		case 5:
			m.must(os.Chmod(at, 0o755))
		case 6:
			m.remove(w + "/link")
			m.link(fmt.Sprintf("elsewhere%d", m.IntN(3)), w+"/link")
		case 7:
			m.must(os.Remove(at)) // a directory where there was a file
			m.write(w+"/"+name+"/inside", fmt.Sprintf("%d\n", m.IntN(2)))
		case 8:
			m.must(os.Remove(at)) // a link where there was a file
			m.link("d1", w+"/"+name)
		default:
			m.write(w+"/"+name, m.edited(string(text)))
		}
	}
}

// moveDirectory renames a directory, so that files which others add there
// belong elsewhere.
func (m *mess) moveDirectory(w string) {
	dir := m.path(fmt.Sprintf("%s/d%d/e%d", w, m.IntN(7), m.IntN(3)))
	to := dir + fmt.Sprintf("-moved%d", m.IntN(2))
	if _, err := os.Lstat(to); err == nil {
		return
	}
	if err := os.Rename(dir, to); err != nil && !os.IsNotExist(err) {
		m.Fatal(err)
	}
	m.write(fmt.Sprintf("%s/d%d/e%d/late%d.txt", w, m.IntN(7), m.IntN(3), m.IntN(3)), fmt.Sprintf("late %d\n", m.IntN(3)))
}

func (m *mess) edited(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + m.IntN(3) {
		i := m.IntN(len(lines))
		switch m.IntN(4) {
		case 0:
			lines = slices.Insert(lines, i, fmt.Sprintf("added %d\n", m.IntN(3)))
		case 1:
			if len(lines) > 2 {
				lines = slices.Delete(lines, i, i+1)
			}
		default:
			lines[i] = fmt.Sprintf("changed %d\n", m.IntN(3))
		}
	}
	return strings.Join(lines, "")
}

func (m *mess) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// A judge merges what is in worktrees for real, in a clone, to which nothing of
// the engine's is known.
type judge struct {
	*sandbox
	commits map[string]string
}

// newJudge commits each worktree as it is, by an index of the clone's own.
func (m *mess) newJudge() *judge {
	j := &judge{m.sandbox, map[string]string{}}
	m.git("", "clone", "-q", "--shared", "--no-checkout", "main", "judge")
	m.git("judge", "config", "merge.mark.driver", "exit 1") // a driver that always finds a conflict
	for _, w := range m.worktrees {
		head := m.git(w, "rev-parse", "HEAD")
		m.git("judge", "fetch", "-q", "origin", head)
		m.git("judge", "read-tree", head)
		m.git("judge", "--work-tree="+m.path(w), "add", "-A", ".")
		j.commits[w] = m.git("judge", "commit-tree", m.git("judge", "write-tree"), "-p", head, "-m", w)
	}
	return j
}

// merge lists what a real merge of two worktrees leaves unmerged: a kind and a
// path, by the stages in the index. crashed: git did not survive it.
func (j *judge) merge(yours, theirs string) (found []string, crashed bool) {
	j.Helper()
	j.remove("judge/.git/index.lock")
	j.git("judge", "read-tree", "--empty")
	entries, err := os.ReadDir(j.path("judge"))
	if err != nil {
		j.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			j.remove(path.Join("judge", filepath.ToSlash(e.Name())))
		}
	}
	j.git("judge", "checkout", "-q", "-f", "--detach", j.commits[yours])
	out, err := j.try("judge", "merge", "-q", "--no-commit", "--no-ff", j.commits[theirs])
	if strings.Contains(out, "BUG: merge-ort.c") { // git 2.39, of a file against a directory that was moved
		return nil, true
	}
	stages, submodules := map[string]string{}, map[string]bool{}
	for record := range strings.SplitSeq(j.git("judge", "ls-files", "-u", "-z"), "\x00") {
		if info, name, ok := strings.Cut(record, "\t"); ok {
			stages[name] += info[len(info)-1:]
			submodules[name] = strings.HasPrefix(info, "160000 ") && (submodules[name] || len(stages[name]) == 1)
		}
	}
	if err != nil && len(stages) == 0 && strings.Contains(out, "CONFLICT (directory rename split)") {
		found = append(found, `names "a directory"`) // git leaves no file unmerged
	} else if err != nil && len(stages) == 0 {
		j.Fatalf("merge of %s and %s: %v\n%s", yours, theirs, err, out)
	}
	kinds := map[string]string{"123": "content", "23": "both_added", "12": "deleted_there", "13": "deleted_here"}
	for name, s := range stages {
		kind, ok := kinds[s]
		for _, label := range append(slices.Collect(maps.Values(j.commits)), "HEAD") { // a file moved aside for a directory
			if plain, aside := strings.CutSuffix(strings.TrimSuffix(name, "_0"), "~"+label); aside { // _0: a second one
				name, ok = plain, false
			}
		}
		if submodules[name] && ok && strings.HasSuffix(s, "23") {
			kind = "submodule"
		}
		if !ok {
			kind = "names"
		}
		found = append(found, fmt.Sprintf("%s %q", kind, name))
	}
	slices.Sort(found)
	j.git("judge", "reset", "-q", "--hard")
	return slices.Compact(found), false
}

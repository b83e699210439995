package forecast_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// settled has git know without reading them that the files of worktrees are as their
// indexes have them, and from then on it cannot read those whose names end in .om.
func (m *mess) settled(worktrees ...string) {
	m.Helper()
	for _, w := range worktrees {
		for _, name := range strings.Split(m.git(w, "ls-files"), "\n") {
			_ = os.Chtimes(m.path(w+"/"+name), time.Time{}, time.Now().Add(-time.Hour)) // it may be gone
		}
		_, _ = m.try(w, "update-index", "-q", "--refresh") // fails where something has changed
	}
	m.git("main", "config", "filter.no.clean", "false")
	m.git("main", "config", "filter.no.required", "true")
	m.worktrees = worktrees
}

// What HEAD or the index has of a file that cannot be read is no evidence of what is
// there now: not of what it was renamed from, and not of where its directory went.
func TestTrackedFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	text := func(of string) string { return strings.ReplaceAll(numbered(20), "line", of) }
	into := func(from, to string) func(m *mess) {
		return func(m *mess) { m.rename("w/"+from, "w/"+to) }
	}
	for name, c := range gittest.SomeOf(2, map[string]struct {
		main     func(m *mess)
		w        func(m *mess)
		why      string // what it ends in, or "assessed"
		conflict bool   // of a real merge
	}{
		"a renamed file has a conflict of its own": {
			func(m *mess) {
				m.edit("main/f", 3, "stashed")
				m.edit("main/f", 10, "stashed")
				m.git("main", "stash", "-q")
				m.git("main", "mv", "f", "c")
				m.edit("main/c", 10, "mine")
				m.commit("main")
				if out, err := m.try("main", "stash", "pop"); err == nil {
					m.Fatal(out)
				}
			},
			func(m *mess) { m.edit("w/f", 3, "theirs") },
			`may decide what "f" was renamed to`, true,
		},
		"renamed and committed, then changed": {
			func(m *mess) {
				m.git("main", "mv", "a.om", "c.om")
				m.commit("main")
				m.edit("main/c.om", 3, "mine")
			},
			func(m *mess) { m.edit("w/a.om", 3, "theirs") },
			`may decide what "a.om" was renamed to`, true,
		},
		"renamed and staged, then another text": {
			func(m *mess) { m.git("main", "mv", "a.om", "b.om"); m.write("main/b.om", text("another")) },
			func(m *mess) { m.edit("w/a.om", 3, "theirs") },
			`may decide what "a.om" was renamed to`, true,
		},
		"another text was staged, and it was renamed to that": {
			func(m *mess) {
				m.write("main/b.om", "x\n")
				m.git("main", "add", "b.om")
				m.rename("main/a.om", "main/b.om")
			},
			func(m *mess) { m.remove("w/a.om") },
			`may decide what "a.om" was renamed to`, true,
		},
		"renamed, and to be added": {
			func(m *mess) { m.rename("main/a.om", "main/b.om"); m.git("main", "add", "-N", "b.om") },
			func(m *mess) { m.remove("w/a.om") },
			`may decide what "a.om" was renamed to`, true,
		},
		"to be added, in a directory that was renamed": {
			func(m *mess) { m.write("main/d/n.om", text("n")); m.git("main", "add", "-N", "d/n.om") },
			func(m *mess) { m.rename("w/d", "w/e"); m.write("w/e/n.om", text("another")) },
			`may decide where new files of "d" belong`, true,
		},
		"the only file of a renamed directory": {
			func(m *mess) {
				m.remove("main/d")
				m.write("main/e/a.om", text("another"))
				m.write("main/e/n", "mine\n")
				m.commit("main")
				m.write("main/e/a.om", text("d/a.om"))
			},
			func(m *mess) { m.write("w/d/n", "theirs\n") },
			`may decide where new files of "d" belong`, true,
		},
		"no longer the file of a renamed directory": {
			func(m *mess) { m.rename("main/d", "main/e"); m.commit("main"); m.write("main/e/a.om", text("another")) },
			func(m *mess) { m.write("w/d/n", "theirs\n") },
			`may decide where new files of "d" belong`, false,
		},
		"removed from the index only": {
			func(m *mess) { m.git("main", "rm", "-q", "--cached", "a.om") },
			into("a.om", "b.om"), "", false, // which of them is not known is all that is said
		},
		"the other side renamed another one": {
			func(m *mess) { m.edit("main/a.om", 3, "mine") }, into("f", "g"), "assessed", false,
		},
		"new and staged, where nothing is gone": {
			func(m *mess) {
				m.write("main/b.om", "x\n")
				m.git("main", "add", "b.om")
				m.write("main/b.om", text("a.om"))
			},
			into("a.om", "c.om"), "assessed", false,
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &mess{sandbox: newSandbox(t)}
			m.git("", "init", "-q", "main")
			for _, name := range []string{"a.om", "d/a.om", "f"} {
				m.write("main/"+name, text(name))
			}
			m.commit("main")
			m.git("main", "worktree", "add", "-q", "../w", "-b", "w")
			m.settled("main", "w")
			c.main(m)
			c.w(m)
			m.commit("w")
			m.settled("main", "w")
			m.write("main/.git/info/attributes", "*.om filter=no\n")
			res := m.ask("main", forecast.Request{})
			real, _ := m.newJudge().merge("main", "w")
			if (len(real) > 0) != c.conflict {
				t.Errorf("a real merge finds %q", real)
			}
			p := res.Pairs[0]
			if len(p.Files) > 0 || strings.Contains(p.Why, "is not compared") == (c.why == "assessed") ||
				p.Why != "" && !strings.HasSuffix(p.Why, c.why) {
				t.Errorf("%q", m.told(res))
			}
		})
	}
}

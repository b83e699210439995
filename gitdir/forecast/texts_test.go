package forecast_test

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// What a file was renamed to git finds by its lines, if it is a text, and else by its
// bytes. Attributes say which: in a text, a carriage return at the end of a line does not
// count.
func TestRenamesByTextAttributes(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	text := numbered(30)
	binary := strings.ReplaceAll(numbered(30), "\n", "\x00\n")
	crs := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	tests := map[string]struct{ attributes, file, content string }{
		"binary":             {"*.x binary\n", ".gitattributes", text},
		"set":                {"*.x diff\n", ".gitattributes", binary},
		"unset for one name": {"a.x -diff\n", ".gitattributes", text},
		"set for one name":   {"b.x diff\n", ".gitattributes", binary},
		"a driver":           {"*.x diff=foo\n", ".gitattributes", text},
		"a driver of texts":  {"*.x diff=bar\n", ".gitattributes", binary},
		"a driver of any":    {"*.x diff=any\n", ".gitattributes", text},
		"a built-in driver":  {"*.x diff=python\n", ".gitattributes", binary},
		"an unknown driver":  {"*.x diff=unheard\n", ".gitattributes", binary},
		"of the repository":  {"*.x binary\n", ".git/info/attributes", text},
		"of the user":        {"*.x diff\n", "../git/attributes", binary},
		"of a directory":     {"*.x -diff\n", "d/.gitattributes", text},
	}
	everywhere := []string{"binary", "set"}
	const without = "renamed there, without returns"
	var special atomic.Int32
	for name, test := range tests {
		for kind, prepare := range map[string]func(s *sandbox, dir string){
			"deleted there": func(s *sandbox, dir string) { s.remove("w" + dir + "/a.x") },
			"changed there": func(s *sandbox, dir string) { s.write("w"+dir+"/a.x", crs(test.content)) },
			"renamed there": func(s *sandbox, dir string) {
				s.remove("w" + dir + "/a.x")
				s.write("w"+dir+"/c.y", "there\n"+test.content)
			},
			"renamed alike": func(s *sandbox, dir string) {
				s.remove("w" + dir + "/a.x")
				s.write("w"+dir+"/b.x", crs(test.content)+"there\n")
			},
			without: func(s *sandbox, dir string) { // as there, it is only the ancestor that has them
				s.remove("w" + dir + "/a.x")
				s.write("w"+dir+"/c.x", test.content+"there\n")
			},
		} {
			if kind != "deleted there" && !slices.Contains(everywhere, name) {
				continue
			}
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				s := newSandbox(t)
				s.git("", "init", "-q", "main")
				s.git("main", "config", "diff.foo.binary", "true")
				s.git("main", "config", "diff.bar.binary", "false")
				s.git("main", "config", "diff.any.binary", "auto")
				s.write("main/"+test.file, test.attributes)
				dir := ""
				if strings.HasPrefix(test.file, "d/") {
					dir = "/d"
				}
				before, after := test.content, crs(test.content)
				if kind == without {
					before, after = after, before
				}
				s.write("main"+dir+"/a.x", before)
				s.write("main/other", "\n")
				s.commit("main")
				s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
				s.remove("main" + dir + "/a.x")
				s.write("main"+dir+"/b.x", after)
				prepare(s, dir)
				res := s.ask("main", forecast.Request{})
				s.commit("main")
				s.commit("w")
				unmerged, _ := s.realMerge("main", "w")
				s.equalsReal(res, unmerged)
				s.remove("main/" + test.file)
				s.commit("main")
				if without, _ := s.realMerge("main", "w"); !slices.Equal(without, unmerged) {
					special.Add(1)
				}
			})
		}
	}
	t.Cleanup(func() {
		if special.Load() == 0 {
			t.Error("the attributes decide nothing")
		}
	})
}

func (s *sandbox) read(name string) string {
	s.Helper()
	text, err := os.ReadFile(s.path(name))
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

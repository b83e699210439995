package forecast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// realMerge lists the paths that are unmerged after a real merge, which is then undone;
// stopped: git refused to merge.
func (s *sandbox) realMerge(dir, other string) (unmerged []string, stopped bool) {
	s.Helper()
	out, err := s.try(dir, "merge", "-q", "--no-commit", "--no-ff", other)
	names := s.git(dir, "-c", "merge.directoryRenames=true", "diff", "--name-only", "--diff-filter=U", "-z")
	for name := range strings.SplitSeq(names, "\x00") {
		if name != "" && !slices.Contains(unmerged, name) {
			unmerged = append(unmerged, name)
		}
	}
	if stopped = err != nil && len(unmerged) == 0; stopped {
		s.Logf("git merge in %s: %s", dir, out)
	}
	_, _ = s.try(dir, "merge", "--abort")
	return unmerged, stopped
}

// equalsReal compares what was found of the only pair with what real merges leave unmerged.
func (s *sandbox) equalsReal(res *forecast.Result, unmerged []string) {
	s.Helper()
	if len(res.Pairs) != 1 || !res.Pairs[0].Judged || res.Pairs[0].Why != "" {
		s.Errorf("%q", s.told(res))
		return
	}
	has := func(f forecast.File, name string) bool {
		return f.Path == name || f.Own == name || slices.Contains(f.Names, name)
	}
	found := res.Pairs[0].Files
	for _, name := range unmerged {
		if !slices.ContainsFunc(found, func(f forecast.File) bool { return has(f, name) }) {
			s.Errorf("%q is missing in %q", name, s.told(res))
		}
	}
	for _, f := range found {
		if !slices.ContainsFunc(unmerged, func(name string) bool { return has(f, name) }) {
			s.Errorf("%q is not unmerged: %q", f.Path, unmerged)
		}
	}
}

// contested is a repository with all that a setting could decide about: two committed
// sides, main and w.
func (s *sandbox) contested() {
	s.Helper()
	s.copyOf(&contested, func(s *sandbox) {
		s.git("", "init", "-q", "main")
		files := map[string][3]string{ // as it was, in main, in w; "": not there
			"style":   {"c\nb\na\nb\n", "b\nc\na\nb\n", "b\nc\na\na\n"},
			"union":   {numbered(9), "here\n" + numbered(9), "there\n" + numbered(9)},
			"distant": {numbered(20), "here\n" + numbered(20), numbered(20) + "there\n"},
			"crlf":    {numbered(20), strings.ReplaceAll(numbered(20), "\n", "\r\n"), "there\n" + numbered(20)},
			"indent": {"f {\n\n  a\n}\n\ng {\n\n  a\n}\n", "f {\n\n  a\n}\n\nh {\n\n  a\n}\n\ng {\n\n  a\n}\n",
				"f {\n\n  a\n}\n\n\ng {\n\n  a\n}\n"},
			"algorithm":      {"{\n}\na\nb\n{\n}\nc\nd\n{\n}\n", "{\n}\n\na\nb\n{\n}\nx\n{\n}\nc\nd\n{\n}\n", "{\n}\na\nb\n{\n}\nc\nx\nd\n{\n}\n"},
			"d/old":          {"old\n" + numbered(30), "", "old\n" + numbered(30)},
			"e/old":          {"", "old\n" + numbered(30), ""},
			"d/new":          {"", "", "new\n"},
			".gitattributes": {"*.none diff=none\n", "*.none diff=none\n", "*.none diff=none\n"},
		}
		for i := range 3 {
			name := fmt.Sprint("r", i)
			text := strings.ReplaceAll(numbered(20), "line", name)
			files[name] = [3]string{text, "", text + "there\n"}
			files[fmt.Sprint("moved/to", i)] = [3]string{"", "here\n" + text, ""}
		}
		text := "crs\n" + numbered(30) // of which a text differs less than what is none
		files["cr.none"] = [3]string{text, "", strings.ReplaceAll(text, "\n", "\r\n")}
		files["cr-moved.none"] = [3]string{"", strings.ReplaceAll(text, "\n", "\r\n"), ""}
		put := func(w string, side int) {
			for name, texts := range files {
				if s.remove(w + "/" + name); texts[side] != "" {
					s.write(w+"/"+name, texts[side])
				}
			}
			s.commit(w)
		}
		put("main", 0)
		s.git("main", "worktree", "add", "-q", "../w", "-b", "w")
		put("main", 1)
		put("w", 2)
	})
}

var contested gittest.Template

// Of the settings that a merge reads, or could be thought to, these decide what conflicts
// (git 2.39), and the forecast follows them: it finds what a real merge finds.
func TestSettingsOfMerges(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	usual := newSandbox(t).withSettings()
	for _, setting := range []string{
		"merge.conflictStyle=diff3", "merge.conflictStyle=zdiff3", "merge.renameLimit=1", "diff.renameLimit=1",
		"merge.directoryRenames=true", "merge.directoryRenames=false", "merge.default=union",
		"merge.default=binary", "diff.none.binary=true",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			if unmerged := newSandbox(t).withSettings(setting); slices.Equal(unmerged, usual) {
				t.Errorf("git leaves %q unmerged, as usually", unmerged)
			}
		})
	}
	t.Run("others", func(t *testing.T) { // they decide nothing
		t.Parallel()
		for _, settings := range [][]string{{
			"merge.conflictStyle=merge", "merge.renames=copies", "merge.renameLimit=0", "merge.renameLimit=1k",
			"merge.default=text", "diff.none.binary=auto", "core.autocrlf=input",
		}, {
			"diff.none.textconv=false", "diff.indentHeuristic=false", "diff.suppressBlankEmpty=true",
			"diff.ignoreSubmodules=all", "diff.orderFile=style", "diff.relative=true", "diff.noprefix=true",
			"diff.context=0", "diff.interHunkContext=9", "diff.wordRegex=.", "diff.external=false", "merge.ff=false",
			"merge.verbosity=0", "merge.autoStash=true", "rerere.enabled=true", "core.autocrlf=true", "core.eol=crlf",
			"core.safecrlf=true", "core.ignoreCase=true", "core.whitespace=cr-at-eol", "core.bigFileThreshold=1",
			"core.quotePath=false", "core.fileMode=false", "core.looseCompression=9", "feature.experimental=true",
			"feature.manyFiles=true", "submodule.recurse=true", "i18n.commitEncoding=ISO-8859-1",
		}} {
			if unmerged := newSandbox(t).withSettings(settings...); !slices.Equal(unmerged, usual) {
				t.Errorf("git leaves %q unmerged, and usually %q", unmerged, usual)
			}
		}
	})
	for _, setting := range []string{ // ort of git 2.39 does not follow these, newer ones do
		"merge.renames=false", "diff.renames=false", "diff.algorithm=patience", "diff.algorithm=myers",
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			newSandbox(t).withSettings(setting)
		})
	}
}

// withSettings compares the forecast with a real merge, which leaves what is returned
// unmerged.
func (s *sandbox) withSettings(settings ...string) []string {
	s.Helper()
	s.contested()
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		s.git("main", "config", name, value)
	}
	res := s.ask("main", forecast.Request{})
	unmerged, _ := s.realMerge("main", "w")
	s.equalsReal(res, unmerged)
	if !res.Exact {
		s.Errorf("not exact: %q", res.Notes)
	}
	return unmerged
}

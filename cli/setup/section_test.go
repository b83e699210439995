package setup

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever page it was, taking the section out again restores it, and adding it
// twice is adding it once.
func TestSectionThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "# Title", "text", "- [ ] x", "<!-- c -->", "日本語"}), 0, 6).Draw(t, "lines")
		eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "line ends")
		page := strings.Join(lines, eol)
		if page != "" && rapid.Bool().Draw(t, "ends in a newline") {
			page += eol
		}
		if eol == "\r\n" && !strings.Contains(page, eol) || strings.HasSuffix(page, "\r") {
			page = strings.ReplaceAll(page, "\r", "")
		}
		added, err := addSection([]byte(page))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := addSection(added); err != nil || !bytes.Equal(again, added) {
			t.Fatalf("added twice (%v):\n%q\n%q", err, added, again)
		}
		if !bytes.HasPrefix(added, []byte(page)) {
			t.Fatalf("%q does not begin with %q", added, page)
		}
		if taken, err := takeSection(added); err != nil || string(taken) != page {
			t.Fatalf("%q became %q (%v)", page, taken, err)
		}
	})
}

func TestSectionIsReplacedInItsPlace(t *testing.T) {
	t.Parallel()
	before := "# Rules\n\n" + sectionBegin + "\nof an older version\n" + sectionEnd + "\n\n## More\n"
	want := "# Rules\n\n" + sectionText + "\n\n## More\n"
	if got, err := addSection([]byte(before)); err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := takeSection([]byte(before)); err != nil || string(got) != "# Rules\n\n## More\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestSectionThatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		sectionBegin + "\n", sectionEnd + "\n", sectionEnd + "\n" + sectionBegin + "\n",
		sectionText + "\n" + sectionText + "\n", sectionText + "\n" + sectionEnd + "\n",
		sectionBegin + "\n" + sectionText + "\n",
	} {
		if got, err := addSection([]byte(page)); err == nil {
			t.Errorf("%q became %q", page, got)
		}
		if got, err := takeSection([]byte(page)); err == nil {
			t.Errorf("taken from %q: %q", page, got)
		}
	}
}

// Agents copy the commands as they stand, and each of them is to know who asks.
func TestSectionPassesTheAgent(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile("`agent-locks [^`]*`").FindAllString(sectionText, -1)
	if len(commands) < 6 {
		t.Fatalf("commands: %q", commands)
	}
	for _, command := range commands {
		if !strings.HasSuffix(command, " --agent <your id>`") {
			t.Errorf("%s does not say who asks", command)
		}
	}
}

// Whatever was changed around the section, no two lines become one.
func TestSectionLeavesLinesApart(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"a\n" + sectionText + "\ntail":  "a\ntail",
		"a\n" + sectionText + "\nb\n":   "a\nb\n",
		"a\n" + sectionText + "b\n":     "a\nb\n",
		"a" + sectionText + "\nb\n":     "a\nb\n",
		"a\n" + sectionText:             "a",
		sectionText + "\nb\n":           "b\n",
		"a\n\n" + sectionText + "\n\nb": "a\n\nb",
	} {
		if got, err := takeSection([]byte(page)); err != nil || string(got) != want {
			t.Errorf("%q became %q (%v), want %q", strings.ReplaceAll(page, sectionText, "<section>"), got, err, want)
		}
	}
}

// A page that was there, though empty, is there afterwards; one that was not is not.
func TestSectionOfAnEmptyPage(t *testing.T) {
	t.Parallel()
	for _, page := range [][]byte{nil, {}} {
		added, err := addSection(page)
		if err != nil {
			t.Fatal(err)
		}
		if taken, err := takeSection(added); err != nil || len(taken) > 0 || (taken == nil) != (page == nil) {
			t.Errorf("%#v became %#v (%v)", page, taken, err)
		}
	}
}

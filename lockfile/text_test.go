package lockfile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestParseStamp(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-07-17T18-45-12":             "2026-07-17T18-45-12",
		"2026-07-17 18:45:12":             "2026-07-17T18-45-12",
		"2026-07-17T18:45:12Z":            "2026-07-17T18-45-12",
		"2026-07-17T18:45:12.999Z":        "2026-07-17T18-45-12",
		"2026-07-17T20:45:12+02:00":       "2026-07-17T18-45-12",
		"2028-02-29T00-00-00":             "2028-02-29T00-00-00",
		"0001-01-01T00-00-00":             "0001-01-01T00-00-00",
		"0001-01-01T00:00:00Z":            "0001-01-01T00-00-00",
		"0000-01-01T00-00-00":             "0000-01-01T00-00-00",
		"0000-01-01T00:00:00+00:01":       "",
		"9999-12-31T23:59:59-00:01":       "",
		"":                                "",
		"2026-07-17":                      "",
		"2026-02-30T00-00-00":             "",
		"2026-13-01T00-00-00":             "",
		"2026-07-17T24-00-00":             "",
		"2026-07-17T18-60-12":             "",
		"2026-07-17T18-45-60":             "",
		"2026-07-17T8-45-12.0":            "",
		"2026-07-17T18-45-12 ":            "",
		"2026-07-17T18:45:12":             "",
		"+026-07-17T18-45-12":             "",
		"yesterday":                       "",
		"2026-07-17T18-45-12Z":            "",
		"2026-07-17T18-45-1²":             "",
		"99999-07-17T18-45-12":            "",
		"2026-07-17T18:45:12 Europe/Rome": "",
	} {
		got, err := ParseStamp(in)
		if (err != nil) != (want == "") || got.String() != want {
			t.Errorf("ParseStamp(%q) = %q, %v; want %q", in, got, err, want)
		}
		if err == nil && (got.Raw != in || got.Location() != time.UTC) {
			t.Errorf("ParseStamp(%q) keeps %q, %v", in, got.Raw, got.Location())
		}
		if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("%q", in)) {
			t.Errorf("ParseStamp(%q): the error %q does not show the value", in, err)
		}
	}
}

func TestFormatStampIsUTC(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 17, 20, 45, 12, 999, time.FixedZone("", 2*60*60))
	if got := FormatStamp(at); got != "2026-07-17T18-45-12" {
		t.Error(got)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 61)
	for in, want := range map[string]string{
		"Add hindsight route tests": "add-hindsight-route-tests",
		"  -- Ünïcödé & ﬁles -- ":   "unicode-files",
		"ADR-0001: Files (core)":    "adr-0001-files-core",
		"Ｆｕｌｌ ｗｉｄｔｈ":                "full-width",
		"İstanbul K":                "istanbul-k",
		"物語":                        "untitled",
		"🚀":                         "untitled",
		"...":                       "untitled",
		"":                          "untitled",
		"../../etc/passwd":          "etc-passwd",
		"con":                       "con",
		long:                        long[:60],
		long[:60] + " y":            long[:60],
		long[:59] + " y":            long[:59],
		"a " + long:                 "a",
		strings.Repeat("ab ", 40):   strings.TrimSuffix(strings.Repeat("ab-", 20), "-"),
	} {
		got := Slug(in, []string{"**/*.ts", "*"})
		if got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
		if err := ValidID("2026-07-17T18-45-12-" + got); err != nil {
			t.Error(err)
		}
	}
}

// A title in another script is distinguished by what it is about.
func TestSlugOfScope(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		title string
		scope []string
		want  string
	}{
		{"端口", []string{"custom://port-3000"}, "port-3000"},
		{"物語", []string{"src/auth/**"}, "src"},
		{"物語", []string{"**/*.ts", "[id]/ドキュメント/Öffentlich/x"}, "offentlich"},
		{"修正", []string{"*/packages/web"}, "packages"},
		{"物語", []string{`app\[id\]/ui`}, "ui"},
		{"物語", nil, "untitled"},
		{"a", []string{"src"}, "a"},
	} {
		if got := Slug(tt.title, tt.scope); got != tt.want {
			t.Errorf("Slug(%q, %q) = %q, want %q", tt.title, tt.scope, got, tt.want)
		}
	}
}

func TestValidID(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		fuzzID: true, "a": true, "a.b_c-D9": true, "-x": false, "--force": false, "x-": true, "done": true, "console": true, "com": true,
		strings.Repeat("x", 252): true, strings.Repeat("x", 253): false,
		"": false, ".": false, "..": false, ".x": false, "x.": false, "a/b": false, `a\b`: false, "x 2": false, "a*": false,
		"é": false, "a\x00": false, "a\n": false, "a:b": false, "\xff": false,
		"nul": false, "CON.x": false, "lpt1": false, "com0.a.b": false,
	} {
		if err := ValidID(id); (err == nil) != ok {
			t.Errorf("ValidID(%q) = %v", id, err)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	cleaners := map[string]func(string) (string, error){"title": CleanTitle, "task": CleanTask, "agent": CleanAgent, "note": CleanNote}
	for _, tt := range []struct{ what, in, want, fault string }{
		{"title", "  ADR-0001: x # y  ", "ADR-0001: x # y", ""},
		{"title", "\u00a0é\u2003", "é", ""},
		{"title", "", "", "empty"},
		{"title", " \t\n", "", "empty"},
		{"title", "a\nb", "", "line break"},
		{"title", "red \x1b[31m", "", "U+001B"},
		{"title", "a\tb", "", "U+0009"},
		{"title", "a\u0085b", "", "U+0085"},
		{"title", "a\u2028b", "", "U+2028"},
		{"title", "a\u202eb", "", "U+202E"},
		{"title", "a\x00b", "", "U+0000"},
		{"title", "a\xff", "", "UTF-8"},
		{"title", "a\u200b\ufeff", "", "invisible character U+200B (character 2)"},
		{"title", "👩\u200d💻", "👩\u200d💻", ""},
		{"title", strings.Repeat("é", 500), strings.Repeat("é", 500), ""},
		{"title", strings.Repeat("é", 501), "", "501 characters long (at most 500)"},
		{"task", " Run tests ", "Run tests", ""},
		{"task", strings.Repeat("x", 2001), "", "2001 characters long (at most 2000)"},
		{"agent", "null", "null", ""},
		{"agent", "007", "007", ""},
		{"agent", "  ", "", "empty"},
		{"title", "\ue000", "", "no visible characters"},
		{"title", "می\u200cخواهم", "می\u200cخواهم", ""},
		{"title", "fix\U000e0072\U000e006d", "", `"fix\U000e0072\U000e006d" contains the tag character U+E0072 (character 4)`},
		{"title", "👩\u200d💻 a\u200db", "", "\"👩\u200d💻 a" + `\u200db" contains the invisible character U+200D (character 6)`},
		{"task", "a\u2060b", "", "U+2060"},
		{"agent", "\u200bme", "", "invisible character U+200B (character 1)"},
		{"agent", "me\ufe0f", "", "U+FE0F"},
		{"agent", strings.Repeat("x", 257), "", "257 characters long (at most 256)"},
		{"note", " a\r\n\tb  \r\n\n---\n", "a\n\tb  \n\n---", ""},
		{"note", "a\rb", "", "U+000D"},
		{"note", "a\x1bb", "", "U+001B"},
		{"note", "a\u2028b\n\t❤\ufe0f", "a\u2028b\n\t❤\ufe0f", ""},
		{"note", "a\nb\u202ec", "", "bidirectional control U+202E (character 4)"},
		{"note", "ok\U000e0041", "", "tag character U+E0041 (character 3)"},
		{"note", "\n", "", "empty"},
		{"note", "\xc3", "", "UTF-8"},
		{"note", strings.Repeat("x", MaxNote), strings.Repeat("x", MaxNote), ""},
		{"note", strings.Repeat("x", MaxNote+1), "", "262145 bytes long (at most 262144)"},
	} {
		got, err := cleaners[tt.what](tt.in)
		if got != tt.want || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
			t.Errorf("%s %.60q: %.60q, %v; want %.60q, %q", tt.what, tt.in, got, err, tt.want, tt.fault)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b\x00\u202e\u2028") {
			t.Errorf("%s: the message passes the character on: %q", tt.what, err)
		}
	}
}

func TestCleanTasks(t *testing.T) {
	t.Parallel()
	have := []Task{{Text: "Fix"}}
	if got, err := CleanTasks([]string{" Run tests ", "b"}, have); err != nil || strings.Join(got, "|") != "Run tests|b" {
		t.Error(got, err)
	}
	for fault, add := range map[string][]string{
		`"Run tests" is listed twice`: {"Run tests", "x", " Run tests"},
		`"Fix" is listed twice`:       {"Fix"},
		"empty":                       {"a", ""},
		"501 tasks (at most 500)":     make([]string, 500),
	} {
		if got, err := CleanTasks(add, have); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("want %s: %v, %v", fault, got, err)
		}
	}
}

func TestPercentComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ done, all, want int }{{0, 0, 100}, {0, 3, 0}, {1, 3, 33}, {2, 3, 67}, {1, 8, 13}, {1, 200, 1}, {199, 200, 100}, {3, 3, 100}} {
		l := Lock{Tasks: make([]Task, tt.all)}
		for i := range tt.done {
			l.Tasks[i].Done = true
		}
		if got := l.PercentComplete(); got != tt.want {
			t.Errorf("%d of %d: %d, want %d", tt.done, tt.all, got, tt.want)
		}
	}
}

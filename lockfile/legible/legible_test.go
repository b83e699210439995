package legible_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Unicode's default ignorable code points (DerivedCoreProperties.txt, 17.0).
var ignorable = [][2]rune{
	{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
	{0x202a, 0x202e}, {0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0},
	{0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
}

func TestWhatShowsNothingIsFound(t *testing.T) {
	t.Parallel()
	for _, span := range ignorable {
		for r := span[0]; r <= span[1]; r++ {
			for _, around := range []string{"", "a", "é", "漢"} {
				s := around + string(r) + "b"
				if around == "漢" && (0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef) {
					continue // how this one is drawn
				}
				if o, found := legible.Find(s); !found || o.Rune != r || o.At != len(around) || o.Size != utf8.RuneLen(r) {
					t.Fatalf("%U in %+q: %+v, %v", r, s, o, found)
				}
			}
		}
	}
}

func TestWhatIsShownIsLeftAlone(t *testing.T) {
	t.Parallel()
	england := "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
	for name, s := range map[string]string{
		"letters":                   "Müller 物語 עברית العربية",
		"a decomposed letter":       "e\u0301",
		"emoji":                     "🎯 👍🏽",
		"emoji that are joined":     "👩\u200d💻 👩🏽\u200d🚀 👨\u200d👩\u200d👧\u200d👦",
		"emoji joined to a symbol":  "🤷🏽\u200d♀\ufe0f 🏳\ufe0f\u200d🌈 🏳\ufe0f\u200d⚧\ufe0f ❤\ufe0f\u200d🔥 👁\ufe0f\u200d🗨\ufe0f",
		"emoji as text and picture": "❤\ufe0f ☎\ufe0e ↔\ufe0f ‼\ufe0f ©\ufe0f ℹ\ufe0f",
		"keycaps":                   "1\ufe0f\u20e3 #\ufe0f\u20e3",
		"flags":                     "🇩🇪 " + england,
		"a Persian word":            "می\u200cخواهم",
		"a Persian abbreviation":    "ه\u200d.ش.",
		"Devanagari":                "क्\u200dष क्\u200cष",
		"Sinhala":                   "ශ්\u200dරී",
		"a variant ideograph":       "葛\U000e0100飾",
		"Mongolian":                 "ᠠ\u180bᠭ\u180eᠠ",
		"a drawn format character":  "\u0600١",
		"the replacement itself":    "\ufffd",
		"what looks like an escape": `src\*.ts \u200b`,
	} {
		if o, found := legible.Find(s); found {
			t.Errorf("%s: %+q: %U at %d is taken for %s", name, s, o.Rune, o.At, o.Kind)
		}
		encoded, err := json.Marshal(s)
		if err != nil || legible.Plain(s) != s || legible.JSON(string(encoded)) != string(encoded) {
			t.Errorf("%s: shown as %q and %q, %v", name, legible.Plain(s), legible.JSON(string(encoded)), err)
		}
	}
}

func TestWhatJoinsNothingIsWrittenOut(t *testing.T) {
	t.Parallel()
	hidden := ""
	for _, c := range "run" {
		hidden += string(0xe0000 + c)
	}
	for name, c := range map[string]struct {
		in, plain, json string
		kind            legible.Kind
	}{
		"zero-width space":         {"a\u200bb", `a\u200bb`, `a\u200bb`, legible.Invisible},
		"joiner of Latin letters":  {"a\u200db", `a\u200db`, `a\u200db`, legible.Invisible},
		"non-joiner of emoji":      {"👩\u200c💻", `👩\u200c💻`, `👩\u200c💻`, legible.Invisible},
		"joiner after emoji":       {"👩\u200d a", `👩\u200d a`, `👩\u200d a`, legible.Invisible},
		"joiners in a row":         {"क्\u200d\u200dष", `क्` + "\u200d" + `\u200dष`, `क्` + "\u200d" + `\u200dष`, legible.Invisible},
		"selectors in a row":       {"❤\ufe0f\ufe0f", "❤\ufe0f" + `\ufe0f`, "❤\ufe0f" + `\ufe0f`, legible.Invisible},
		"selector after a digit":   {"1\ufe0f", `1\ufe0f`, `1\ufe0f`, legible.Invisible},
		"bytes as selectors":       {"😀\U000e0101", `😀\U000e0101`, `😀\udb40\udd01`, legible.Invisible},
		"tags":                     {"a" + hidden, `a\U000e0072\U000e0075\U000e006e`, `a\udb40\udc72\udb40\udc75\udb40\udc6e`, legible.Tag},
		"tags after another flag":  {"\U0001f3f4" + hidden + "\U000e007f", "\U0001f3f4" + `\U000e0072\U000e0075\U000e006e\U000e007f`, "\U0001f3f4" + `\udb40\udc72\udb40\udc75\udb40\udc6e\udb40\udc7f`, legible.Tag},
		"bidirectional":            {"\u202egnp.exe \u2066x\u2069", `\u202egnp.exe \u2066x\u2069`, `\u202egnp.exe \u2066x\u2069`, legible.Bidi},
		"a mark of direction":      {"a\u200fb", `a\u200fb`, `a\u200fb`, legible.Bidi},
		"byte order mark":          {"\ufeffa", `\ufeffa`, `\ufeffa`, legible.Invisible},
		"CSI as one character":     {"\u009b31m", `\u009b31m`, `\u009b31m`, legible.Control},
		"escape":                   {"\x1b[31m", `\x1b[31m`, `\u001b[31m`, legible.Control},
		"line feed and tab":        {"a\nb\t", `a\nb\t`, `a\nb\t`, legible.Control},
		"paragraph separator":      {"a\u2029b", `a\u2029b`, `a\u2029b`, legible.Separator},
		"Hangul filler":            {"\u3164", `\u3164`, `\u3164`, legible.Invisible},
		"a Mongolian one in Latin": {"a\u180eb", `a\u180eb`, `a\u180eb`, legible.Invisible},
	} {
		o, found := legible.Find(c.in)
		encoded, err := json.Marshal(c.in)
		if err != nil {
			t.Fatal(err)
		}
		plain, asJSON := legible.Plain(c.in), legible.JSON(string(encoded))
		if !found || o.Kind != c.kind || plain != c.plain || asJSON != `"`+c.json+`"` {
			t.Errorf("%s: %v %+v, %s, %s", name, found, o, plain, asJSON)
		}
		var back string
		if err := json.Unmarshal([]byte(asJSON), &back); err != nil || back != c.in {
			t.Errorf("%s: read back as %+q, %v", name, back, err)
		}
	}
	if got := legible.Plain("\x9b31m"); got != `\x9b31m` {
		t.Errorf("a byte that is not UTF-8: %s", got)
	}
	if got := legible.Lines("a\u200b\r\nb"); got != "a\\u200b\\r\nb" {
		t.Errorf("lines: %q", got)
	}
	if got := legible.Quote("say \"👩\u200d💻\" \\ \u200b\n"); got != `"say \"👩`+"\u200d"+`💻\" \\ \u200b\n"` {
		t.Errorf("quoted: %s", got)
	}
	if o, found := legible.Find("a\tb\n\u200b", '\t', '\n'); !found || o.Rune != '\u200b' || o.At != 4 {
		t.Errorf("%+v, %v", o, found)
	}
	if got := legible.Cut("ééé", 6) + legible.Cut("éééé", 6); got != "éééé…" {
		t.Errorf("cut: %q", got)
	}
}

// Whatever a text is, what is shown of it can be seen, and says the same.
func FuzzShown(f *testing.F) {
	for _, s := range []string{"a\x1b[0m\u202e\xff", "👩\u200d💻\u200d", "\U0001f3f4\U000e0067\U000e0062", "می\u200cخواهم\u200c", "葛\U000e0100\U000e0100", `"\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		plain := legible.Plain(s)
		if o, found := legible.Find(plain); found || strings.IndexFunc(plain, unicode.IsControl) >= 0 || !utf8.ValidString(plain) {
			t.Errorf("Plain(%+q) is %+q: %+v", s, plain, o)
		}
		if again := legible.Plain(plain); again != plain {
			t.Errorf("Plain(%+q) changes when made plain again: %+q", s, again)
		}
		if lines := legible.Lines(s); strings.Count(lines, "\n") != strings.Count(s, "\n") {
			t.Errorf("Lines(%+q) is %+q", s, lines)
		}
		encoded, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var want, got string
		shown := legible.JSON(string(encoded))
		if err := fmt.Sprint(json.Unmarshal(encoded, &want), json.Unmarshal([]byte(shown), &got)); got != want {
			t.Errorf("JSON(%s) is %s: %s", encoded, shown, err)
		}
		if !utf8.ValidString(s) {
			return
		}
		if got, err := strconv.Unquote(legible.Quote(s)); err != nil || got != s {
			t.Errorf("Quote(%+q) is %s, which is %+q, %v", s, legible.Quote(s), got, err)
		}
	})
}

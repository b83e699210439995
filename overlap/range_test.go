package overlap

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRangesAreBashs: a range covers what bash makes of it, and nothing else.
func TestRangesAreBashs(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: the oracle's own counting is tested elsewhere")
	}
	texts := []string{
		"{1..3}", "{3..1}", "{001..010}", "{1..010}", "{-05..5}", "{5..-05}", "{-5..5}", "{-3..-1}", "{-12..-9}", "{0..0}", "{7..7}", "{007..7}", "{9..11}", "{95..105}",
		"{0..1000}", "{0001..0120}", "{187..2034}", "{-0..3}", "{1..10..3}", "{10..1..3}", "{001..010..3}", "{1..5..-2}", "{1..3..0}", "{1..9..20}", "{-10..10..5}", "{-010..10..5}",
		"{a..e}", "{e..a}", "{A..C}", "{a..z..5}", "{z..a..5}", "{a..a}", "{1..3}{a..b}", "{{1..3},x}", "{x,{8..11},y}", "{1..3,5}", "a{1..2}b{08..11}c",
	}
	var all []string
	names := map[string]map[string]bool{}
	for _, text := range texts {
		out, err := exec.Command(bash, "-c", "printf '%s\\n' "+text).Output()
		if err != nil {
			t.Fatal(err)
		}
		names[text] = map[string]bool{}
		for name := range strings.Lines(string(out)) {
			name = strings.TrimSpace(name)
			names[text][name] = true
			all = append(all, name)
		}
	}
	for i := range 1200 {
		all = append(all, fmt.Sprint(i), fmt.Sprint(-i), fmt.Sprintf("%03d", i), fmt.Sprintf("%04d", i))
	}
	for _, text := range texts {
		e := mustParse(t, "d/"+text, Context{})
		for _, name := range all {
			if e.Matches("d/"+name) != names[text][name] {
				t.Errorf("%s covers %s: %v", text, name, !names[text][name])
			}
		}
		if !e.Matches("d/" + text) {
			t.Errorf("%s does not cover its own text", text)
		}
		if listed := expand(text); len(listed) != len(names[text]) || !names[text][listed[0]] {
			t.Errorf("the oracle counts %s to %d, bash to %d", text, len(listed), len(names[text]))
		}
	}
}

// TestRangesAgainstOracle is TestAgainstOracle for numbers.
func TestRangesAgainstOracle(t *testing.T) {
	paths := pathsOver("019-/", 4)
	number := rapid.Custom(func(t *rapid.T) string {
		format := rapid.SampledFrom([]string{"%d", "%02d", "%03d"}).Draw(t, "format")
		return fmt.Sprintf(format, rapid.SampledFrom([]int{0, 1, 9, 10, 11, 19, 90, 99, 101, 119, -1, -9, -10}).Draw(t, "number"))
	})
	entry := rapid.Custom(func(t *rapid.T) string {
		text := "{" + number.Draw(t, "from") + ".." + number.Draw(t, "to") + rapid.SampledFrom([]string{"", "", "..2", "..9"}).Draw(t, "step") + "}"
		return fmt.Sprintf(rapid.SampledFrom([]string{"%s", "1%s", "-%s", "1/%s", "{9,%s}"}).Draw(t, "around"), text)
	})
	rapid.Check(t, func(t *rapid.T) {
		ta, tb := entry.Draw(t, "a"), entry.Draw(t, "b")
		a, b := mustParse(t, ta, Context{}), mustParse(t, tb, Context{})
		oa, ob := newOracle(ta), newOracle(tb)
		r := a.Compare(b)
		if r.Overlap && !(oa.covers(r.Example, ob.lead) && ob.covers(r.Example, oa.lead)) {
			t.Fatalf("reported with example %q", r.Example)
		}
		for _, p := range paths {
			if !leads(p, a) && a.Matches(p) != oa.covers(p, strings.Split(p, "/")[:1]) {
				t.Fatalf("%q covers %q: %v", ta, p, a.Matches(p))
			}
			if !r.Overlap && oa.covers(p, nil) && ob.covers(p, nil) {
				t.Fatalf("missed: both cover %q", p)
			}
		}
	})
}

func TestRangesAndClassesAreRefused(t *testing.T) {
	t.Parallel()
	for entry, reason := range map[string]string{
		"a/{1..x}":                           "not a range",
		"a/{aa..zz}":                         "not a range",
		"a/{a..C}":                           "not a range",
		"a/{1...3}":                          "not a range",
		"a/{1..3..}":                         "not a range",
		"a/{1..3..2..1}":                     "not a range",
		"a/{+1..3}":                          "not a range",
		"a/{1..1000000000}":                  "not a range",
		"a/{1..9999..2}":                     "too many names",
		"a/{1..999999999..2}":                "too many names",
		"{1..1999..2}{1..2999..2}":           "too many names",
		strings.Repeat("{1..999999999}", 60): "too many names",
		"src/[[:digits:]]":                   `unknown class "[:digits:]"`,
		"src/[[:DIGIT:]]":                    `unknown class "[:DIGIT:]"`,
		"src/[a[::]]":                        `unknown class "[::]"`,
		"src/[[.a.]]":                        "not supported",
		"src/[[=a=]]":                        "not supported",
		"src/[a-[:digit:]]":                  "ends in a class",
	} {
		_, err := Parse(entry, Context{})
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(e.Reason, reason) || e.Hint == "" || e.Offset == 0 && entry[0] != '{' {
			t.Errorf("Parse(%q): %+v, want reason with %q", entry, err, reason)
		}
		s := Stored(entry, Context{})
		if r := s.Compare(mustParse(t, "**", Context{})); !r.Overlap || r.Exact {
			t.Errorf("stored %q reads as %+v", entry, r)
		}
	}
	for _, text := range []string{"app/[[...slug]]/page.tsx", "a/{...x}", "a/{x}", "a/{..}b", "a/[[:]x", "a/[:digit:]", "a/{x..y,z}", "a/[[.a]"} {
		if e := mustParse(t, text, Context{}); !e.Matches(text) {
			t.Errorf("%q does not cover itself", text)
		}
	}
}

// TestPosixClasses holds the classes against their definition in C.
func TestPosixClasses(t *testing.T) {
	t.Parallel()
	in := func(set string) func(byte) bool { return func(b byte) bool { return strings.IndexByte(set, b) >= 0 } }
	upper, lower, digit := "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
	for name, has := range map[string]func(byte) bool{
		"alnum": in(upper + lower + digit), "alpha": in(upper + lower), "blank": in(" \t"), "digit": in(digit), "lower": in(lower), "upper": in(upper),
		"space": in(" \t\n\v\f\r"), "xdigit": in(digit + "abcdefABCDEF"), "punct": in("!\"#$%&'()*+,-.:;<=>?@[\\]^_`{|}~"), // and the slash, which no class names
		"cntrl": func(b byte) bool { return b < 0x20 || b == 0x7f }, "graph": func(b byte) bool { return b > 0x20 && b < 0x7f }, "print": func(b byte) bool { return b >= 0x20 && b < 0x7f },
	} {
		class, not := mustParse(t, "a/x[[:"+name+":]]y", Context{}), mustParse(t, "a/x[^[:"+name+":]]y", Context{})
		for b := byte(1); b < 0x80; b++ {
			if b == '/' {
				continue
			}
			path := "a/x" + string(rune(b)) + "y"
			if class.Matches(path) != has(b) || not.Matches(path) == has(b) {
				t.Errorf("[:%s:] has %q: %v, its complement %v", name, b, class.Matches(path), not.Matches(path))
			}
		}
		if class.Matches("a/x\u00e9y") || !not.Matches("a/x\u00e9y") {
			t.Errorf("[:%s:] is not of ASCII only", name)
		}
	}
	mixed := mustParse(t, "a/[[:alpha:]_-]", Context{})
	for name, want := range map[string]bool{"b": true, "_": true, "-": true, "1": false, "[[:alpha:]_-]": true} {
		if mixed.Matches("a/"+name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	fold := mustParse(t, "a/x[[:upper:]]", Context{FoldCase: true})
	if !fold.Matches("a/xb") || fold.Matches("a/x1") {
		t.Error("[:upper:] without regard to case")
	}
}

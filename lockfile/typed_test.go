package lockfile

import "testing"

// What js-yaml, read by its own programs, was seen to take for no text; and
// what is text to every reader and stays as it is.
func TestTyped(t *testing.T) {
	t.Parallel()
	for _, s := range typedTexts {
		if !isTyped(s) {
			t.Errorf("%q would be written without quotes", s)
		}
		out, err := quoteYAML(s)
		if err != nil || out[0] != '"' && out[0] != '\'' {
			t.Errorf("%q is written as %s, %v", s, out, err)
		}
	}
	for _, s := range []string{
		"2026-07-17T18-45-12", "2026-07-17T18-45-12-hindsight-route-tests", "subagent-4f2a", "claude-3818e424", "a1b2c3d4",
		"3818e424f", "7e53x1", "0xg1", "1.2.3", "v1.2", "2026-07-17-x", "12:34:56:x", "src/**", "main", "nobody", "no.go", "_1", "e", "E",
		"+x", ".github/**", ".infx", "~/x", "<<<", "true/false", "feature/1e3", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
	} {
		if isTyped(s) {
			t.Errorf("%q need not be quoted", s)
		}
	}
}

var typedTexts = []string{
	"", "~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE",
	"yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "y", "Y", "n", "N",
	"0", "-0", "+1", "12", "1_000", "0b101", "0b1_0", "-0b1", "0o17", "017", "0_7", "09", "0x1f", "0xFF_FF", "-0x1", "20:30", "1:2:3", "-190:20:30", "1_0:30",
	"3818e424", "7e5301", "1e3", "1E3", "1e+3", "1.5", "1.", "1_000.5", ".5", "-.5", "._7245", "._1", ".5e3", "1.e4", "20:30.5", "1:59.", "00e1", "-1e5",
	".inf", ".Inf", ".INF", "-.inf", "+.inf", ".nan", ".NaN", ".NAN",
	"2026-11-30", "2024-99-99", "2026-11-30 21:05:00Z", "2026-11-30 21:05:00", "2026-11-30T21:05:00Z", "2026-1-3t1:05:00.123 +1:30",
	"2026-11-30 \t21:05:00.", "2001-12-14t21:59:43.10-05:00", "2026-11-30T21:05:00+0100",
	"<<", "=",
}

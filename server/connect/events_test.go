package connect

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"data: a\n\n":                            "a",
		"event: message\r\ndata: a\r\n\r\n":      "a",
		": ping\n\ndata:a\nid: 1\n\ndata: b\n\n": "a|b",
		"data: a\ndata: b\n\n":                   "a\nb",
		"data: a\n":                              "", // cut off
		"data: {\"x\":\n\n":                      "{\"x\":",
		"\n\n\nretry: 5\n\n":                     "",
		"data:\n\n":                              "",
	} {
		var got []string
		for data, err := range events(iotest.OneByteReader(strings.NewReader(text))) {
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			got = append(got, string(data))
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for what, text := range map[string]string{
		"a line":   "data: " + strings.Repeat("x", maxEvent),
		"an event": strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 17),
	} {
		var last error
		for _, err := range events(strings.NewReader(text)) {
			last = err
		}
		if !errors.Is(last, errLongEvent) {
			t.Errorf("%s too long: %v", what, last)
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://h:1": "http://h:1/mcp", "http://h:1/": "http://h:1/mcp", "https://h/x/mcp": "https://h/x/mcp",
		"unix:/a b": "http://localhost/mcp",
	} {
		target, err := To(address, "", nil)
		if err != nil || target.url != want {
			t.Errorf("%q: %+v, %v", address, target, err)
		}
		if target, err := To(address, "app", nil); err != nil || target.url != want+"/app" {
			t.Errorf("%q of a repository: %+v, %v", address, target, err)
		}
	}
	for _, address := range []string{"", "unix:", "h:1", "ftp://h", "http://", "http://u:p@h", "http://h?x", "http://h#x", "/path"} {
		if target, err := To(address, "", nil); err == nil {
			t.Errorf("%q is %+v", address, target)
		}
	}
}

func TestNamesInHeaders(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"lock_query": "lock_query", "ä": "=?base64?w6Q=?=", " x": "=?base64?IHg=?=", "a\nb": "=?base64?YQpi?="} {
		if got := inHeader(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

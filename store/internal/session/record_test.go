package session

import (
	"fmt"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

func TestPredecessor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)
	live := func(key string) Record { return Record{Key: key, AgentID: key, Place: "."} }
	ended := func(key, reason string, ago time.Duration) Record {
		r := live(key)
		r.Ended, r.Reason = now.Add(-ago), reason
		return r
	}
	continues := func(key, before string) Record {
		r := live(key)
		r.Continues = before
		return r
	}
	elsewhere := ended("x", "clear", 0)
	elsewhere.Place = "login"
	for name, c := range map[string]struct {
		source  string
		records Records
		want    string
	}{
		"nobody":                    {"clear", nil, ""},
		"cleared":                   {"clear", Records{ended("a", "clear", time.Second), live("b"), elsewhere}, "a"},
		"cleared by a slow clock":   {"clear", Records{ended("a", "clear", -time.Second)}, "a"},
		"cleared in a far future":   {"clear", Records{ended("a", "clear", -time.Hour)}, ""},
		"itself":                    {"clear", Records{ended("me", "clear", 0)}, ""},
		"another ending":            {"clear", Records{ended("a", "logout", 0)}, ""},
		"two":                       {"clear", Records{ended("a", "clear", 0), ended("b", "clear", 0)}, ""},
		"continued":                 {"clear", Records{ended("a", "clear", 0), continues("b", "a")}, ""},
		"cleared twice":             {"clear", Records{ended("a", "clear", 0), func() Record { r := continues("b", "a"); r.Ended, r.Reason = now, "clear"; return r }()}, "b"},
		"compacted beside a live":   {"compact", Records{live("a"), ended("b", "clear", 0), elsewhere}, ""},
		"compacted after an end":    {"compact", Records{ended("a", "other", 0)}, ""},
		"resumed":                   {"resume", Records{ended("a", "other", 24*time.Hour), elsewhere}, "a"},
		"resumed, beside a live":    {"resume", Records{ended("a", "other", 0), live("b")}, ""},
		"resumed, another was left": {"resume", Records{ended("a", "resume", 0)}, ""},
		"startup":                   {"startup", Records{ended("a", "clear", 0)}, ""},
		"fork":                      {"fork", Records{live("a")}, ""},
		"no source":                 {"", Records{ended("a", "clear", 0)}, ""},
	} {
		if got, found := c.records.Predecessor("me", c.source, ".", now); got.Key != c.want || found != (c.want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got.Key, found, c.want)
		}
	}
}

func TestEnded(t *testing.T) {
	t.Parallel()
	at := time.Now()
	a, b, c := "a", "b", "c"
	records := Records{
		{Key: "1", AgentID: a, Ended: at}, {Key: "2", AgentID: a, Continues: "1"}, // continues
		{Key: "3", AgentID: b, Ended: at}, {Key: "4", AgentID: b, Continues: "3", Ended: at},
	}
	for _, x := range []struct {
		agent, parent *string
		ended, known  bool
	}{
		{&a, nil, false, true}, {&b, nil, true, true}, {&c, nil, false, false}, {nil, nil, false, false},
		{&c, &b, true, true}, {&c, &a, false, true}, {&a, &b, false, true},
	} {
		if ended, known := records.Ended(x.agent, x.parent); ended != x.ended || known != x.known {
			t.Errorf("%v: %v, %v", x, ended, known)
		}
	}
}

func TestTellIsBounded(t *testing.T) {
	t.Parallel()
	r := Record{AgentID: "a"}
	for i := range 3 * maxSubagents {
		r.Tell(fmt.Sprint("s", i/2))
	}
	if len(r.Subagents) != maxSubagents || r.Subagents[maxSubagents-1] != fmt.Sprint("s", 3*maxSubagents/2-1) || !r.valid() {
		t.Errorf("%d, %v", len(r.Subagents), r.Subagents)
	}
	if max := lockfile.MaxAgent * (maxSubagents + 2); max > lockfile.MaxFile/2 {
		t.Errorf("a record may have %d bytes", max)
	}
}

func TestInUse(t *testing.T) {
	t.Parallel()
	records := Records{{Key: "1", AgentID: "live"}, {Key: "2", AgentID: "ended", Ended: time.Now()}, {Key: "3", AgentID: "chosen", Chosen: true}}
	for _, c := range []struct {
		key, agent string
		want       bool
	}{{"me", "live", true}, {"1", "live", false}, {"me", "ended", false}, {"me", "chosen", false}, {"me", "", false}} {
		if got := records.InUse(c.key, c.agent); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Two sessions cleared in one worktree contest each other's work, wherever they
// had started.
func TestContested(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a, b := "a", "b"
	wandered := Record{Key: a, AgentID: a, Place: ".", EndedIn: "login", Reason: ReasonClear, Ended: now}
	other := func(place, reason string, after time.Duration) Record {
		return Record{Key: b, AgentID: b, Place: place, Reason: reason, Ended: now.Add(after)}
	}
	for name, c := range map[string]struct {
		other Record
		want  bool
	}{
		"where it ended":   {other("login", ReasonClear, time.Second), true},
		"where it started": {other(".", ReasonClear, -time.Second), true},
		"elsewhere":        {other("docs", ReasonClear, 0), false},
		"another ending":   {other("login", "other", 0), false},
		"long after":       {other("login", ReasonClear, time.Hour), false},
	} {
		records := Records{wandered, c.other}
		if got := records.Contested(&a, nil); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if got := records.Contested(nil, &a); got != c.want {
			t.Errorf("%s, as a parent: %v", name, got)
		}
		records = append(records, Record{Key: "c", AgentID: a, Place: ".", Continues: a})
		if records.Contested(&a, nil) {
			t.Errorf("%s: it was continued", name)
		}
	}
}

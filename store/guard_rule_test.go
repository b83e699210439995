package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 17, 18, 0, 0, 0, time.UTC)
	lock := func(minute int, scope string, change ...func(*stake)) stake {
		created := lockfile.Stamp{Time: at.Add(time.Duration(minute) * time.Minute)}
		s := stake{entry: disk.Entry{Lock: lockfile.Lock{ID: created.String() + "-m", Created: created}}}
		s.scope = overlap.Scope{overlap.Stored(scope, overlap.Context{})}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	own := func(s *stake) { s.own = true }
	parent := func(s *stake) { s.parent = true }
	id := func(id string) func(*stake) { return func(s *stake) { s.entry.Lock.ID = id } }
	stale := func(s *stake) { s.stale = true }
	shared := func(s *stake) { s.entry.Lock.Mode = lockfile.Shared }
	for name, c := range map[string]struct {
		stakes    []stake
		blocked   string // the stakes that block src/a.go
		warned    string
		unclaimed bool
	}{
		"nobody":                        {nil, "[]", "[]", true},
		"somewhere else":                {[]stake{lock(0, "docs/**")}, "[]", "[]", true},
		"somebody else":                 {[]stake{lock(0, "src/**")}, "[0]", "[]", true},
		"two of them":                   {[]stake{lock(0, "src/**"), lock(1, "docs"), lock(2, "src/a.go")}, "[0 2]", "[]", true},
		"oneself":                       {[]stake{lock(0, "src/**", own)}, "[]", "[]", false},
		"oneself elsewhere":             {[]stake{lock(0, "docs/**", own), lock(1, "src/**")}, "[1]", "[]", true},
		"one's parent":                  {[]stake{lock(0, "src/**", parent)}, "[]", "[]", true},
		"a stale lock":                  {[]stake{lock(0, "src/**", stale)}, "[]", "[0 stale]", true},
		"a reader":                      {[]stake{lock(0, "src/**", shared)}, "[]", "[0 shared]", true},
		"a younger lock":                {[]stake{lock(0, "src/**", own), lock(1, "src/**")}, "[]", "[1 yours_is_older]", false},
		"an older lock":                 {[]stake{lock(0, "src/**"), lock(1, "src/**", own)}, "[0]", "[]", false},
		"a lock of the same second":     {[]stake{lock(0, "src/**", id("a")), lock(0, "src/**", own, id("b"))}, "[0]", "[]", false},
		"and the other way round":       {[]stake{lock(0, "src/**", own, id("a")), lock(0, "src/**", id("b"))}, "[]", "[1 yours_is_older]", false},
		"an older lock of a later id":   {[]stake{lock(0, "src/**", own, id("z")), lock(1, "src/**", id("a"))}, "[]", "[1 yours_is_older]", false},
		"a lock that may cover it":      {[]stake{lock(0, "src/!(b*)")}, "[0 perhaps]", "[]", true},
		"a younger one that may":        {[]stake{lock(0, "src/**", own), lock(1, "src/!(b*)")}, "[]", "[1 yours_is_older perhaps]", false},
		"one that does and may":         {[]stake{lock(0, "src/!(b*)", func(s *stake) { s.scope = append(s.scope, overlap.Stored("src", overlap.Context{})) })}, "[0]", "[]", true},
		"one's own that may cover it":   {[]stake{lock(0, "src/!(b*)", own), lock(1, "src/**")}, "[1]", "[]", true},
		"one's own that does and may":   {[]stake{lock(0, "src/!(b*)", own), lock(1, "src/a.go", own), lock(2, "src/**")}, "[]", "[2 yours_is_older]", false},
		"only the latter is older":      {[]stake{lock(0, "src/!(b*)", own), lock(1, "src/**"), lock(2, "src/a.go", own)}, "[1]", "[]", false},
		"one older, one younger":        {[]stake{lock(0, "src/**"), lock(1, "src/**", own), lock(2, "src/**")}, "[0]", "[2 yours_is_older]", false},
		"the eldest of one's own count": {[]stake{lock(3, "src/**", own), lock(2, "src/**"), lock(1, "src/**", own)}, "[]", "[1 yours_is_older]", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge([]string{"src/a.go", "other/b.go"}, c.stakes)
			blocked, warned := []string{}, []string{}
			for g, files := range j.found {
				if !slices.Equal(files, []string{"src/a.go"}) {
					t.Errorf("%+v: %q", g, files)
				}
				said := strings.TrimSpace(fmt.Sprint(g.stake, " ", g.reason))
				if !g.exact {
					said += " perhaps"
				}
				if g.reason == "" {
					blocked = append(blocked, said)
				} else {
					warned = append(warned, said)
				}
			}
			slices.Sort(blocked)
			slices.Sort(warned)
			want := []string{"other/b.go"}
			if c.unclaimed {
				want = []string{"src/a.go", "other/b.go"}
			}
			if fmt.Sprint(blocked) != c.blocked || fmt.Sprint(warned) != c.warned || !slices.Equal(j.unclaimed, want) {
				t.Errorf("blocked %v, warned %v, unclaimed %q; want %s, %s, %q", blocked, warned, j.unclaimed, c.blocked, c.warned, want)
			}
		})
	}
}

// TestManyFiles: the rule says the same of a file however many there are, though
// all that one call compares has one budget.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	context := overlap.Context{Budget: overlap.NewBudget()}
	scope := func() overlap.Scope {
		return overlap.Scope{overlap.Stored("**/*[-_]test.*", context), overlap.Stored("**/{spec,test}/**", context)}
	}
	many := 10000
	if testing.Short() {
		many = 1000
	}
	files := make([]string, many)
	for i := range files {
		files[i] = fmt.Sprintf("vendor/example.com/pkg%d/internal/file_%d.go", i%97, i)
	}
	stakes := []stake{{entry: disk.Entry{Lock: lockfile.Lock{ID: "own"}}, scope: scope(), own: true}}
	for range 9 {
		stakes = append(stakes, stake{entry: stakes[0].entry, scope: scope()})
	}
	if j := judge(files, stakes); len(j.found) > 0 || len(j.unclaimed) != len(files) {
		t.Errorf("%d holds, %d files unclaimed; want none, and all", len(j.found), len(j.unclaimed))
	}
	own := stakes[0].entry
	k := drifting{call: &call{}, active: []disk.Entry{own}, scopes: map[string]overlap.Scope{own.Lock.ID: scope()}}
	if outside, _ := k.outside(own, files); len(outside) != len(files) {
		t.Errorf("%d files outside the claim, want all", len(outside))
	}
}

func TestReadGuardConfig(t *testing.T) {
	t.Parallel()
	type settings = map[string]string
	for _, c := range []struct {
		env      string
		settings settings
		mode     GuardMode
		require  bool
		warnings int
	}{
		{"", nil, ModeBlock, false, 0},
		{"", settings{"agentlocks.guard": "warn"}, ModeWarn, false, 0},
		{"off", settings{"agentlocks.guard": "warn"}, ModeOff, false, 0},
		{" Warn ", nil, ModeWarn, false, 0},
		{"loose", settings{"agentlocks.guard": "off"}, ModeBlock, false, 1},
		{"", settings{"agentlocks.guard": "maybe"}, ModeBlock, false, 1},
		{"", settings{"agentlocks.requireclaim": "true"}, ModeBlock, true, 0},
		{"", settings{"agentlocks.requireclaim": "Yes"}, ModeBlock, true, 0},
		{"", settings{"agentlocks.requireclaim": "1"}, ModeBlock, true, 0},
		{"", settings{"agentlocks.requireclaim": "off"}, ModeBlock, false, 0},
		{"", settings{"agentlocks.requireclaim": ""}, ModeBlock, false, 0},
		{"", settings{"agentlocks.requireclaim": "perhaps"}, ModeBlock, true, 1},
	} {
		g := readGuardConfig(c.env, c.settings)
		if g.mode != c.mode || g.requireClaim != c.require || len(g.warnings) != c.warnings {
			t.Errorf("%q, %v: %+v", c.env, c.settings, g)
		}
	}
}

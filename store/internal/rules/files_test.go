package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 17, 18, 0, 0, 0, time.UTC)
	lock := func(minute int, scope string, change ...func(*FileClaim)) FileClaim {
		created := lockfile.Stamp{Time: at.Add(time.Duration(minute) * time.Minute)}
		s := FileClaim{Lock: &lockfile.Lock{ID: created.String() + "-m", Created: created}}
		s.Scope = overlap.Scope{overlap.Stored(scope, overlap.Context{})}
		for _, c := range change {
			c(&s)
		}
		return s
	}
	own := func(s *FileClaim) { s.Own = true }
	parent := func(s *FileClaim) { s.Parent = true }
	id := func(id string) func(*FileClaim) { return func(s *FileClaim) { s.Lock.ID = id } }
	stale := func(s *FileClaim) { s.Stale = true }
	back := func(s *FileClaim) { s.Lock.LiveSince = lockfile.Stamp{Time: s.Lock.Created.Time, Raw: "then"} }
	shared := func(s *FileClaim) { s.Lock.Mode = lockfile.Shared }
	elsewhere := func(s *FileClaim) { s.Elsewhere = true }
	unshared := func(s *FileClaim) { s.Unshared = true }
	for name, c := range map[string]struct {
		claims    []FileClaim
		blocked   string // the claims that block src/a.go
		warned    string
		unclaimed bool
	}{
		"nobody":                        {nil, "[]", "[]", true},
		"somewhere else":                {[]FileClaim{lock(0, "docs/**")}, "[]", "[]", true},
		"somebody else":                 {[]FileClaim{lock(0, "src/**")}, "[0]", "[]", true},
		"two of them":                   {[]FileClaim{lock(0, "src/**"), lock(1, "docs"), lock(2, "src/a.go")}, "[0 2]", "[]", true},
		"oneself":                       {[]FileClaim{lock(0, "src/**", own)}, "[]", "[]", false},
		"oneself elsewhere":             {[]FileClaim{lock(0, "docs/**", own), lock(1, "src/**")}, "[1]", "[]", true},
		"one's parent":                  {[]FileClaim{lock(0, "src/**", parent)}, "[]", "[]", true},
		"a stale lock":                  {[]FileClaim{lock(0, "src/**", stale)}, "[]", "[0 stale]", true},
		"a reader":                      {[]FileClaim{lock(0, "src/**", shared)}, "[]", "[0 shared]", true},
		"one reads it oneself":          {[]FileClaim{lock(0, "src/**", own, shared), lock(1, "src/**")}, "[1]", "[]", true},
		"a younger lock":                {[]FileClaim{lock(0, "src/**", own), lock(1, "src/**")}, "[]", "[1 yours_is_older]", false},
		"an older lock":                 {[]FileClaim{lock(0, "src/**"), lock(1, "src/**", own)}, "[0]", "[]", false},
		"a lock of the same second":     {[]FileClaim{lock(0, "src/**", id("a")), lock(0, "src/**", own, id("b"))}, "[0]", "[]", false},
		"and the other way round":       {[]FileClaim{lock(0, "src/**", own, id("a")), lock(0, "src/**", id("b"))}, "[]", "[1 yours_is_older]", false},
		"one that came back just then":  {[]FileClaim{lock(0, "src/**", own, back, id("a")), lock(0, "src/**", id("b"))}, "[1]", "[]", false},
		"an older lock of a later id":   {[]FileClaim{lock(0, "src/**", own, id("z")), lock(1, "src/**", id("a"))}, "[]", "[1 yours_is_older]", false},
		"a lock that may cover it":      {[]FileClaim{lock(0, "src/!(b*)")}, "[0 perhaps]", "[]", true},
		"a younger one that may":        {[]FileClaim{lock(0, "src/**", own), lock(1, "src/!(b*)")}, "[]", "[1 yours_is_older perhaps]", false},
		"one that does and may":         {[]FileClaim{lock(0, "src/!(b*)", func(s *FileClaim) { s.Scope = append(s.Scope, overlap.Stored("src", overlap.Context{})) })}, "[0]", "[]", true},
		"one's own that may cover it":   {[]FileClaim{lock(0, "src/!(b*)", own), lock(1, "src/**")}, "[1]", "[]", true},
		"one's own that does and may":   {[]FileClaim{lock(0, "src/!(b*)", own), lock(1, "src/a.go", own), lock(2, "src/**")}, "[]", "[2 yours_is_older]", false},
		"only the latter is older":      {[]FileClaim{lock(0, "src/!(b*)", own), lock(1, "src/**"), lock(2, "src/a.go", own)}, "[1]", "[]", false},
		"one older, one younger":        {[]FileClaim{lock(0, "src/**"), lock(1, "src/**", own), lock(2, "src/**")}, "[0]", "[2 yours_is_older]", false},
		"the eldest of one's own count": {[]FileClaim{lock(3, "src/**", own), lock(2, "src/**"), lock(1, "src/**", own)}, "[]", "[1 yours_is_older]", false},
		"a younger one of elsewhere":    {[]FileClaim{lock(0, "src/**", own), lock(1, "src/**", elsewhere)}, "[]", "[1 yours_is_older]", false},
		"which cannot see one's own":    {[]FileClaim{lock(0, "src/**", own, unshared), lock(1, "src/**", elsewhere)}, "[1]", "[]", false},
		"which sees a younger one":      {[]FileClaim{lock(0, "src/**", own, unshared), lock(1, "src/**", elsewhere), lock(2, "src/**", own)}, "[1]", "[]", false},
		"who is here can see it":        {[]FileClaim{lock(0, "src/**", own, unshared), lock(1, "src/**")}, "[]", "[1 yours_is_older]", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := Judge([]string{"src/a.go", "other/b.go"}, c.claims)
			blocked, warned := []string{}, []string{}
			for g, files := range j.Found {
				if !slices.Equal(files, []string{"src/a.go"}) {
					t.Errorf("%+v: %q", g, files)
				}
				said := strings.TrimSpace(fmt.Sprint(g.Claim, " ", g.Reason))
				if !g.Exact {
					said += " perhaps"
				}
				if g.Reason == "" {
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
			if fmt.Sprint(blocked) != c.blocked || fmt.Sprint(warned) != c.warned || !slices.Equal(j.Unclaimed, want) {
				t.Errorf("blocked %v, warned %v, unclaimed %q; want %s, %s, %q", blocked, warned, j.Unclaimed, c.blocked, c.warned, want)
			}
		})
	}
}

// The result for a file does not depend on how many files there are, although
// all comparisons of a call share a budget.
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
	claims := []FileClaim{{Lock: &lockfile.Lock{ID: "own"}, Scope: scope(), Own: true}}
	for range 9 {
		claims = append(claims, FileClaim{Lock: claims[0].Lock, Scope: scope()})
	}
	if j := Judge(files, claims); len(j.Found) > 0 || len(j.Unclaimed) != len(files) {
		t.Errorf("%d holds, %d files unclaimed; want none, and all", len(j.Found), len(j.Unclaimed))
	}
	if outside := Uncovered(files, []overlap.Scope{scope()}); len(outside) != len(files) {
		t.Errorf("%d files outside the claim, want all", len(outside))
	}
}

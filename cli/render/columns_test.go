package render

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestShortScopeCell(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]store.Summary{
		"-":                  {},
		"a, b, c, d":         {Scope: []string{"a", "b", "c", "d"}},
		"a, b, c, d, (+2)":   {Scope: []string{"a", "b", "c", "d", "e", "f"}},
		"a, b, c, d, (+102)": {Scope: []string{"a", "b", "c", "d", "e"}, ScopeLeftOut: 101},
		"a, (+3)":            {Scope: []string{"a"}, ScopeLeftOut: 3},
		"a, (+9)":            {Scope: []string{"a"}, ScopeLeftOut: 9},
	} {
		if got := shortScopeCell(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

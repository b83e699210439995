package server

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"title", "scope", "tasks", "agent_id", "parent_agent_id", "lock_id", "base_dir", "stale_minutes"}
	tests := []struct{ name, want string }{
		{"scopes", "scope"},
		{"titel", "title"},
		{"basedir", "base_dir"},
		{"baseDir", "base_dir"},
		{"agentId", "agent_id"},
		{"parentAgentId", "parent_agent_id"},
		{"staleMinutes", "stale_minutes"},
		{"minutes", "stale_minutes"},
		{"task", "tasks"},
		{"parent", "parent_agent_id"},
		{"", ""},
		{"_", ""},
		{"colour", ""},
		{"x", ""},
	}
	for _, test := range tests {
		if got := nearest(test.name, known); got != test.want {
			t.Errorf("nearest(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"abc", "acb", 1}, {"ca", "abc", 3}, {"flaw", "lawn", 2}}
	for _, test := range tests {
		if got, back := EditDistance(test.a, test.b), EditDistance(test.b, test.a); got != test.want || back != test.want {
			t.Errorf("EditDistance(%q, %q) = %d and %d, want %d", test.a, test.b, got, back, test.want)
		}
	}
}

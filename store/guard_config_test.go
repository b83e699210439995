package store

import "testing"

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

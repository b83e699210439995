package forecast_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// By some settings git merges otherwise than the forecast does: then it says so.
func TestSettingsThatAreNotFollowed(t *testing.T) {
	t.Parallel()
	for setting, exact := range map[string]bool{
		"merge.renormalize=true": false, "merge.renormalize=false": true,
		"pull.twohead=resolve": false, "pull.twohead=ort": true,
	} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			s.two()
			name, value, _ := strings.Cut(setting, "=")
			s.git("main", "config", name, value)
			res := s.ask("main", forecast.Request{})
			said := strings.Contains(strings.Join(res.Notes, "\n"), strings.TrimSuffix(setting, "=true"))
			if res.Exact != exact || said == exact {
				t.Errorf("exact %v, notes %q", res.Exact, res.Notes)
			}
		})
	}
}

package cli

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestDescribe(t *testing.T) {
	t.Parallel()
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for _, c := range []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no information", nil, "agent-locks (devel) " + platform},
		{"installed by version", &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "agent-locks v1.2.3 " + platform},
		{"built in a checkout", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.modified", Value: "true"}}},
			"agent-locks (devel) 0123456789ab modified " + platform},
	} {
		if got := describe(c.info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	asFlag, asCommand := try(t, &fake{}, []string{"--version"}), try(t, &fake{}, []string{"version"})
	if asFlag != asCommand || asFlag.code != 0 || !strings.HasPrefix(asFlag.stdout, "agent-locks ") {
		t.Errorf("--version gave %+v, version gave %+v", asFlag, asCommand)
	}
	var b build
	if err := json.Unmarshal([]byte(try(t, &fake{}, []string{"version", "--json"}).stdout), &b); err != nil || b != thisBuild() {
		t.Errorf("version --json gave %+v (%v), want %+v", b, err, thisBuild())
	}
}

package remote

import (
	"strings"
	"testing"
)

func TestWhatAPushSays(t *testing.T) {
	t.Parallel()
	const ref = "refs/agents-locks/fleet"
	for name, c := range map[string]struct {
		line string
		ok   bool
		want Answer
	}{
		"a new ref":              {"*\tabc:" + ref + "\t[new reference]", true, Swapped},
		"one more commit":        {" \tabc:" + ref + "\ta..b", true, Swapped},
		"the history dropped":    {"+\tabc:" + ref + "\ta...b (forced update)", true, Swapped},
		"the same commit":        {"=\tabc:" + ref + "\t[up to date]", true, NoAnswer},
		"a lease that is lost":   {"!\tabc:" + ref + "\t[rejected] (stale info)", false, Rejected},
		"the host's no":          {"!\tabc:" + ref + "\t[remote rejected] (pre-receive hook declined)", false, Rejected},
		"taken, and then failed": {" \tabc:" + ref + "\ta..b", false, NoAnswer},
		"of another ref":         {" \tabc:refs/heads/x\ta..b", true, NoAnswer},
		"nothing":                {"", false, NoAnswer},
	} {
		if got, _ := judge("To /x\n"+c.line+"\nDone\n", ref, c.ok); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestOptionsForSSH(t *testing.T) {
	t.Parallel()
	const batch = " -oBatchMode=yes -oConnectTimeout=5"
	for name, c := range map[string]struct {
		environ  []string
		settings settings
		want     string
	}{
		"nothing is said": {nil, nil, "ssh" + batch},
		"core.sshCommand": {nil, settings{"core.sshcommand": {"ssh -i key"}}, "ssh -i key" + batch},
		"the variable wins": {[]string{"GIT_SSH_COMMAND=/usr/bin/ssh -v"}, settings{"core.sshcommand": {"x"}},
			"/usr/bin/ssh -v" + batch},
		"GIT_SSH is a program":    {[]string{"GIT_SSH=/my tools/ssh"}, nil, "'/my tools/ssh'" + batch},
		"plink":                   {[]string{`GIT_SSH=C:\PuTTY\plink.exe`}, nil, `'C:\PuTTY\plink.exe' -batch`},
		"something else":          {[]string{"GIT_SSH_COMMAND=wrapper"}, nil, ""},
		"something that is named": {[]string{"GIT_SSH_COMMAND=wrapper", "GIT_SSH_VARIANT=ssh"}, nil, "wrapper" + batch},
		"named in the config": {nil, settings{"core.sshcommand": {"wrapper"}, "ssh.variant": {"plink"}},
			"wrapper -batch"},
		"simple": {nil, settings{"ssh.variant": {"simple"}}, ""},
	} {
		got := strings.TrimPrefix(strings.Join(c.settings.ssh(c.environ), "\n"), "GIT_SSH_COMMAND=")
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestWordsAreOneBearableLine(t *testing.T) {
	t.Parallel()
	if got := words("remote: \nremote: no\nremote: no\rfatal: x\n\xff"); got != "remote: no; fatal: x; ?" {
		t.Errorf("%q", got)
	}
	if got := words(strings.Repeat("é", 5000)); len(got) > maxWords+3 {
		t.Errorf("%d bytes", len(got))
	}
}

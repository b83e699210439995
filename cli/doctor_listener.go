package cli

import (
	"context"
	"fmt"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/server/connect"
	"github.com/agent-locks/agent-locks/store"
)

// The checks that doctor makes of a listener.
const (
	checkListener = "listener"
	checkToken    = "token"
	checkVersion  = "version"
)

// examineListener reports whether a listener answers, accepts the token, and
// has this program's version. It looks at nothing on this side.
func (a *app) examineListener(ctx context.Context, url, variable string) error {
	var token func() (string, error)
	if variable != "" {
		value := a.getenv(variable)
		if value == "" {
			return usage("set it to one of the listener's tokens, in the environment that the client is started in",
				"--token-env %q: the variable is not set", variable)
		}
		token = func() (string, error) { return value, nil }
	}
	target, err := connect.To(url, "", token)
	if err != nil {
		return err
	}
	seen, err := target.Probe(ctx)
	if err != nil {
		return err
	}
	d := store.Diagnosis{Findings: listenerFindings(url, variable, seen, thisBuild().Version)}
	if err := answer(a, store.Answer[store.Diagnosis]{Result: d}, nil, render.Diagnosis); err != nil {
		return err
	}
	if d.Problems() > 0 {
		return answered(exitError)
	}
	return nil
}

// listenerFindings assesses a listener's replies.
func listenerFindings(url, variable string, seen connect.Seen, version string) []store.Finding {
	finding := func(severity, check, fix, format string, values ...any) store.Finding {
		return store.Finding{Severity: severity, Check: check, Message: fmt.Sprintf(format, values...), Fix: fix}
	}
	if !seen.Answers {
		return []store.Finding{finding(store.SeverityProblem, checkListener,
			"see whether agent-locks serve --listen runs there, and whether this machine reaches it", "%s", seen.Said)}
	}
	if !seen.Taken && seen.Status != 401 {
		return []store.Finding{finding(store.SeverityProblem, checkListener, "see the listener's log", "%s", seen.Said)}
	}
	found := []store.Finding{finding(store.SeverityOK, checkListener, "", "it answers at %q", url)}
	switch {
	case !seen.Taken && variable == "":
		return append(found, finding(store.SeverityProblem, checkToken,
			"put one into a variable and name that with --token-env", "it requires a token"))
	case !seen.Taken:
		return append(found, finding(store.SeverityProblem, checkToken,
			"put one of the tokens of its --token-file into the variable", "the token in %q is not accepted", variable))
	case seen.Name != "agent-locks":
		return append(found, finding(store.SeverityProblem, checkListener, "see which server that is",
			"it is not agent-locks but %q", seen.Name))
	case variable != "":
		found = append(found, finding(store.SeverityOK, checkToken, "", "the token in %q is accepted", variable))
	}
	if seen.Version != version {
		return append(found, finding(store.SeverityNote, checkVersion, "update the older of the two",
			"it is %s, and this is %s", seen.Version, version))
	}
	return append(found, finding(store.SeverityOK, checkVersion, "", "both are %s", version))
}

package fleet

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

// Findings are the results of asking a remote without changing it.
type Findings struct {
	Leads   string // commit of the ref; "" if there is no such ref
	Reading error  // why the remote could not be read, if so
	Tried   bool   // a dry run of a push was tried
	Pushing error  // why a push would be refused, if so
}

// Probe asks the remote for the ref, and whether it accepts a dry run of a push. The
// host's hooks and hidden namespaces apply to a real push only, so they are not tested.
// Nothing is changed here or on the remote.
func (f *Fleet) Probe(ctx context.Context) (p Findings) {
	if p.Leads, p.Reading = f.repo.Leads(ctx); p.Reading != nil {
		return p
	}
	commit, err := f.repo.Tracked()
	if err == nil && commit != "" && p.Leads == "" {
		p.Reading = f.repo.Vouch(ctx)
	}
	if err != nil || commit == "" || p.Leads == "" {
		return p // there is nothing to push
	}
	p.Tried = true
	if answer, words := f.repo.TryPush(ctx, p.Leads, commit); answer != remote.Swapped {
		p.Pushing = errors.New(words)
	}
	return p
}

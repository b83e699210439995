package fleet

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

// Findings are what a remote answers a caller that changes nothing there.
type Findings struct {
	Leads   string // the commit that the ref leads to; "": there is no such ref
	Reading error  // why the remote could not be asked, if so
	Tried   bool   // a push was tried, as far as that goes without changing the ref
	Pushing error  // why it would be refused, if so
}

// Probe asks the remote for the ref, and whether it takes a dry run of a push. The
// host's hooks, and a namespace that it hides, are only asked by a real push.
// Nothing is written, here or there.
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

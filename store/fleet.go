package store

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// A FleetRequest configures the sharing of locks with other clones, or asks about it.
type FleetRequest struct {
	Target
	Remote string  // "" keeps it; the default is origin
	Label  *string // "" means none; nil keeps it
	Share  string  // claims or all; "" keeps it; the default is claims
	Force  bool    // off: even if the published locks cannot be withdrawn
	Yes    bool    // purge: even if other clones have active locks there
}

// A FleetState is the state of sharing with other clones.
type FleetState struct {
	On        bool     `json:"on"`
	Clone     string   `json:"clone,omitempty"` // this clone's id
	Label     string   `json:"label,omitempty"`
	Remote    string   `json:"remote,omitempty"`
	Ref       string   `json:"ref,omitempty"`
	Share     string   `json:"share,omitempty"`
	AsOf      string   `json:"as_of,omitempty"` // time of the last successful look
	Published []string `json:"published"`       // ids of this clone's locks in the ref
	Others    int      `json:"others"`          // number of active locks of other clones
	Clones    int      `json:"clones"`          // number of clones that have some
	Commits   uint64   `json:"commits"`         // length of the ref's chain

	Confirmed   []string      `json:"confirmed,omitempty"`   // published ones that the remote has confirmed
	Unpublished []string      `json:"unpublished,omitempty"` // active ones that should be in the ref, and are not
	Lost        []string      `json:"lost,omitempty"`        // no longer confirmed, since another clone came first
	Local       []string      `json:"local,omitempty"`       // never published
	Copied      []string      `json:"copied,omitempty"`      // the original's, if this clone is a copy; not published
	Members     []FleetMember `json:"members,omitempty"`     // the other clones
	FailedAt    string        `json:"failed_at,omitempty"`   // time of a failed look since as_of
	LastError   string        `json:"last_error,omitempty"`  // its error, or why the ref is unreadable
	RefLost     string        `json:"ref_lost,omitempty"`    // last time that the ref was found deleted or replaced
	SetBack     string        `json:"set_back,omitempty"`    // set if the ref is older than before; says by how much
	Epoch       string        `json:"epoch,omitempty"`       // of the ref; it changes if the ref is lost
	Ignored     []string      `json:"ignored,omitempty"`     // what was ignored; the first few of each clone
	Unread      int           `json:"unread,omitempty"`      // number of these that may be locks
}

// FleetOn starts to share this clone's locks with other clones through a remote, after a
// first swap has shown that the host accepts the ref. If it does not, FleetOn leaves
// nothing behind.
func (s *Store) FleetOn(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		set, err := fleetOf(c)
		if err != nil {
			return FleetState{}, err
		}
		before := set
		if set, err = set.with(r); err != nil {
			return FleetState{}, err
		}
		if before.on && before.remote != set.remote {
			return FleetState{}, fault.Input("this clone shares its locks through %q already", before.remote).
				WithHint("agent-locks fleet off first: it withdraws what was published there")
		}
		fresh := !set.on && c.repo.FleetErr == nil // otherwise it may have taken part
		c.repo.Fleet = true
		f, err := set.open(c)
		if err == nil {
			_, err = syncWith(c, f, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true}, true)
			err = errors.Join(err, f.Close())
		}
		if err == nil {
			err = set.save(c)
		}
		if err != nil {
			if fresh {
				err = errors.Join(foreignRef(err, set.ref), forgetFleet(c))
			}
			return FleetState{}, err
		}
		set.on = true
		return stateWith(c, set)
	})
}

// foreignRef returns err with another hint if the ref has foreign content, for example
// because it is somebody's branch.
func foreignRef(err error, ref string) error {
	if ours, ok := errors.AsType[*fault.Error](err); ok && ours.Code == fault.FleetBroken {
		return ours.WithHint("if that is somebody's work, set " + fleetRefKey + " to an unused ref, as in " +
			"refs/heads/agent-locks; else delete it on the remote")
	}
	return err
}

// with returns the settings as changed by a request.
func (s fleetSettings) with(r FleetRequest) (fleetSettings, error) {
	s.remote = cmp.Or(r.Remote, s.remote)
	if r.Label != nil {
		label, err := cleanLabel(*r.Label)
		if err != nil {
			return s, err
		}
		s.label = label
	}
	if r.Share != "" {
		if err := checkShare("`share`", r.Share); err != nil {
			return s, err
		}
		s.share = r.Share
	}
	return s, nil
}

// FleetOff withdraws what this clone has published, and forgets the other clones.
func (s *Store) FleetOff(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		off, some := false, false
		_, err := withFleet(c, func(f *fleet.Fleet) (result fleet.Result, err error) {
			err = f.Alone(c.ctx, syncTime, func() error { // so that no sync publishes again meanwhile
				result, err = f.Publish(c.ctx, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true,
					Judge: func(context.Context, *fleet.View) (fleet.Plan, error) {
						found, err := unconfirm(c)
						some = some || found
						return fleet.Plan{}, err
					},
					Last: func(*fleet.View) error { // and no claim does
						off = true
						return turnOff(c)
					},
				})
				return err
			})
			return result, err
		})
		switch {
		case err == nil, off:
		case r.Force && c.repo.Fleet:
			c.warn("what this clone has published stays until it is stale: %v", err)
			err = turnOff(c)
		case some:
			c.warn("no lock of this clone is called confirmed until the next sync has found it on the remote")
		}
		return FleetState{Published: []string{}}, err
	})
}

func turnOff(c *call) error {
	if _, err := unconfirm(c); err != nil { // nobody publishes their heartbeats any more
		return err
	}
	if _, err := c.repo.Git(c.ctx, "config", "--local", "--unset-all", fleetKey); err != nil {
		return fault.FromGit(err)
	}
	return forgetFleet(c)
}

// forgetFleet removes what is stored about other clones.
func forgetFleet(c *call) error {
	_, err := c.dir.Change(c.ctx, func(*disk.Tx) error { return fleet.Forget(c.dir) })
	return err
}

// FleetSync looks right away, and publishes this clone's locks.
func (s *Store) FleetSync(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
			return fleet.Result{}, f.Serving(func() error {
				_, err := syncWith(c, f, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true}, false)
				return err
			})
		})
		if err != nil {
			return FleetState{}, err
		}
		return fleetState(c)
	})
}

// FleetPurge publishes an empty successor, so that no content of the ref is readable any
// more once the host has collected unreachable objects. If that drops active locks of
// other clones, r.Yes must be set.
func (s *Store) FleetPurge(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
			return f.Publish(c.ctx, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true,
				Judge: func(_ context.Context, v *fleet.View) (fleet.Plan, error) {
					if err := mayPurge(v, r.Yes); err != nil {
						return fleet.Plan{}, err
					}
					_, err := unconfirm(c)
					return fleet.Plan{Purge: true}, err
				}})
		})
		if err != nil {
			return FleetState{}, err
		}
		return fleetState(c)
	})
}

// mayPurge returns an error if a purge would drop active locks of other clones, unless
// yes is set.
func mayPurge(v *fleet.View, yes bool) error {
	members, n := membersOf(v.Locks), 0
	for _, m := range members {
		n += m.Locks
	}
	if n == 0 || yes {
		return nil
	}
	return fault.Input("a purge drops what others have claimed: active locks %d, of other clones %d", n, len(members)).
		WithHint("`yes` drops them: nobody is kept from these files until their clones publish again, and what another " +
			"clone claims before that is lost to them")
}

// FleetReset accepts the content of a ref that is broken or set back.
func (s *Store) FleetReset(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
			if known, err := f.Known(c.ctx); err != nil {
				return fleet.Result{}, err
			} else if isBranch(f.Ref) && known.Tip.Commit == "" {
				return fleet.Result{}, fault.Input("%q was never seen to hold locks: it may be somebody's branch", f.Ref).
					WithHint("set " + fleetRefKey + " to an unused ref")
			}
			if _, err := f.Reset(c.ctx, syncTime); err != nil {
				return fleet.Result{}, err
			}
			return syncWith(c, f, fleet.Request{Wait: syncTime, Urgent: true}, true)
		})
		if err != nil {
			return FleetState{}, err
		}
		return fleetState(c)
	})
}

// FleetStatus returns the state of sharing. It does not use the network.
func (s *Store) FleetStatus(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, fleetState)
}

func fleetState(c *call) (FleetState, error) {
	set, err := fleetOf(c)
	if err = cmp.Or(c.maybeShared(), err); err != nil {
		return FleetState{}, err
	}
	return stateWith(c, set)
}

func stateWith(c *call, set fleetSettings) (FleetState, error) {
	state := FleetState{On: set.on, Published: []string{}}
	if !set.on {
		return state, nil
	}
	state.Label, state.Remote, state.Ref, state.Share = set.label, set.remote, set.ref, set.share
	view, err := fleet.Read(c.ctx, c.dir, &c.tip)
	if err != nil {
		return state, err
	}
	if view == nil {
		view = c.firstView()
	}
	state.Clone, state.Commits = view.Self.Clone, view.Tip.Chain
	state.addLooks(view)
	g, err := fleet.GlanceAt(c.dir, &c.tip)
	if err == nil && g.Why != "" && state.LastError == "" { // the ref is readable then
		state.LastError, state.FailedAt = g.Why, lockfile.FormatStamp(g.Tried)
	}
	state.Members = membersOf(view.Locks)
	state.Clones = len(state.Members)
	for _, m := range state.Members {
		state.Others += m.Locks
	}
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return state, err
	}
	state.addOwn(read.Entries, view)
	for id := range view.Mine {
		state.Published = append(state.Published, id)
	}
	slices.Sort(state.Published)
	return state, nil
}

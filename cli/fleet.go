package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newFleet(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet",
		Short: "share locks with other clones, through your git remote",
		Long: "Let the clones of a repository, on any machine, see each other's locks:\n" +
			"through one ref on the git remote that they share. Turn it on in each clone that\n" +
			"should take part. A claim with --if-free or --wait then succeeds only after the\n" +
			"remote has accepted it.",
		Example: "  agent-locks fleet on --label laptop\n  agent-locks fleet status\n  agent-locks fleet off",
		Args:    noArgs("agent-locks fleet status"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ans, err := a.locks.FleetStatus(cmd.Context(), store.FleetRequest{Target: a.target()})
			return answer(a, ans, err, render.FleetStatus)
		},
	}
	cmd.AddCommand(newFleetOn(a), newFleetOff(a),
		fleetCommand(a, "status", "show this clone's state without using the network", locks.FleetStatus,
			&store.FleetRequest{}, render.FleetStatus),
		newFleetSync(a),
		newFleetPurge(a),
		fleetCommand(a, "reset", "accept what the remote has if it is broken or was set back", locks.FleetReset,
			&store.FleetRequest{}, render.FleetStatus),
	)
	return cmd
}

func newFleetOn(a *app) *cobra.Command {
	var request store.FleetRequest
	cmd := fleetCommand(a, "on", "share this clone's locks with the others", locks.FleetOn, &request, render.FleetOn)
	f := cmd.Flags()
	f.StringVar(&request.Remote, "remote", "", "the git remote that the clones share, by `name` (default: origin)")
	textFlag(f, &request.Label, "label", "what people call this clone, as a `word` that the others see; '' for none")
	f.StringVar(&request.Share, "share", "", "`what` to publish: claims, or all (tasks and notes, too)")
	return cmd
}

// newFleetSync returns the command sync. Its hidden flag --detached is for the
// process that syncApart starts, whose output nobody reads.
func newFleetSync(a *app) *cobra.Command {
	detached := false
	sync := func(l locks, ctx context.Context, r store.FleetRequest) (store.Answer[store.FleetState], error) {
		if detached {
			closeInherited()
			return l.FleetSyncApart(ctx, r)
		}
		return l.FleetSync(ctx, r)
	}
	cmd := fleetCommand(a, "sync", "ask the remote now, and publish what this clone has", sync,
		&store.FleetRequest{}, render.FleetStatus)
	const flag = "detached"
	cmd.Flags().BoolVar(&detached, flag, false, "for as long as calls of this clone want it")
	cmd.Flags().Lookup(flag).Hidden = true
	return cmd
}

func newFleetPurge(a *app) *cobra.Command {
	var request store.FleetRequest
	cmd := fleetCommand(a, "purge", "remove everybody's locks from the ref, and its history", locks.FleetPurge, &request,
		render.FleetStatus)
	cmd.Long = "Empty the ref, for everybody, and drop its history: for what should not have\n" +
		"been published. The host may keep deleted commits until it cleans up.\n\n" +
		"Claims of other clones are gone from it until these clones publish again; what\n" +
		"somebody else claims before that is lost to them. Where others have active\n" +
		"locks it counts them, and does nothing without --yes."
	cmd.Flags().BoolVar(&request.Yes, "yes", false, "even if other clones have active locks")
	return cmd
}

func newFleetOff(a *app) *cobra.Command {
	var request store.FleetRequest
	cmd := fleetCommand(a, "off", "withdraw what this clone has published, and stop sharing", locks.FleetOff, &request,
		render.FleetStatus)
	cmd.Flags().BoolVar(&request.Force, "force", false, "even if the remote cannot be reached")
	return cmd
}

// A fleetCall is an operation of the store, which does not exist yet when the
// commands are built.
type fleetCall func(locks, context.Context, store.FleetRequest) (store.Answer[store.FleetState], error)

// fleetCommand returns a subcommand of fleet; they differ only in the
// operation.
func fleetCommand(
	a *app, name, short string, ask fleetCall, request *store.FleetRequest, show func(io.Writer, store.FleetState),
) *cobra.Command {
	return &cobra.Command{
		Use:     name,
		Short:   short,
		Example: "  agent-locks fleet " + name,
		Args:    noArgs("agent-locks fleet " + name),
		RunE: func(cmd *cobra.Command, _ []string) error {
			request.Target = a.target()
			ans, err := ask(a.locks, cmd.Context(), *request)
			return answer(a, ans, err, show)
		},
	}
}

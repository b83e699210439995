package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newStateGet(a *app) *cobra.Command {
	var request store.GetStateRequest
	cmd := &cobra.Command{
		Use:   "get <name>",
		Short: "print the text of an entry, or wait for its next version",
		Long: "Print only the text of an entry, byte for byte; on a terminal, invisible\n" +
			"characters are escaped. With --after, wait until the version is above that one,\n" +
			"and exit with 2 when the time is up. --json includes the version.",
		Example: "  agent-locks state get api/limits\n" +
			"  agent-locks state get api/limits --after 3 --wait 5m",
		Args:              stateArgs("", true),
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Target, request.Name = a.target(), args[0]
			ans, err := a.locks.GetState(a.withProgress(cmd.Context()), request)
			return answer(a, ans, ofArguments(err), func(w io.Writer, e store.StateEntry) {
				render.StateText(w, e, a.screen())
			})
		},
	}
	f := cmd.Flags()
	wholeFlag(f, &request.Version, "version", "print version `n`, which may be a past one")
	wholeFlag(f, &request.After, "after", "wait until the version is above `n`")
	secondsFlag(f, &request.WaitSeconds, "wait", "with --after: wait up to `n` seconds, or 5m, 1h (default: 30)")
	return cmd
}

func newStateList(a *app) *cobra.Command {
	var (
		request      store.ListStateRequest
		prefix, text *string
	)
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "list the entries, and how many each namespace has",
		Long:    "List the entries by name. Filters combine.",
		Example: "  agent-locks state list --prefix api --scope 'src/api/**'",
		Args:    noArgs("agent-locks state list --prefix api"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := applyFilters(filter{"prefix", prefix, &request.Prefix}, filter{"text", text, &request.Text})
			if err != nil {
				return err
			}
			request.Target = a.target()
			ans, err := a.locks.ListState(cmd.Context(), request)
			return answer(a, ans, err, func(w io.Writer, l store.StateListing) { render.StateList(w, l, a.screen()) })
		},
	}
	f := cmd.Flags()
	textFlag(f, &prefix, "prefix", "only names that `begin` with this, by whole parts: api, and all under api/")
	scopeFlag(f, &request.Scope, "only entries about files that overlap this `glob` (repeatable)")
	textFlag(f, &text, "text", "only with this `text` in name or value, in any case")
	return cmd
}

func newStateLog(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "log <name>",
		Short: "list the versions of an entry, the newest first",
		Long: "List the kept versions of an entry, newest first: who wrote each, and when.\n" +
			"agent-locks state get --version prints one.",
		Example:           "  agent-locks state log api/limits",
		Args:              stateArgs("", true),
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" {
				return usage("agent-locks state list lists them", "the name is empty")
			}
			ans, err := a.locks.ListState(cmd.Context(), store.ListStateRequest{Target: a.target(), History: args[0]})
			return answer(a, ans, ofArguments(err), func(w io.Writer, l store.StateListing) {
				render.StateLog(w, l, a.screen())
			})
		},
	}
}

func newStateExport(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "export",
		Short: "print all entries and past versions as one JSON document",
		Long: "Print all entries, including deleted ones and past versions, as one JSON\n" +
			"document. The exit code is 1 if something could not be read.",
		Example: "  agent-locks state export > state.json",
		Args:    noArgs("agent-locks state export > state.json"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			begun := false
			ans, err := a.locks.ExportState(cmd.Context(), a.target(), func(e store.StateExported) error {
				if !begun {
					fmt.Fprint(a.out, `{"entries":[`)
				} else {
					fmt.Fprint(a.out, ",")
				}
				begun = true
				line, err := store.Encode(e)
				if err == nil {
					_, err = a.out.Write(line)
				}
				return err
			})
			a.warn(ans.Warnings)
			if err != nil {
				return err
			}
			if !begun {
				fmt.Fprint(a.out, `{"entries":[`)
			}
			fmt.Fprintln(a.out, "]}")
			if err := a.flush(); err != nil || ans.Unreadable == 0 {
				return err
			}
			return answered(exitError) // an incomplete backup must not pass for a complete one
		},
	}
}

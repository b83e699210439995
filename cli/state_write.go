package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

func newStateSet(a *app) *cobra.Command {
	var (
		request store.SetStateRequest
		isNew   bool
	)
	cmd := &cobra.Command{
		Use:   "set <name> [text]",
		Short: "write an entry, as the version after the one you have read",
		Long: "Write an entry; - reads the text from stdin, byte for byte. An entry that exists\n" +
			"or was deleted needs --if-version, --new or --force. Otherwise, or if it has\n" +
			"another version by now, nothing is written, and the answer has what is there\n" +
			"(exit code 2). Without a text, only the scope changes.",
		Example: "  agent-locks state set api/limits 'At most 100 requests a minute' --if-version 3\n" +
			"  agent-locks state set schema - --new < schema.json",
		Args:              stateArgs("a text", false),
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isNew {
				if request.IfVersion != nil || request.Force {
					return usage("give one of them", "--new, --if-version and --force exclude each other")
				}
				request.IfVersion = new(int64)
			}
			if len(args) == 1 && len(request.Scope) == 0 {
				return usage("give it after the name, or - to read it from stdin", "agent-locks state set needs a text")
			}
			request.Mode = store.StateSet
			return a.writeEntry(cmd.Context(), args, request)
		},
	}
	f := cmd.Flags()
	wholeFlag(f, &request.IfVersion, "if-version", "write only if the entry is at version `n`")
	f.BoolVar(&isNew, "new", false, "write only if there is no such entry yet")
	f.BoolVar(&request.Force, "force", false, "write whatever the version is")
	scopeFlag(f, &request.Scope, "a path or `glob` that it is about: agents that claim it are told (repeatable)")
	agentFlag(f, &request.AgentID)
	return cmd
}

func newStateAppend(a *app) *cobra.Command {
	var request store.SetStateRequest
	cmd := &cobra.Command{
		Use:   "append <name> <text>",
		Short: "add a paragraph to an entry, with your id and the time",
		Long: "Add a paragraph to an entry, or create it; - reads it from stdin. This never\n" +
			"conflicts. Entries that are JSON or a number are refused.",
		Example:           "  agent-locks state append decisions 'IDs are UUIDs from now on'",
		Args:              stateArgs("a text", true),
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Mode = store.StateAppend
			return a.writeEntry(cmd.Context(), args, request)
		},
	}
	agentFlag(cmd.Flags(), &request.AgentID)
	return cmd
}

func newStateAdd(a *app) *cobra.Command {
	var request store.SetStateRequest
	cmd := &cobra.Command{
		Use:   "add <name> <n>",
		Short: "add a whole number to a numeric entry, and print the sum",
		Long: "Add a whole number, which may be negative, and print the sum. A missing entry\n" +
			"counts as 0. If the sum would be outside --min or --max, nothing is added (exit\n" +
			"code 2).",
		Example: "  agent-locks state add next-migration 1\n" +
			"  agent-locks state add budget -8000 --min 0",
		Args:              stateArgs("a whole number", true),
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			request.Mode = store.StateAdd
			return a.writeEntry(cmd.Context(), args, request)
		},
	}
	f := cmd.Flags()
	wholeFlag(f, &request.Min, "min", "refuse a sum below `n`")
	wholeFlag(f, &request.Max, "max", "refuse a sum above `n`")
	wholeFlag(f, &request.IfVersion, "if-version", "add only if the entry is at version `n`, so that a retry counts once")
	agentFlag(f, &request.AgentID)
	return cmd
}

func newStateDelete(a *app) *cobra.Command {
	var (
		request store.SetStateRequest
		prefix  *string
		yes     bool
	)
	cmd := &cobra.Command{
		Use:   "delete <name>",
		Short: "delete an entry, or all under a prefix",
		Long: "Delete an entry. The deletion is a version too: if the entry is created again,\n" +
			"its numbers continue. With --prefix, delete all entries under it, or without\n" +
			"--yes only list them.",
		Example: "  agent-locks state delete api/limits --if-version 4\n" +
			"  agent-locks state delete --prefix api/ --yes",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case prefix == nil && yes:
				return usage("to delete one entry give its version", "--yes has no effect without --prefix")
			case prefix == nil:
				return stateArgs("", true)(cmd, args)
			case len(args) > 0 || request.IfVersion != nil || request.Force:
				return usage("agent-locks state delete --prefix "+"api/ --yes", "--prefix goes with --yes and --agent only")
			}
			return nil
		},
		ValidArgsFunction: completeEntries(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if prefix == nil {
				request.Mode = store.StateDelete
				return a.writeEntry(cmd.Context(), args, request)
			}
			ans, err := a.locks.DeleteStates(cmd.Context(),
				store.DeleteStatesRequest{Target: a.target(), Prefix: *prefix, Yes: yes, AgentID: request.AgentID})
			return answer(a, ans, err, func(w io.Writer, gone []store.StateWritten) { render.StatesDeleted(w, gone, !yes) })
		},
	}
	f := cmd.Flags()
	wholeFlag(f, &request.IfVersion, "if-version", "delete only if the entry is at version `n`")
	f.BoolVar(&request.Force, "force", false, "delete whatever the version is")
	textFlag(f, &prefix, "prefix", "all entries that `begin` with this, by whole parts: api, and all under api/")
	f.BoolVar(&yes, "yes", false, "with --prefix: delete them instead of only listing them")
	agentFlag(f, &request.AgentID)
	return cmd
}

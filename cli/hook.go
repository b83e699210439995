package cli

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/agent-locks/agent-locks/store"
)

const (
	hookEvents = "session-start, pre-tool-use, post-tool-use, session-end"
	// hookLimit is when a hook answers that it could not find out in time,
	// before its client gives up on it and lets the edit through.
	hookLimit = 5 * time.Second
	// maxEvent bounds an event: a Write has the whole file in it.
	maxEvent = 64 << 20 // bytes
)

func newHook(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "hook <client> <event>",
		Short: "answer an agent's client before and after edits",
		Long: "Answer one event of an agent's client (claude), whose JSON is on stdin: tell the\n" +
			"session who it is, deny edits of files that somebody else holds, keep the\n" +
			"session's locks alive. It is for the client's settings: agent-locks setup claude\n" +
			"puts it there.\n\n" +
			"Events: " + hookEvents + "\n\n" +
			"AGENT_LOCKS_HOOK says what happens to such an edit: deny (the default), warn or\n" +
			"off. Whatever comes in on stdin, hook claude prints an answer, with exit code 0.",
		Example: "  agent-locks hook claude pre-tool-use < event.json",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("the only client is claude", "hook needs the name of a client")
			case args[0] != "claude":
				return usage("the only client is claude; agent-locks setup knows others, which have no hooks", "unknown client %q", args[0])
			case len(args) == 1 && a.StdinIsTerminal: // else the event may say itself which it is
				return usage("events are "+hookEvents, "hook needs an event")
			case len(args) > 2:
				return usage(helpHint(cmd), "hook takes a client and an event, got %d arguments, the third %q", len(args), args[2])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.hookClaude(cmd.Context(), append(args, "")[1])
		},
	}
}

func (a *app) hookClaude(ctx context.Context, named string) error {
	return a.printJSON(a.claudeReply(ctx, named, hookLimit))
}

// claudeReply is the answer to the event on stdin, come what may: for the
// client a hook that fails, hangs or dies is no reason to hold an edit back.
func (a *app) claudeReply(ctx context.Context, named string, limit time.Duration) claudeAnswer {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	h := &claudeHook{app: a, event: claudeEventNamed(named)}
	answers := make(chan claudeAnswer, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				answers <- h.undecided(fmt.Sprintf("agent-locks failed: %v", fault))
			}
		}()
		answers <- h.answer(ctx)
	}()
	select {
	case reply := <-answers:
		return reply
	case <-ctx.Done():
		// h still belongs to the other goroutine.
		late := &claudeHook{app: a, event: claudeEventNamed(named)}
		return late.undecided("no answer in time: " + context.Cause(ctx).Error())
	}
}

// answer reads the event and finds the answer to it.
func (h *claudeHook) answer(ctx context.Context) claudeAnswer {
	b, err := h.readStdin(ctx, maxEvent+1)
	if err == nil && len(b) > maxEvent {
		err = fmt.Errorf("more than %d bytes", maxEvent)
	}
	if err == nil && h.event == "" && len(bytes.TrimSpace(b)) == 0 {
		return h.undecided("hook needs an event, as JSON on stdin; events are " + hookEvents)
	}
	if err == nil {
		err = h.parse(b)
	}
	if err != nil {
		return h.undecided("the event cannot be read: " + err.Error())
	}
	switch h.event {
	case sessionStart:
		return h.sessionStart(ctx)
	case preToolUse:
		return h.preToolUse(ctx)
	case postToolUse:
		return h.postToolUse(ctx)
	case sessionEnd:
		return h.sessionEnd(ctx)
	default:
		return h.undecided(fmt.Sprintf("unknown event %q; known are %s", h.event, hookEvents))
	}
}

// target is the repository that the session works in.
func (h *claudeHook) target() store.Target {
	if h.in.Cwd != "" {
		return store.Target{BaseDir: &h.in.Cwd}
	}
	return h.app.target()
}

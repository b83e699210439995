// Package claude answers the hooks of Claude Code: it tells a session its id,
// denies edits of files that somebody else holds, and keeps the session's locks alive.
//
// Build a Hook and call Reply with the input from stdin. There is always an
// answer, and in time: if a hook fails, hangs or dies, the client lets the edit through.
package claude

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// Events lists the supported events, as the command line names them.
const Events = "session-start, subagent-start, pre-tool-use, post-tool-use, notification, " +
	"user-prompt-submit, session-end"

// MaxEvent bounds the size of an event: a Write contains the whole file.
const MaxEvent = 64 << 20 // bytes

// A Hook has everything that the answers depend on.
type Hook struct {
	Locks   Locks
	Getenv  func(string) string
	Getwd   func() (string, error)
	BaseDir *string        // the repository for events without a cwd; nil: the working directory's
	Warn    func([]string) // reports warnings that are not part of an answer

	// Limit is how long an answer may take. After that, Reply reports the
	// timeout instead; the client's own limit must be longer.
	Limit time.Duration
}

// Locks has the operations of the store that hooks use.
type Locks interface {
	SessionStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SubagentStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionEnd(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionWaits(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	SessionWorks(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	Edit(context.Context, store.EditRequest) (store.Answer[store.EditVerdict], error)
	Edited(context.Context, store.EditRequest) (store.Answer[store.EditFollowUp], error)
}

// Reply returns the answer to one event. named is the event's name on the
// command line; "": the event itself contains it. read returns the event, or as
// much of it as its limit allows.
func (h *Hook) Reply(ctx context.Context, named string, read func(context.Context, int64) ([]byte, error)) Answer {
	ctx, cancel := context.WithTimeout(ctx, h.Limit)
	defer cancel()
	answers := make(chan Answer, 1)
	go func() {
		e := &event{hook: h, name: eventNamed(named)}
		defer func() {
			if fault := recover(); fault != nil {
				answers <- e.undecided(fmt.Sprintf("agent-locks failed: %v", fault))
			}
		}()
		answers <- e.dispatch(ctx, read)
	}()
	select {
	case answer := <-answers:
		return answer
	case <-ctx.Done():
		late := &event{hook: h, name: eventNamed(named)} // the other event belongs to the goroutine
		return late.undecided(tooLate(ctx))
	}
}

func tooLate(ctx context.Context) string { return "no answer in time: " + context.Cause(ctx).Error() }

// An Answer is what a hook prints, in the client's format. An empty answer, {}, says nothing.
type Answer struct {
	SystemMessage string    `json:"systemMessage,omitempty"` // shown to the person
	Specific      *Specific `json:"hookSpecificOutput,omitempty"`

	Delivered func(context.Context) error `json:"-"` // see store.Answer.Delivered
}

// A Specific is the part of an answer that depends on the event.
type Specific struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"` // deny, ask; absent: the client's own rules
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"` // added to the model's context
}

// context returns an answer for the model.
func (e *event) context(text string) Answer {
	return Answer{Specific: &Specific{HookEventName: e.name, AdditionalContext: text}}
}

// warning returns an answer for the model and the person.
func (e *event) warning(text string) Answer {
	a := e.context(text)
	a.SystemMessage = text
	return a
}

// decision returns an answer that decides whether an edit goes ahead.
func (e *event) decision(verdict, reason string) Answer {
	return Answer{Specific: &Specific{HookEventName: e.name, PermissionDecision: verdict,
		PermissionDecisionReason: reason}}
}

// undecided returns the answer when the locks could not be checked. The person
// then decides about an edit, unless AGENT_LOCKS_HOOK is warn or off.
func (e *event) undecided(why string) Answer {
	text := "agent-locks: " + clipped(why, 600)
	if e.name != preToolUse {
		return Answer{SystemMessage: text}
	}
	text += "; this file was not checked against the locks of others"
	switch e.mode() {
	case modeOff:
		return Answer{}
	case modeWarn:
		return e.warning(text)
	}
	return e.decision("ask", text)
}

// The values of AGENT_LOCKS_HOOK: what happens to an edit of a file that
// somebody else holds.
const (
	modeDeny = "deny"
	modeWarn = "warn"
	modeOff  = "off"
)

const modeVariable = "AGENT_LOCKS_HOOK"

// mode returns the value of AGENT_LOCKS_HOOK. An unknown value counts as the strictest.
func (e *event) mode() string {
	mode, _ := parseMode(e.hook.Getenv(modeVariable))
	return mode
}

// parseMode also reports whether text is a known mode or empty.
func parseMode(text string) (mode string, ok bool) {
	switch mode := strings.ToLower(strings.TrimSpace(text)); mode {
	case modeDeny, modeWarn, modeOff:
		return mode, true
	default:
		return modeDeny, mode == ""
	}
}

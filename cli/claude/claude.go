// Package claude answers the hooks of Claude Code: it tells a session who it
// is, denies edits of files that somebody else holds, and keeps the session's
// locks alive.
//
// Build a Hook and call Reply with what came in on stdin. There is always an
// answer, and in time: for the client a hook that fails, hangs or dies does
// not hold an edit back.
package claude

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// Events lists the events that are answered, as the command line names them.
const Events = "session-start, subagent-start, pre-tool-use, post-tool-use, notification, " +
	"user-prompt-submit, session-end"

// MaxEvent bounds an event: a Write has the whole file in it.
const MaxEvent = 64 << 20 // bytes

// A Hook is what the answers depend on.
type Hook struct {
	Locks   Locks
	Getenv  func(string) string
	Getwd   func() (string, error)
	BaseDir *string        // the repository, where an event does not say; nil: the working directory's
	Warn    func([]string) // reports what is not part of an answer

	// Limit is when the answer is that there was none in time; the client's own
	// limit must be longer.
	Limit time.Duration
}

// Locks are the operations of the store that hooks use.
type Locks interface {
	SessionStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SubagentStart(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionEnd(context.Context, store.SessionRequest) (store.Answer[store.Started], error)
	SessionWaits(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	SessionWorks(context.Context, store.SessionRequest) (store.Answer[[]string], error)
	Edit(context.Context, store.EditRequest) (store.Answer[store.EditVerdict], error)
	Edited(context.Context, store.EditRequest) (store.Answer[store.EditFollowUp], error)
}

// Reply is the answer to one event. named is how the command line named it;
// "": the event says so itself. read returns the event, of which it need not
// read more than a limit.
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
		late := &event{hook: h, name: eventNamed(named)} // the other one belongs to that goroutine
		return late.undecided(tooLate(ctx))
	}
}

func tooLate(ctx context.Context) string { return "no answer in time: " + context.Cause(ctx).Error() }

// An Answer has the client's format. The empty one, {}, says nothing.
type Answer struct {
	SystemMessage string    `json:"systemMessage,omitempty"` // for the person
	Specific      *Specific `json:"hookSpecificOutput,omitempty"`

	Delivered func(context.Context) error `json:"-"` // as store.Answer.Delivered
}

// A Specific is the part of an answer that depends on the event.
type Specific struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"` // deny, ask; absent: the client's own rules
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"` // for the model
}

// context is an answer for the model.
func (e *event) context(text string) Answer {
	return Answer{Specific: &Specific{HookEventName: e.name, AdditionalContext: text}}
}

// warning is an answer for the model and the person.
func (e *event) warning(text string) Answer {
	a := e.context(text)
	a.SystemMessage = text
	return a
}

// decision is an answer that settles whether an edit goes ahead.
func (e *event) decision(verdict, reason string) Answer {
	return Answer{Specific: &Specific{HookEventName: e.name, PermissionDecision: verdict,
		PermissionDecisionReason: reason}}
}

// undecided is the answer where we do not know. An edit that nobody could
// check is for the person to decide, unless edits are not to be held back.
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

// What AGENT_LOCKS_HOOK says happens to an edit of a file that somebody else
// holds.
const (
	modeDeny = "deny"
	modeWarn = "warn"
	modeOff  = "off"
)

const modeVariable = "AGENT_LOCKS_HOOK"

// mode is that; a word that is none of them counts as the strictest.
func (e *event) mode() string {
	mode, _ := parseMode(e.hook.Getenv(modeVariable))
	return mode
}

// parseMode also reports whether the text is one of the words, or absent.
func parseMode(text string) (mode string, ok bool) {
	switch mode := strings.ToLower(strings.TrimSpace(text)); mode {
	case modeDeny, modeWarn, modeOff:
		return mode, true
	default:
		return modeDeny, mode == ""
	}
}

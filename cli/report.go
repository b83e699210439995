package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
)

// The exit codes (design, section 9), except for run's own, which stand beside it.
const (
	exitOK          = 0
	exitError       = 1
	exitAnswer      = 2
	exitInterrupted = 130
)

// Words for failures which are not the store's.
const (
	codeInterrupted store.Code = "interrupted"
	codeInternal    store.Code = "internal"
)

// An answered is the outcome of a command whose answer was asked for as an
// exit code; it has been printed already.
type answered int

func (a answered) Error() string { return fmt.Sprintf("exit code %d", int(a)) }

// usage is the error of a caller who used a command wrongly.
func usage(hint, format string, args ...any) error {
	return &store.Error{Code: store.BadInput, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// errInterrupted ends what a key has interrupted.
var errInterrupted = errors.New("interrupted")

// report is the one place where an error becomes text, JSON and exit code.
func (a *app) report(ctx context.Context, err error) int {
	code, isAnswer := errors.AsType[answered](err)
	_, unwritten := errors.AsType[outputError](err)
	switch {
	case err == nil:
		return exitOK
	case isAnswer:
		return int(code)
	case unwritten && nobodyReads(err):
		// The reader of our output has seen enough (`| head -1`).
		return exitOK
	case ctx.Err() != nil || errors.Is(err, errInterrupted):
		a.say(&store.Error{Code: codeInterrupted, Message: "interrupted"})
		return exitInterrupted
	}
	e, ok := errors.AsType[*store.Error](err)
	if !ok {
		e = &store.Error{Code: codeInternal, Message: err.Error()}
	}
	a.say(e)
	if own, ok := errors.AsType[coded](err); ok {
		return own.code
	}
	if e.Code == store.Conflict || e.Code == store.Timeout || e.Code == store.VersionConflict {
		return exitAnswer // --if-free, --wait, --if-version
	}
	return exitError
}

// say prints an error on stderr. Where even that cannot be written, the exit
// code is all that is left.
func (a *app) say(e *store.Error) {
	said := *e
	said.Message, said.Hint = asTyped(e.Message), asTyped(e.Hint)
	if a.flags != nil {
		said.Message = lengthAsTyped(said.Message, a.flags)
	}
	e = &said
	if a.json || askedForJSON(a.Args) {
		if line, err := errorJSON(e); err == nil {
			fmt.Fprintf(a.Stderr, "%s\n", line)
			return
		}
	}
	fmt.Fprintf(a.Stderr, "agent-locks: %s\n", render.PlainLines(e.Message))
	if e.Hint != "" {
		fmt.Fprintln(a.Stderr, render.PlainLines(e.Hint))
	}
	if there, ok := e.Detail.(store.StateConflict); ok {
		render.StateConflict(a.Stderr, there)
	}
}

// askedForJSON looks for --json in arguments that may have failed to parse
// before it was reached.
func askedForJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// errorJSON is {"error": {code, message, hint?, ...}}, where the dots are the
// fields of the error's detail.
func errorJSON(e *store.Error) ([]byte, error) {
	fields := map[string]any{}
	if e.Detail != nil {
		detail, err := store.Encode(e.Detail)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(detail, &fields); err != nil {
			return nil, err
		}
	}
	fields["code"], fields["message"] = e.Code, e.Message
	if e.Hint != "" {
		fields["hint"] = e.Hint
	}
	return store.Encode(map[string]any{"error": fields})
}

// warn prints the warnings that go beside an answer or an error.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(a.Stderr, "agent-locks: warning: %s\n", render.PlainLines(asTyped(w)))
	}
}

// answer prints what an operation said: its warnings, then either the error
// (by returning it), or the result as JSON or by text.
func answer[T any](a *app, ans store.Answer[T], err error, text func(io.Writer, T)) error {
	a.warn(ans.Warnings)
	if err != nil {
		return err
	}
	if what := outcomeOf(ans.Result); what != "" {
		err = answerWith(a, what, ans.Result, text)
	} else {
		err = printAnswer(a, ans.Result, text)
	}
	if err == nil {
		a.delivered(ans.Delivered)
	}
	return err
}

// delivered has it recorded that an answer is out; see store.Answer.Delivered.
// Where that fails the answer stands, and what it showed is shown again.
func (a *app) delivered(record func(context.Context) error) {
	if record == nil {
		return
	}
	if err := record(context.Background()); err != nil { // even where the call was interrupted by now
		a.warn([]string{"could not record that notes were shown: " + err.Error()})
	}
}

func printAnswer[T any](a *app, result T, text func(io.Writer, T)) error {
	if a.json {
		return a.printJSON(result)
	}
	text(a.out, result)
	return a.flush()
}

func (a *app) printJSON(v any) error {
	line, err := store.Encode(v)
	if err != nil {
		return err
	}
	a.out.Write(line)
	a.out.WriteByte('\n')
	return a.flush()
}

// flush writes what has been printed so far; a bufio.Writer keeps the first
// error, so that prints need not look.
func (a *app) flush() error { return a.out.Flush() }

// An output is stdout, whose errors can be recognised.
type output struct{ io.Writer }

func (o output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil {
		err = outputError{err}
	}
	return n, err
}

// An outputError says that stdout could not be written. What the command was
// asked to do may well be done.
type outputError struct{ err error }

func (e outputError) Error() string { return fmt.Sprintf("cannot write the answer: %v", e.err) }
func (e outputError) Unwrap() error { return e.err }

// An answer that cannot be written (a full disk, a reader that has gone) leaves
// the caller without the id of what was done for it, and what was done stands.
// So a command that changed something says what, where it can still be read.

// outcomeOf says what a command has done, by its result: "" where it only looked.
func outcomeOf(result any) string {
	switch r := result.(type) {
	case store.Created:
		return fmt.Sprintf("lock %q was claimed, and stands", r.ID)
	case store.Updated:
		return fmt.Sprintf("lock %q was updated anyway", r.ID)
	case store.Finished:
		return fmt.Sprintf("lock %q was finished anyway", r.ID)
	case store.Reopened:
		return fmt.Sprintf("lock %q was reopened, and is active", r.ID)
	case store.StateWritten:
		return fmt.Sprintf("%q is at version %d, and that stands", r.Name, r.Version)
	case store.Refreshed:
		return fmt.Sprintf("the heartbeat of lock %q was refreshed anyway", r.ID)
	}
	return ""
}

func outcomeOfReap(reaped []store.Reaped) string {
	ids := make([]string, len(reaped))
	for i, r := range reaped {
		ids[i] = fmt.Sprintf("%q", r.ID)
	}
	return "reaped anyway: " + strings.Join(ids, ", ")
}

// answerWith prints an answer, or an error with what was done where that fails. A
// closed pipe must not end the program before it can say so.
func answerWith[T any](a *app, what string, result T, text func(io.Writer, T)) error {
	if a.IgnoreBrokenPipe != nil {
		a.IgnoreBrokenPipe()
	}
	err := printAnswer(a, result, text)
	if err == nil {
		return nil
	}
	hint := "agent-locks status shows what is active now"
	if s, ok := any(result).(store.StateWritten); ok {
		hint = "agent-locks state get " + s.Name + " shows what is there now"
	}
	return &store.Error{Code: codeInternal, Message: fmt.Sprintf("%v; %s", err, what), Hint: hint}
}

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

// The exit codes (design, section 9). The ones specific to run are in
// run_child.go.
const (
	exitOK          = 0
	exitError       = 1
	exitAnswer      = 2
	exitInterrupted = 130
)

// Error codes of failures that do not come from the store.
const (
	codeInterrupted store.Code = "interrupted"
	codeInternal    store.Code = "internal"
)

// An answered ends a command whose answer was requested as an exit code. The
// answer has already been printed.
type answered int

func (a answered) Error() string { return fmt.Sprintf("exit code %d", int(a)) }

// usage returns the error for a command that was used wrongly.
func usage(hint, format string, args ...any) error {
	return &store.Error{Code: store.BadInput, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// errInterrupted ends a command that was interrupted by a key.
var errInterrupted = errors.New("interrupted")

// report is the only place that turns an error into text, JSON and an exit
// code.
func (a *app) report(ctx context.Context, err error) int {
	code, isAnswer := errors.AsType[answered](err)
	_, unwritten := errors.AsType[outputError](err)
	switch {
	case err == nil:
		return exitOK
	case isAnswer:
		return int(code)
	case unwritten && nobodyReads(err):
		// The reader has seen enough and closed the pipe (`| head -1`).
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

// say prints an error on stderr. If that fails as well, only the exit code is
// left to report it.
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

// errorJSON encodes an error as {"error": {code, message, hint?, ...}}, where
// "..." stands for the fields of its Detail.
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

// warn prints the warnings that accompany an answer or an error.
func (a *app) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintf(a.Stderr, "agent-locks: warning: %s\n", render.PlainLines(asTyped(w)))
	}
}

// answer prints the result of an operation: its warnings, then either the error
// (by returning it) or the result, as JSON or by calling text.
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

// delivered records that an answer has been printed; see
// store.Answer.Delivered. If that fails, the answer stands, and the notes in it
// are shown again next time.
func (a *app) delivered(record func(context.Context) error) {
	if record == nil {
		return
	}
	if err := record(context.Background()); err != nil { // even if the call has been interrupted by now
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

// flush writes the output buffered so far. A bufio.Writer keeps its first
// error, so prints need not check theirs.
func (a *app) flush() error { return a.out.Flush() }

// An output is stdout; it marks its errors so that they can be recognized.
type output struct{ io.Writer }

func (o output) Write(b []byte) (int, error) {
	n, err := o.Writer.Write(b)
	if err != nil {
		err = outputError{err}
	}
	return n, err
}

// An outputError reports that stdout could not be written. The operation itself
// may well have succeeded.
type outputError struct{ err error }

func (e outputError) Error() string { return fmt.Sprintf("cannot write the answer: %v", e.err) }
func (e outputError) Unwrap() error { return e.err }

// If an answer cannot be written (the disk is full, the reader has gone), the
// caller does not learn the id of the lock that was made for it. The operation
// is not undone, so a command that changed something reports what it did on
// stderr.

// outcomeOf describes what a command changed, by its result; "" if it changed
// nothing.
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

// answerWith prints an answer or, if that fails, returns an error that says
// what was done. A closed pipe must not end the program before that.
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

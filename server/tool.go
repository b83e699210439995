package server

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/agent-locks/agent-locks/store"
)

// A Tool is one operation as MCP clients see it. Everything that is said
// about it is data, so that a test can sweep the list.
type Tool struct {
	Name        string
	Command     string // the subcommand that does the same
	Title       string
	Description string
	Hints       Hints
	Properties  []Property // in the order in which they are shown

	operation operation
}

// An operation is a method of the store, made callable with JSON.
type operation struct {
	request reflect.Type // its json tags are the names of the tool's arguments
	result  reflect.Type
	run     func(ctx context.Context, s *store.Store, args json.RawMessage) (result any, warnings []string, err error)
}

// Hints are the annotations of a tool. Every tool works in the closed world of
// one repository's store, so openWorldHint is always false.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may end what belongs to somebody else
	Idempotent  bool // the same call again has no further effect
}

// AllTools lists every tool there is.
func AllTools() []Tool { return append(Tools(), setStateTool(), getStateTool(), listStateTool()) }

func served(all bool) []Tool {
	if all {
		return AllTools()
	}
	return Tools()
}

// Tools lists those that every client is offered, in the order of the workflow.
func Tools() []Tool {
	return []Tool{
		queryTool(),
		checkTool(),
		createTool(),
		waitTool(),
		updateTool(),
		heartbeatTool(),
		finishTool(),
		showTool(),
		driftTool(),
		forecastTool(),
		historyTool(),
		reopenTool(),
		reapTool(),
	}
}

// Call takes a tool call's arguments as they were sent and runs the
// operation. The result is what store.Encode prints; warnings come with
// errors too. Every error is of the caller's making or the store's: a
// *store.Error, or ctx's.
func (t Tool) Call(
	ctx context.Context, s *store.Store, raw json.RawMessage,
) (result any, warnings []string, err error) {
	args, err := t.read(raw)
	if err != nil {
		return nil, nil, store.Shortened(err)
	}
	return t.operation.run(ctx, s, args)
}

// operate makes an operation of a method that takes a request R.
func operate[R, A any](method func(*store.Store, context.Context, R) (store.Answer[A], error)) operation {
	run := func(ctx context.Context, s *store.Store, args json.RawMessage) (any, []string, error) {
		var r R
		if err := json.Unmarshal(args, &r); err != nil {
			return nil, nil, fmt.Errorf("reading the arguments: %w", err)
		}
		a, err := method(s, ctx, r)
		if err != nil {
			return nil, a.Warnings, err
		}
		onceAnswered(ctx, a.Delivered)
		return a.Result, a.Warnings, nil
	}
	return operation{request: reflect.TypeFor[R](), result: reflect.TypeFor[A](), run: run}
}

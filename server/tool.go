package server

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/agent-locks/agent-locks/store"
)

// A Tool is one operation as MCP clients see it. Everything about it is data,
// so that tests can check all tools.
type Tool struct {
	Name        string
	Command     string // the equivalent subcommand
	Title       string
	Description string
	Hints       Hints
	Properties  []Property // in the order in which they are shown

	operation operation
}

// An operation is a method of the store that can be called with JSON.
type operation struct {
	request reflect.Type // its json tags are the names of the tool's arguments
	result  reflect.Type
	run     func(ctx context.Context, s *store.Store, args json.RawMessage) (result any, warnings []string, err error)
}

// Hints are a tool's annotations. Every tool works on one repository's store
// only, so openWorldHint is always false.
type Hints struct {
	ReadOnly    bool // changes nothing
	Destructive bool // may end what belongs to somebody else
	Idempotent  bool // the same call again has no further effect
}

// AllTools lists all tools.
func AllTools() []Tool { return append(Tools(), setStateTool(), getStateTool(), listStateTool()) }

func served(all bool) []Tool {
	if all {
		return AllTools()
	}
	return Tools()
}

// Tools lists the tools offered by default, in the order of the workflow.
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

// Call runs the operation with the arguments of a tool call, as sent. The
// result is to be printed with store.Encode. Warnings may accompany an error,
// which is a *store.Error or ctx's.
func (t Tool) Call(
	ctx context.Context, s *store.Store, raw json.RawMessage,
) (result any, warnings []string, err error) {
	args, err := t.read(raw)
	if err != nil {
		return nil, nil, store.Shortened(err)
	}
	return t.operation.run(ctx, s, args)
}

// operate turns a method with a request of type R into an operation.
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

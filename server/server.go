// Package server serves the store's operations as MCP tools over a pair of
// streams. There is one list of tools (Tools); Serve answers calls of them
// until the client has gone.
//
// Nothing is remembered between calls: not an id, not a directory. Calls run
// side by side.
package server

import (
	"context"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// Options are what a server needs. All fields must be set.
type Options struct {
	Store   *store.Store
	Version string
	In      io.Reader // the client's messages
	Out     io.Writer // nothing but protocol is written here
	Log     io.Writer
}

// Serve answers the client on In and Out until In ends or ctx is done, which
// are both a normal end: nil. An error means that the client could not be
// answered any more.
func Serve(ctx context.Context, o Options) error {
	log := slog.New(slog.NewTextHandler(o.Log, nil))
	server, err := newServer(o.Store, o.Version, Tools(), log)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, server, o.In, o.Out, log)
}

// newServer is a server of these tools that has not met a client yet.
func newServer(s *store.Store, version string, tools []Tool, log *slog.Logger) (*mcp.Server, error) {
	server := mcp.NewServer(
		&mcp.Implementation{Name: "agent-locks", Title: "agent-locks", Version: version},
		&mcp.ServerOptions{
			Instructions: instructions,
			// Only what exists: the SDK would add logging and listChanged.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		},
	)
	server.AddReceivingMiddleware(quickly)
	for _, t := range tools {
		declared, err := t.declaration()
		if err != nil {
			return nil, err
		}
		server.AddTool(declared, t.handler(s, log))
	}
	return server, nil
}

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/server/listen"
	"github.com/agent-locks/agent-locks/store"
)

// RemoteOptions configure a server for remote callers. All fields must be set.
type RemoteOptions struct {
	Store    *store.Store // its environment must not identify a caller
	Version  string
	Listener *listen.Listener
	Log      *slog.Logger
	All      bool // as in Options
}

// ServeRemote answers the clients of a listener until ctx is done, which is a
// normal end and returns nil.
func ServeRemote(ctx context.Context, o RemoteOptions) error {
	s := *o.Store
	s.Locate = o.Listener.Locate
	r := &remote{listener: o.Listener, now: s.Now, log: o.Log, waits: make(chan struct{}, maxWaits)}
	by := connection{remoteInstructions(o.Listener.Names()), r.call, listen.UntilTold, listen.AfterAnswer}
	server, err := newServer(&s, o.Version, served(o.All), by, o.Log)
	if err != nil {
		return err
	}
	return o.Listener.Serve(ctx, server)
}

func remoteInstructions(names string) string {
	return "This server is reached over a socket: it knows neither which agent you are nor your directory. base_dir " +
		"is the name of a repository (" + names + "), or the path of a worktree of one as this server knows it. Calls " +
		"that change something need agent_id. Scopes start at the repository's root.\n\n" +
		strings.Replace(instructions, orOmitIt, "", 1)
}

const (
	// maxWaits is how many calls may wait for their turn at once.
	maxWaits = 32
	// unseenWait is the longest wait, in seconds, for a client that does not
	// request progress: most give up after a minute, and proxies may do so earlier.
	unseenWait = 50
	// longestAgent is how much of an agent id is logged, in bytes.
	longestAgent = 256
)

// A remote handles calls of remote callers.
type remote struct {
	listener *listen.Listener
	now      func() time.Time
	log      *slog.Logger
	waits    chan struct{}
}

// call handles one call, which ends if its client leaves, and logs it.
func (r *remote) call(
	ctx context.Context, t Tool, s *store.Store, req *mcp.CallToolRequest,
) (result any, warnings []string, err error) {
	ctx, done := listen.During(ctx)
	defer done()
	began, agent := r.now(), ""
	code := "panicked"
	defer func() {
		who := legible.Cut(legible.Plain(agent), longestAgent)
		r.log.Info("call", "tool", t.Name, "repo", listen.Reached(ctx), "agent", who,
			"ms", r.now().Sub(began).Milliseconds(), "code", code)
	}()
	result, warnings, err = func() (any, []string, error) {
		args, err := t.read(req.Params.Arguments)
		if err != nil {
			return nil, nil, store.Shortened(err)
		}
		agent, args, warnings, err = t.fromAfar(args, req.Params.GetProgressToken() != nil)
		if err != nil {
			return nil, nil, err
		}
		listen.By(ctx, agent)
		r.listener.Settled(ctx, agent)
		if t.waits(args) {
			select {
			case r.waits <- struct{}{}:
				defer func() { <-r.waits }()
			default:
				return nil, nil, &store.Error{Code: store.StoreBusy, Hint: "try again in a while, or do not wait",
					Message: fmt.Sprintf("%d calls are waiting already", maxWaits)}
			}
		}
		result, more, err := t.operation.run(ctx, s, args)
		return result, append(more, warnings...), err
	}()
	code = outcome(ctx, err)
	return result, warnings, err
}

// outcome describes in a word how a call ended.
func outcome(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "left"
	}
	if err == nil {
		return "ok"
	}
	if e, ok := errors.AsType[*store.Error](err); ok && e.Code != "" {
		return string(e.Code)
	}
	return "error"
}

// waitArguments are the arguments that limit how long a call waits.
var waitArguments = []string{"wait_seconds", "timeout_seconds"}

// waitsFor is the argument that makes state_get wait.
const waitsFor = "after"

// fromAfar reads who makes a remote call, and limits how long it may wait if
// its client does not see progress.
func (t Tool) fromAfar(
	args json.RawMessage, seen bool,
) (agent string, bounded json.RawMessage, warnings []string, err error) {
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(args, &given); err != nil {
		return "", nil, nil, fmt.Errorf("reading the arguments: %w", err)
	}
	_ = json.Unmarshal(given["agent_id"], &agent) // absent or a string, as it was checked before
	if agent == "" && !t.Hints.ReadOnly {
		return "", nil, nil, badInput("pass the id that you were given; this server has no other way to know who calls",
			"%s needs `agent_id` here", t.Name)
	}
	for _, name := range waitArguments {
		var n float64
		if _ = json.Unmarshal(given[name], &n); seen || n <= unseenWait {
			continue
		}
		given[name] = json.RawMessage(strconv.Itoa(unseenWait))
		warnings = append(warnings, fmt.Sprintf("a wait lasts at most %d seconds if the client does not request progress; "+
			"call again to keep waiting", unseenWait))
	}
	bounded, err = json.Marshal(given)
	return agent, bounded, warnings, err
}

// waits reports whether a call may wait.
func (t Tool) waits(args json.RawMessage) bool {
	given := map[string]json.RawMessage{}
	_ = json.Unmarshal(args, &given) // checked before
	if _, later := given[waitsFor]; later {
		return true
	}
	return slices.ContainsFunc(waitArguments, func(name string) bool {
		_, asked := given[name]
		return asked || name == "timeout_seconds" && slices.Contains(t.names(), name)
	}) || given["after"] != nil
}

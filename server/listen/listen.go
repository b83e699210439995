// Package listen serves an MCP server of the go-sdk over HTTP, on a unix socket
// or a TCP port, for agents that can reach a socket but not the git directory.
// Open checks the configuration and binds; Serve answers until its context is
// done. The package guarantees:
//
//   - Nothing listens if anything in the configuration is wrong.
//   - Without a valid token, a caller is refused before anything but the path and
//     the Host is looked at. Web pages of other origins are refused, by Host and
//     Origin.
//   - A call reaches only the configured repositories, and nothing else on the
//     host (Locate).
//   - A client that has left or canceled is granted nothing afterwards: During and
//     UntilTold end its calls and waits.
//   - What clients send, or do not read, is limited in size, number and time.
//   - Nothing is remembered between requests, so a restarted listener is as good
//     as before.
package listen

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/store"
)

// A Config has a listener's flags and its environment.
type Config struct {
	Address    string   // unix:PATH or HOST:PORT
	Repos      []string // name=path; none: the working directory's
	TokenFile  string
	NoAuth     bool
	AllowHosts []string
	SocketMode string // octal

	Getwd   func() (string, error)
	Environ func() []string
	Now     func() time.Time
	Said    io.Writer // for messages to the person who started it
	Log     *slog.Logger
}

// A Listener is bound, and ready to Serve.
type Listener struct {
	repos  repositories
	tokens *tokens // nil: no token is required
	hosts  []string
	at     net.Listener
	remove func() error // removes the socket
	now    func() time.Time
	log    *slog.Logger

	calls    calls
	large    chan struct{} // a slot for each message that maxLarge allows
	stopping atomic.Bool
	settling settling
	refusals refusals
	mcp      http.Handler
}

// Open checks the configuration and binds. The error is a *store.Error; in that
// case nothing listens.
func Open(ctx context.Context, c Config) (*Listener, error) {
	where, err := c.where()
	if err != nil {
		return nil, err
	}
	l := &Listener{now: c.Now, log: c.Log, large: make(chan struct{}, maxLarge), remove: func() error { return nil }}
	if l.hosts, err = allowed(c.AllowHosts); err != nil {
		return nil, err
	}
	if l.repos, err = c.named(ctx); err != nil {
		return nil, err
	}
	if c.TokenFile != "" {
		if l.tokens, err = openTokens(c.TokenFile, c.Now); err != nil {
			return nil, err
		}
	}
	if where.socket != "" {
		l.at, l.remove, err = bind(where.socket, where.mode)
	} else {
		l.at, err = net.ListenTCP("tcp", where.tcp)
	}
	if err != nil {
		return nil, unbound(c.Address, err)
	}
	l.introduce(c, where)
	return l, nil
}

func unbound(address string, err error) error {
	if _, ours := err.(*store.Error); ours {
		return err
	}
	hint := "see what listens there, or choose another port (0: any that is free)"
	if strings.HasPrefix(address, socketPrefix) {
		hint = "choose a path in a directory of your own"
	}
	return refusal(hint, "cannot listen on %q: %v", address, err)
}

// introduce prints the address and the repositories, and warnings about
// insecure settings.
func (l *Listener) introduce(c Config, where address) {
	if c.NoAuth {
		fmt.Fprintln(c.Said, "agent-locks: warning: no token is required (--no-auth): every user and every program "+
			"on this machine can read and end every lock")
	}
	if where.socket != "" && where.mode&0o006 != 0 && c.TokenFile == "" {
		fmt.Fprintf(c.Said, "agent-locks: warning: the socket's mode %q lets every user on this machine call\n", c.SocketMode)
	}
	if (c.TokenFile != "" || where.socket != "") && !checksModes {
		fmt.Fprintln(c.Said, "agent-locks: warning: on this system, agent-locks does not check who may read the token file "+
			"or open the socket")
	}
	fmt.Fprintf(c.Said, "agent-locks: listening on %s for %s\n", l.Address(), l.repos.list())
}

// Address returns the address for clients, in the form that connect accepts.
func (l *Listener) Address() string {
	if l.at.Addr().Network() == "unix" {
		return socketPrefix + l.at.Addr().String()
	}
	return "http://" + l.at.Addr().String() + endpoint
}

// Serve answers calls until ctx is done, which is a normal end. Then it accepts
// no new calls, ends waits, and gives the calls in progress a few seconds.
func (l *Listener) Serve(ctx context.Context, server *mcp.Server) error {
	one := func(*http.Request) *mcp.Server { return server }
	l.mcp = mcp.NewStreamableHTTPHandler(one, &mcp.StreamableHTTPOptions{
		Stateless:                  true, // otherwise sessions are bound to a process, and newer protocols missing
		DisableLocalhostProtection: true, // the gate is stricter, and knows --allow-host
		MaxRequestBodyBytes:        maxBody,
	})
	seats := newSeats()
	s := &http.Server{
		Handler:                      http.HandlerFunc(l.admit),
		ReadHeaderTimeout:            headersWithin,
		IdleTimeout:                  idleAtMost,
		MaxHeaderBytes:               maxHeaders,
		ConnState:                    seats.changed,
		DisableGeneralOptionsHandler: true, // only endpoints are served
		ErrorLog:                     slog.NewLogLogger(l.log.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l.at) }()
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go l.watchTokens(watching)
	select {
	case err := <-ended: // Serve always returns an error
		return fmt.Errorf("listening on %s ended: %w", l.Address(), joined(err, l.remove()))
	case <-ctx.Done():
	}
	l.stopping.Store(true)
	l.calls.end(errStopping, func(*exchange) bool { return true })
	seats.dismiss()
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	err := s.Shutdown(soon)
	if err != nil { // a call took longer
		err = s.Close()
	}
	return joined(err, l.remove())
}

// Package connect is the client's side of a listener: a bridge between it and a
// client that speaks over stdin and stdout, and a look at whether it answers.
package connect

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A Target is a listener to talk to.
type Target struct {
	said    string // as it was named
	url     string
	client  *http.Client
	token   func() (string, error) // asked for each request: it may be rotated; nil: none is sent
	session string                 // by which the listener knows which calls are ours
}

// dialWithin is how long a listener has to take a connection.
const dialWithin = 10 * time.Second

// To reads where a listener is: unix:PATH or a URL, whose path is /mcp where it has
// none. A repository narrows it to that one. No proxy is asked.
func To(address, repository string, token func() (string, error)) (*Target, error) {
	t := &Target{said: address, token: token, session: rand.Text()}
	transport := &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second}
	dial := (&net.Dialer{Timeout: dialWithin}).DialContext
	transport.DialContext = dial
	t.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is for this one alone
	}}
	at := "http://localhost/mcp"
	if socket, ok := strings.CutPrefix(address, "unix:"); ok {
		if socket == "" {
			return nil, misnamed(address)
		}
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, "unix", socket) }
	} else {
		var err error
		if at, err = URL(address); err != nil {
			return nil, err
		}
	}
	if repository != "" {
		at = strings.TrimSuffix(at, "/") + "/" + url.PathEscape(repository)
	}
	t.url = at
	return t, nil
}

// URL is a listener's URL, whose path is /mcp where it has none.
func URL(address string) (string, error) {
	said, err := url.Parse(address)
	if err != nil || said.Scheme != "http" && said.Scheme != "https" || said.Host == "" || said.User != nil ||
		said.RawQuery != "" || said.Fragment != "" {
		return "", misnamed(address)
	}
	if said.Path == "" || said.Path == "/" {
		said.Path = "/mcp"
	}
	return said.String(), nil
}

func misnamed(address string) error {
	return &store.Error{Code: store.BadInput, Message: fmt.Sprintf("%q is neither unix:PATH nor a URL", address),
		Hint: "as serve --listen prints it: unix:/run/user/1000/agent-locks.sock, http://127.0.0.1:8123/mcp"}
}

// send sends a message.
func (t *Target) send(ctx context.Context, method string, text []byte, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, t.url, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if header != nil {
		r.Header = header
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", t.session)
	if t.token != nil {
		token, err := t.token()
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return t.client.Do(r)
}

// unreached says in a sentence why a listener could not be asked.
func (t *Target) unreached(err error) string {
	if wrapped, ok := err.(*url.Error); ok {
		err = wrapped.Err
	}
	return fmt.Sprintf("the listener at %s cannot be reached: %v", t.said, err)
}

// refused says in a sentence what a listener did not take.
func (t *Target) refused(status int, body []byte) string {
	said, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if said = strings.TrimPrefix(said, "agent-locks: "); said == "" {
		said = http.StatusText(status)
	}
	return fmt.Sprintf("the listener at %s refused it (%d): %s", t.said, status, said)
}

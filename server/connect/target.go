// Package connect is the client side of a listener: Bridge connects it to a
// client on stdin and stdout, and Probe checks whether it answers.
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

// A Target is a listener to connect to.
type Target struct {
	said    string // the address as given
	url     string
	client  *http.Client
	token   func() (string, error) // called for each request, since tokens may be rotated; nil: none is sent
	session string                 // identifies our calls to the listener
}

// dialWithin bounds the time to connect.
const dialWithin = 10 * time.Second

// To parses a listener's address: unix:PATH, or a URL, whose path defaults to
// /mcp. If repository is not "", only that one is reached. Proxies are not used.
func To(address, repository string, token func() (string, error)) (*Target, error) {
	t := &Target{said: address, token: token, session: rand.Text()}
	transport := &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second}
	dial := (&net.Dialer{Timeout: dialWithin}).DialContext
	transport.DialContext = dial
	t.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse // the token is only for this server
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

// URL returns a listener's URL, whose path defaults to /mcp.
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

// unreached says in a sentence why a listener could not be reached.
func (t *Target) unreached(err error) string {
	if wrapped, ok := err.(*url.Error); ok {
		err = wrapped.Err
	}
	return fmt.Sprintf("the listener at %s cannot be reached: %v", t.said, err)
}

// refused says in a sentence that, and why, a listener refused a message.
func (t *Target) refused(status int, body []byte) string {
	said, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if said = strings.TrimPrefix(said, "agent-locks: "); said == "" {
		said = http.StatusText(status)
	}
	return fmt.Sprintf("the listener at %s refused it (%d): %s", t.said, status, said)
}

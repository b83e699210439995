package listen

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// endpoint is the path for all repositories; the path for one is below it.
const endpoint = "/mcp"

// admit serves or refuses a request, before reading its body.
func (l *Listener) admit(w http.ResponseWriter, r *http.Request) {
	on := http.NewResponseController(w)
	_ = on.SetReadDeadline(l.now().Add(bodyWithin)) // if it fails, the client has gone
	_ = on.SetWriteDeadline(l.now().Add(writeWithin))
	no := func(status int, hint, format string, values ...any) {
		_ = on.SetReadDeadline(l.now().Add(lingerAtMost))
		l.refuse(w, r, status, hint, fmt.Sprintf(format, values...))
	}
	name, found := endpointOf(r.URL.Path)
	switch {
	case !found: // even without a token: a 401 makes clients look for a login page
		no(http.StatusNotFound, "the endpoints are /mcp and /mcp/<repository>", "nothing is at %q", r.URL.Path)
		return
	case !l.knows(r):
		no(http.StatusForbidden, "if it is one of this listener's names, start it with --allow-host",
			"the host %q is not allowed", r.Host)
		return
	}
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		no(http.StatusForbidden, "web pages of other origins are not served", "%s", ofAnotherOrigin(r))
		return
	}
	token, err := l.tokenOf(r)
	if err != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		no(http.StatusUnauthorized, "send one of the listener's tokens, as in Authorization: Bearer <token>", "%v", err)
		return
	}
	only := l.repos.byName(name)
	switch {
	case name != "" && only == nil:
		no(http.StatusNotFound, "there is "+l.repos.list(), "no repository is called %q here", name)
	case l.stopping.Load():
		w.Header().Set("Retry-After", "5")
		no(http.StatusServiceUnavailable, "try again in a while", "%v", errStopping)
	case r.Method == http.MethodDelete:
		l.closeSession(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, DELETE")
		no(http.StatusMethodNotAllowed, "send each message as a POST", "%s is not served", legible.Plain(r.Method))
	case !l.calls.enter():
		w.Header().Set("Retry-After", "1")
		no(http.StatusServiceUnavailable, "try again in a second", "%d calls are being answered already", maxCalls)
	default:
		x := &exchange{token: token, only: only, reached: name}
		defer func() {
			if !x.subscribes { // a subscription has released its slot already
				l.calls.leave()
			}
		}()
		l.post(w, r, x)
	}
}

// ofAnotherOrigin describes why a request counts as coming from a page of
// another origin; the Origin header may be missing.
func ofAnotherOrigin(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return fmt.Sprintf("the origin %q is not allowed", origin)
	}
	return fmt.Sprintf("a request with Sec-Fetch-Site %q is not allowed", r.Header.Get("Sec-Fetch-Site"))
}

// refuse answers a request that is not served with a reason and a hint.
func (l *Listener) refuse(w http.ResponseWriter, r *http.Request, status int, hint, sentence string) {
	l.note(r, status, sentence)
	w.Header().Set("Connection", "close") // do not wait for the rest of the request
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "agent-locks: %s\n%s\n", legible.Plain(sentence), legible.Plain(hint))
}

// endpointOf returns the repository that a path names; "" for all of them.
func endpointOf(path string) (name string, found bool) {
	rest, found := strings.CutPrefix(path, endpoint)
	name, named := strings.CutPrefix(rest, "/")
	return name, found && (rest == "" || named && validName(name))
}

// closeSession ends the waits of a session. A listener keeps no other session state.
func (l *Listener) closeSession(w http.ResponseWriter, r *http.Request) {
	if session := r.Header.Get(sessionHeader); session != "" {
		l.calls.end(errClosed, func(x *exchange) bool { return x.session == session })
	}
	w.WriteHeader(http.StatusNoContent)
}

// tokenOf returns the token of a request if it is currently valid.
func (l *Listener) tokenOf(r *http.Request) (digest, error) {
	if l.tokens == nil {
		return digest{}, nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || len(r.Header.Values("Authorization")) != 1 {
		return digest{}, errors.New("a token is needed")
	}
	d := digestOf(strings.TrimSpace(token))
	if !l.tokens.count(d, l.log) {
		return digest{}, errors.New("the token is not valid")
	}
	return d, nil
}

// knows checks the Host of a request. A page of another site cannot choose it:
// DNS can make that site's name point here, but the Host is still that name.
func (l *Listener) knows(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at == nil {
		return true // a socket, which web pages cannot reach
	}
	host := strings.ToLower(r.Host)
	if slices.Contains(l.hosts, host) || slices.Contains(l.hosts, withoutPort(host)) {
		return true
	}
	here := at.AddrPort().Addr().Unmap().WithZone("")
	names := []string{here.String()}
	if here.IsLoopback() {
		names = append(names, "localhost", "127.0.0.1", "::1")
	}
	return slices.Contains(names, withoutPort(host))
}

// withoutPort returns the name or address in a Host, without brackets and
// without a trailing dot.
func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return strings.TrimSuffix(host, ".")
}

// allowed parses --allow-host: names or addresses, each valid for any port
// unless it has one.
func allowed(given []string) ([]string, error) {
	var hosts []string
	for _, host := range given {
		if host == "" || strings.ContainsAny(host, "/*@ \t?#") {
			return nil, refusal("as in host.docker.internal, or locks.example.com:8443",
				"--allow-host %q is not a host's name", host)
		}
		host = strings.ToLower(host)
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = withoutPort(host)
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

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

// endpoint is the path that reaches every repository; one alone is below it.
const endpoint = "/mcp"

// admit lets a request in, or refuses it, before its body is read.
func (l *Listener) admit(w http.ResponseWriter, r *http.Request) {
	on := http.NewResponseController(w)
	_ = on.SetReadDeadline(l.now().Add(bodyWithin)) // a connection that cannot has its client gone
	_ = on.SetWriteDeadline(l.now().Add(writeWithin))
	no := func(status int, hint, format string, values ...any) {
		_ = on.SetReadDeadline(l.now().Add(lingerAtMost))
		l.refuse(w, r, status, hint, fmt.Sprintf(format, values...))
	}
	name, found := endpointOf(r.URL.Path)
	switch {
	case !found: // without a token as well: a 401 has clients look for where to log in
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
			if !x.subscribes { // which has left its place
				l.calls.leave()
			}
		}()
		l.post(w, r, x)
	}
}

// ofAnotherOrigin says by what a request was known as one that a page of another
// ofAnotherOrigin says by what a request was known to come from a page of another
// origin: the header Origin may be missing.
func ofAnotherOrigin(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return fmt.Sprintf("the origin %q is not allowed", origin)
	}
	return fmt.Sprintf("a request with Sec-Fetch-Site %q is not allowed", r.Header.Get("Sec-Fetch-Site"))
}

// refuse answers a request that is not served: a sentence and the way out.
func (l *Listener) refuse(w http.ResponseWriter, r *http.Request, status int, hint, sentence string) {
	l.note(r, status, sentence)
	w.Header().Set("Connection", "close") // and do not wait for the rest of it
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	fmt.Fprintf(w, "agent-locks: %s\n%s\n", legible.Plain(sentence), legible.Plain(hint))
}

// endpointOf is the repository that a path names, "" for none.
func endpointOf(path string) (name string, found bool) {
	rest, found := strings.CutPrefix(path, endpoint)
	name, named := strings.CutPrefix(rest, "/")
	return name, found && (rest == "" || named && validName(name))
}

// closeSession ends the waits of a session. Nothing else is known of it.
func (l *Listener) closeSession(w http.ResponseWriter, r *http.Request) {
	if session := r.Header.Get(sessionHeader); session != "" {
		l.calls.end(errClosed, func(x *exchange) bool { return x.session == session })
	}
	w.WriteHeader(http.StatusNoContent)
}

// tokenOf is the token that a request brings, if it is one that counts now.
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

// knows decides by the Host that a request names, which a page of another site
// cannot choose: its own site's name can be made to lead here.
func (l *Listener) knows(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at == nil {
		return true // a socket, which no page reaches
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

// withoutPort is the name or address in a Host, without brackets and a last dot.
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

// allowed reads --allow-host: a name or an address, for any port unless it has one.
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

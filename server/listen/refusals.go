package listen

import (
	"net/http"
	"sync"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Refusals are logged, but not so many that a caller without a token can fill a
// disk with them.
type refusals struct {
	mu      sync.Mutex
	second  int64
	said    int // in that second
	skipped int // since the last one that was said
}

// refusalsASecond is how many lines there are at most.
const refusalsASecond = 5

// note logs a refusal that somebody may have to act on.
func (l *Listener) note(r *http.Request, status int, why string) {
	if status != http.StatusUnauthorized && status != http.StatusForbidden && status != http.StatusServiceUnavailable {
		return
	}
	n := &l.refusals
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := l.now().Unix(); now != n.second {
		n.second, n.said = now, 0
	}
	if n.said == refusalsASecond {
		n.skipped++
		return
	}
	n.said++
	l.log.Warn("refused", "status", status, "from", r.RemoteAddr, "why", legible.Plain(why), "skipped", n.skipped)
	n.skipped = 0
}

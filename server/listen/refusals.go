package listen

import (
	"net/http"
	"sync"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// refusals limits the logging of refusals, so that a caller without a token
// cannot fill the disk.
type refusals struct {
	mu      sync.Mutex
	second  int64
	said    int // how many were logged in that second
	skipped int // how many were not logged since the last one that was
}

// refusalsASecond is the maximum number of log lines.
const refusalsASecond = 5

// note logs a refusal that may require action.
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

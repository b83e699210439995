//go:build unix

package fleet

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A host that does not answer is reported in plain words.
func TestSilentHostIsReportedInPlainWords(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	over := make(chan struct{})
	url := serveHTTP(t, newRemote(t), func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over })
	})
	t.Cleanup(func() { close(over) })
	_, err := newClone(t, url).Look(t.Context(), time.Second, true)
	if err == nil || !strings.Contains(err.Error(), "no answer within 1 s") {
		t.Errorf("%v", err)
	}
}

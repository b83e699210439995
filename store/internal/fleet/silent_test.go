//go:build unix

package fleet

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
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

// Readers do not rely on an earlier look while the remote does not answer, nor after a
// caller has given up on it. The file of a killed process means nothing.
func TestSilenceCountsAsAFailedLook(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := newLock("2026-01-01T00-00-00-a", "src/**")
	for name, ask := range map[string]func(context.Context, *clone) error{
		"a look": func(ctx context.Context, a *clone) error {
			_, err := a.Look(ctx, time.Minute, true)
			return err
		},
		"a push": func(ctx context.Context, a *clone) error {
			a.wants[l.ID] = l
			return second(a.Publish(ctx, Request{Judge: a.judge(""), Wait: time.Minute, Urgent: true}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var silent atomic.Bool
			asked, over := make(chan struct{}, 100), make(chan struct{})
			a := newClone(t, serveHTTP(t, newRemote(t), func(h http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if silent.Load() {
						asked <- struct{}{}
						<-over
					}
					h.ServeHTTP(w, r)
				})
			}))
			t.Cleanup(func() { close(over) })
			a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
			read := func() *View {
				t.Helper()
				v, err := Read(t.Context(), a.Fleet.dir, new(Memory))
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			long := func() {
				t.Helper()
				if err := a.folder.Touch(askingName, time.Now().Add(2*silence)); err != nil {
					t.Fatal(err)
				}
				if v := read(); v.Failed.After(v.Looked) {
					t.Errorf("it has just been asked, and the view says %s: %s", v.Failed, v.Words)
				}
				if err := a.folder.Touch(askingName, time.Now().Add(-2*silence)); err != nil {
					t.Fatal(err)
				}
			}
			silent.Store(true)
			ctx, end := context.WithCancelCause(t.Context())
			defer end(nil)
			ended := make(chan error, 1)
			go func() { ended <- ask(ctx, a) }()
			<-asked
			long()
			if v := read(); !v.Failed.After(v.Looked) || !strings.HasPrefix(v.Words, "it has not answered yet, after 10s") {
				t.Errorf("meanwhile the view says %s, %s: %s", v.Looked, v.Failed, v.Words)
			}
			end(fault.New(fault.FleetUnreachable, "that took too long"))
			wantCode(t, <-ended, fault.FleetUnreachable)
			if v := read(); !v.Failed.After(v.Looked) || v.Words != "no answer in time" {
				t.Errorf("afterwards the view says %s, %s: %s", v.Looked, v.Failed, v.Words)
			}
			silent.Store(false)
			a.look()
			if err := a.folder.Mark(askingName); err != nil {
				t.Fatal(err)
			}
			long()
			if v := read(); v.Failed.After(v.Looked) {
				t.Errorf("nobody asks, and the view says %s: %s", v.Failed, v.Words)
			}
		})
	}
}

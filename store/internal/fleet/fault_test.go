//go:build unix

package fleet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// cut makes the server accept a push and then lose its answer.
func cut(times *atomic.Int32) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isPush(r) || times.Add(-1) < 0 {
				h.ServeHTTP(w, r)
				return
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		})
	}
}

// A push whose answer is lost was accepted all the same, as the tip shows.
func TestAnswerIsLost(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	var times atomic.Int32
	times.Store(1)
	bare := newRemote(t)
	a := newClone(t, serveHTTP(t, bare, cut(&times)))
	if r := a.must(a.claim("2026-01-01T00-00-00-a", "src/**")); r.Pushes != 1 {
		t.Errorf("it took %d pushes, and the first one was taken", r.Pushes)
	}
	if n := git(t, bare, "rev-list", "--count", DefaultRef); n != "1" {
		t.Errorf("%s commits", n)
	}
}

// It has won even if another clone has followed and dropped the history.
func TestAnswerIsLostAndAnotherCloneFollows(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	b := newClone(t, bare)
	b.config.Chain = 1
	b.reopen()
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	var once atomic.Bool
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isPush(r) || once.Swap(true) {
				h.ServeHTTP(w, r)
				return
			}
			h.ServeHTTP(httptest.NewRecorder(), r)
			b.must(b.claim("2026-01-01T00-00-00-c", "test/**"))
			panic(http.ErrAbortHandler)
		})
	}))
	if r := a.must(a.claim("2026-01-01T00-00-00-a", "src/**")); r.Pushes != 1 {
		t.Errorf("it took %d pushes, and the first one was taken", r.Pushes)
	}
	if n := git(t, bare, "rev-list", "--count", DefaultRef); n != "1" {
		t.Errorf("the history was not dropped: %s commits", n)
	}
	wantIDs(t, newClone(t, bare).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b", "2026-01-01T00-00-00-c")
}

// A hanging server is given up at the deadline, and everything that git has started is
// killed.
func TestServerHangs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-done:
			case <-r.Context().Done():
			}
		})
	}))
	began := time.Now()
	_, err := a.Look(context.Background(), time.Second, true)
	wantCode(t, err, fault.FleetUnreachable)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	// Then the network is left alone, except by urgent calls.
	_, err = a.Look(context.Background(), time.Second, false)
	wantCode(t, err, fault.FleetUnreachable)
	if v, err := a.Known(context.Background()); err != nil || v.Failed.IsZero() || len(v.Locks) != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// If a push gets no answer and nobody else pushes, it is not said that another clone was
// faster.
func TestPushHangs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	done := make(chan struct{})
	url := serveHTTP(t, newRemote(t), func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isPush(r) {
				h.ServeHTTP(w, r)
				return
			}
			select {
			case <-done:
			case <-r.Context().Done():
			}
		})
	})
	t.Cleanup(func() { close(done) }) // before the server waits for its requests
	a := newClone(t, url)
	l := newLock("2026-01-01T00-00-00-a", "src/**")
	a.wants[l.ID] = l
	_, err := a.Publish(context.Background(), Request{Judge: a.judge(l.ID), Claims: []Key{{ID: l.ID}}, Urgent: true})
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "does not accept the push: no answer within 10 s") {
		t.Error(err)
	}
}

// A push that is given up leaves no lock file in a remote that is a path, although git
// holds one at that moment, so nothing blocks the next push.
func TestGivenUpPushLeavesNoLockFile(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	reached, hook := filepath.Join(bare, "reached"), filepath.Join(bare, "hooks", "reference-transaction")
	script := "#!/bin/sh\n[ \"$1\" = prepared ] || exit 0\n: > '" + reached + "'\n" +
		"while [ -e '" + reached + "' ]; do sleep 0.05; done\n"
	if err := os.WriteFile(hook, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	l := newLock("2026-01-01T00-00-00-b", "docs/**")
	a.wants[l.ID] = l
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(reached); err == nil {
				giveUp()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, err := a.Publish(ctx, Request{Judge: a.judge(l.ID), Claims: []Key{{ID: l.ID}}, Urgent: true})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(bare, "refs", "agents-locks", "*.lock")); err != nil || len(left) > 0 {
		t.Errorf("%q is left, %v", left, err)
	}
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	a.must(a.claim("2026-01-01T00-00-00-c", "test/**"))
}

// A claim whose time was spent on waiting for a failed look of another process does not
// look again; one that has time left does.
func TestFailedLookOfAnotherProcessCounts(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a := newClone(t, newRemote(t))
	a.look()
	s := a.lastSeen()
	s.Failed, s.Words = time.Now().Add(time.Minute), "no route" // later than the start of the call
	if err := a.save(tipName, s); err != nil {
		t.Fatal(err)
	}
	l := newLock("2026-01-01T00-00-00-a", "src/**")
	a.wants[l.ID] = l
	r, err := a.Publish(t.Context(), Request{Judge: a.judge(l.ID), Claims: []Key{{ID: l.ID}}, Urgent: true})
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "no route") || r.Pushes > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
}

// A user who may read but not push sees locks, and cannot claim.
func TestPushIsForbidden(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	b := newClone(t, bare)
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isPush(r) || r.URL.Query().Get("service") == "git-receive-pack" {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			h.ServeHTTP(w, r)
		})
	}))
	_, err := a.claim("2026-01-01T00-00-00-a", "src/**")
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("the host's words are missing: %v", err)
	}
	wantIDs(t, a.look(), "2026-01-01T00-00-00-b")
}

// A host that refuses the ref is distinguished from a race, and its message is reported.
func TestRefIsRefused(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		arm  func(t *testing.T, bare string)
		want string
	}{
		"by a hook": {func(t *testing.T, bare string) {
			hook := "#!/bin/sh\necho 'only branches here' >&2\nexit 1\n"
			if err := os.WriteFile(filepath.Join(bare, "hooks", "pre-receive"), []byte(hook), 0o777); err != nil {
				t.Fatal(err)
			}
		}, "only branches here"},
		"as a hidden namespace": {func(t *testing.T, bare string) {
			git(t, bare, "config", "receive.hideRefs", "refs/agents-locks")
		}, "hidden ref"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			c.arm(t, bare)
			a := newClone(t, serveHTTP(t, bare, nil))
			r, err := a.claim("2026-01-01T00-00-00-a", "src/**")
			wantCode(t, err, fault.FleetRefused)
			if err == nil || !strings.Contains(err.Error(), c.want) || r.Pushes != sameAnswer {
				t.Errorf("after %d pushes: %v", r.Pushes, err)
			}
			if refs := git(t, bare, "for-each-ref"); refs != "" {
				t.Errorf("there is %s", refs)
			}
		})
	}
}

// A hanging credential helper ends with the call that started it.
func TestCredentialHelperHangs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	helper := filepath.Join(realTemp(t), "helper")
	pid := helper + ".pid"
	if err := os.WriteFile(helper, []byte("#!/bin/sh\necho $$ > "+pid+"\nexec sleep 600\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
	}), "credential.helper="+helper)
	_, err := a.Look(context.Background(), 2*time.Second, true)
	wantCode(t, err, fault.FleetUnreachable)
	data, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "the end of the helper", func() bool {
		return exec.Command("kill", "-0", strings.TrimSpace(string(data))).Run() != nil
	})
}

// Without a credential helper, git does not prompt.
func TestNobodyIsAskedForAPassword(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	asked := filepath.Join(realTemp(t), "asked")
	ask := filepath.Join(realTemp(t), "ask")
	if err := os.WriteFile(ask, []byte("#!/bin/sh\ntouch "+asked+"\necho x\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		})
	}), "core.askPass="+ask)
	a.config.Environ = append(a.config.Environ, "GIT_ASKPASS="+ask, "SSH_ASKPASS="+ask)
	a.reopen()
	_, err := a.Look(context.Background(), 10*time.Second, true)
	wantCode(t, err, fault.FleetUnreachable)
	if _, err := os.Stat(asked); err == nil {
		t.Error("a program was asked for a password")
	}
}

// A remote with different URLs for fetching and pushing is refused.
func TestRemotesThatCannotBeUsed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, settings := range map[string][]string{
		"another push URL":    {"remote.origin.pushurl=/elsewhere"},
		"two push URLs":       {"remote.origin.pushurl=/elsewhere", "remote.origin.pushurl=/there"},
		"two URLs":            {"remote.origin.url=/elsewhere"},
		"a rewritten push":    {"url./elsewhere.pushInsteadOf=/"},
		"no remote":           {"remote.upstream.url=/elsewhere"},
		"the same, rewritten": {"url./elsewhere.pushInsteadOf=git://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClone(t, newRemote(t))
			for _, s := range settings {
				key, value, _ := strings.Cut(s, "=")
				git(t, c.dir, "config", "--add", key, value)
			}
			if name == "no remote" {
				c.config.Remote = "nowhere"
			}
			f, err := openAt(c.dir, c.config)
			if err == nil {
				err = f.Close()
				if name == "the same, rewritten" && err == nil {
					return
				}
			}
			wantCode(t, err, fault.BadInput)
		})
	}
}

// A remote whose path is gone is unreachable, and the last view stays.
func TestRemoteIsGone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	a.look()
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	v, err := a.Look(context.Background(), 5*time.Second, true)
	wantCode(t, err, fault.FleetUnreachable)
	wantIDs(t, v, "2026-01-01T00-00-00-b")
	_, err = a.claim("2026-01-01T00-00-00-a", "src/**")
	wantCode(t, err, fault.FleetUnreachable)
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
}

//go:build unix

package fleet

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// stoppedDaemon returns the URL of a stopped git daemon. The kernel still accepts
// connections to it.
func stoppedDaemon(t *testing.T) string {
	t.Helper()
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(strings.TrimSpace(string(path)), "git-daemon")
	if _, err := os.Stat(program); err != nil {
		t.Skip("this git has no daemon")
	}
	bare := newRemote(t)
	port := freePort(t)
	daemon := exec.Command(program, "--export-all", "--base-path="+filepath.Dir(bare), "--listen=127.0.0.1", "--port="+port)
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait() // killed
	})
	url := "git://127.0.0.1:" + port + "/" + filepath.Base(bare)
	storetest.Eventually(t, "the daemon", func() bool { return exec.Command("git", "ls-remote", url).Run() == nil })
	if err := daemon.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	return url
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// silentListener returns the URL of a server that accepts connections and never answers.
func silentListener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return "git://" + l.Addr().String() + "/x.git"
}

// A call that waits for another process of its clone learns that the remote does not
// answer, if that process waits for the remote, and otherwise that other processes were
// busy.
func TestHangingRemoteIsNoBusyClone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, serve := range map[string]func(*testing.T) string{
		"a daemon that was stopped": stoppedDaemon, "a server that says nothing": silentListener,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newClone(t, serve(t))
			other, err := openAt(a.dir, a.config)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			ctx, end := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				_, err := other.Look(ctx, time.Minute, true)
				ended <- err
			}()
			asking := a.folder.File(askingName)
			storetest.Eventually(t, "a process that asks", func() bool {
				_, err := os.Stat(asking)
				return err == nil
			})
			since := func(at time.Time) {
				if err := a.folder.Touch(askingName, at); err != nil {
					t.Fatal(err)
				}
			}
			since(time.Now().Add(time.Minute))
			_, err = a.Look(t.Context(), 0, true)
			wantCode(t, err, fault.FleetBusy)
			since(time.Now().Add(-19 * time.Second))
			_, err = a.Look(t.Context(), 0, true)
			wantCode(t, err, fault.FleetUnreachable)
			if err == nil || !strings.Contains(err.Error(), `"origin" does not answer: another process of this clone`) {
				t.Error(err)
			}
			err = other.Serve(t.Context(), func() error {
				return a.Alone(t.Context(), 0, func() error { t.Error("it is not alone"); return nil })
			})
			wantCode(t, err, fault.FleetUnreachable)
			end()
			if err := <-ended; err == nil {
				t.Error("the remote has answered")
			}
			if _, err := os.Stat(asking); err == nil {
				t.Error("nobody asks any more, and the file is there")
			}
		})
	}
}

// The mark of a killed process does not count for the next one; a look that failed
// meanwhile does.
func TestKeptByAnotherProcess(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a := newClone(t, newRemote(t))
	a.look()
	if err := a.folder.Mark(askingName); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := a.folder.Touch(askingName, long); err != nil {
		t.Fatal(err)
	}
	busy, err := a.enter(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Look(t.Context(), 0, true)
	wantCode(t, err, fault.FleetBusy)
	busy.state.Failed, busy.state.Words = time.Now().Add(time.Minute), "no route"
	if err := a.save(tipName, busy.state); err != nil {
		t.Fatal(err)
	}
	_, err = a.Look(t.Context(), 0, true)
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "no route") {
		t.Error(err)
	}
	if err := busy.leave(); err != nil {
		t.Fatal(err)
	}
}

// An accepted push counts, even if its answer never arrives and it claims nothing.
func TestAnswerIsLostWithoutAClaim(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	var times atomic.Int32
	times.Store(1)
	a := newClone(t, serveHTTP(t, newRemote(t), cut(&times)))
	l := newLock("2026-01-01T00-00-00-a", "src/**")
	a.wants[l.ID] = l
	if r := a.must(a.Publish(t.Context(), Request{Judge: a.judge(""), Urgent: true})); r.Pushes != 1 || len(r.View.Mine) != 1 {
		t.Errorf("%+v", r)
	}
}

// A push without an answer is reported as such, even if another clone pushed in between.
func TestPushWithoutAnswerWhileOthersFollow(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	b := newClone(t, bare)
	a := newClone(t, serveHTTP(t, bare, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !isPush(r) {
				h.ServeHTTP(w, r)
				return
			}
			b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
			h.ServeHTTP(httptest.NewRecorder(), r) // it is refused now
			panic(http.ErrAbortHandler)
		})
	}))
	l := newLock("2026-01-01T00-00-00-a", "src/**")
	a.wants[l.ID] = l
	_, err := a.Publish(t.Context(), Request{Judge: a.judge(""), Urgent: true})
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "does not accept the push") {
		t.Error(err)
	}
}

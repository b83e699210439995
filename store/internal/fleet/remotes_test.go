//go:build unix

package fleet

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// serveHTTP serves a bare repository by git's own CGI program, with a handler of the test
// in between.
func serveHTTP(t testing.TB, bare string, between func(http.Handler) http.Handler) string {
	t.Helper()
	git(t, bare, "config", "http.receivepack", "true")
	backend := &cgi.Handler{
		Path: filepath.Join(git(t, bare, "--exec-path"), "git-http-backend"),
		Env:  append(storetest.CleanEnvironment(), "GIT_PROJECT_ROOT="+filepath.Dir(bare), "GIT_HTTP_EXPORT_ALL=1"),
	}
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The CGI program does not read the whole body if git does not.
		backend.ServeHTTP(w, r)
	})
	if between != nil {
		h = between(h)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL + "/" + filepath.Base(bare)
}

// serveDaemon serves a bare repository by git daemon.
func serveDaemon(t testing.TB, bare string) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("git", "daemon", "--reuseaddr", "--export-all", "--enable=receive-pack",
		"--listen=127.0.0.1", "--port="+port,
		"--base-path="+filepath.Dir(bare), filepath.Dir(bare))
	cmd.Env = storetest.CleanEnvironment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // git starts the daemon as another program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	storetest.Eventually(t, "the daemon listening", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
	return port
}

// delayed is a proxy on loopback with the given round trip time, also for opening a
// connection.
func delayed(t testing.TB, target string, roundTrip time.Duration) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				time.Sleep(roundTrip)
				d, err := net.Dial("tcp", target)
				if err != nil {
					return
				}
				defer d.Close()
				var both sync.WaitGroup
				both.Go(func() { pump(d.(*net.TCPConn), c, roundTrip/2) })
				both.Go(func() { pump(c.(*net.TCPConn), d, roundTrip/2) })
				both.Wait()
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// pump copies one direction with a delay.
func pump(to *net.TCPConn, from io.Reader, late time.Duration) {
	type chunk struct {
		at   time.Time
		data []byte
	}
	queue := make(chan chunk, 1024)
	go func() {
		defer close(queue)
		r := bufio.NewReader(from)
		for {
			buf := make([]byte, 64<<10)
			n, err := r.Read(buf)
			if n > 0 {
				queue <- chunk{time.Now().Add(late), buf[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	for c := range queue {
		time.Sleep(time.Until(c.at))
		if _, err := to.Write(c.data); err != nil {
			return
		}
	}
	_ = to.CloseWrite()
}

// kinds runs a test for each kind of remote.
func kinds(t *testing.T, test func(t *testing.T, bare, url string)) {
	t.Helper()
	for _, kind := range []string{"path", "daemon", "http"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			url := bare
			switch kind {
			case "daemon":
				url = "git://127.0.0.1:" + serveDaemon(t, bare) + "/" + filepath.Base(bare)
			case "http":
				url = serveHTTP(t, bare, nil)
			}
			test(t, bare, url)
		})
	}
}

// isPush reports whether a request is the push itself, rather than the preceding ref
// advertisement.
func isPush(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/git-receive-pack") }

//go:build unix

package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func TestListenersSocket(t *testing.T) {
	t.Parallel()
	l := listening(t)
	dir := socketDir(t)
	path := filepath.Join(dir, "s")
	for mode, want := range map[string]os.FileMode{"": 0o600, "660": 0o660, "0600": 0o600} {
		flags := []string{"--listen", "unix:" + path}
		if mode != "" {
			flags = append(flags, "--socket-mode", mode)
		}
		box := l.beside(flags...)
		info, err := os.Lstat(path)
		if err != nil || info.Mode().Perm() != want || info.Mode().Type() != os.ModeSocket {
			t.Errorf("mode %q: %v, %v", mode, info.Mode(), err)
		}
		if status, _, text := box.post("", "", pingText, "Host", "anything"); status != 200 {
			t.Errorf("%d %s", status, text)
		}
		if status, _, _ := box.post("", "", pingText, "Origin", "http://evil.example"); status != 403 {
			t.Errorf("a page: %d", status)
		}
		box.stop()
		if _, err := os.Lstat(path); err == nil {
			t.Error("the socket was left")
		}
	}
	link := filepath.Join(socketDir(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	through := l.beside("--listen", "unix:"+filepath.Join(link, "s"))
	if through.path != path { // who owns the link may change it
		t.Errorf("it listens at %q", through.path)
	}
	through.stop()
	guarded := l.beside("--listen", "unix:"+path, "--token-file", tokens(t, l.dir+".t", testToken))
	for token, want := range map[string]int{"": 401, testToken: 200} {
		if status, _, _ := guarded.post(token, "", pingText); status != want {
			t.Errorf("token %q: %d", token, status)
		}
	}
}

// An abandoned socket is replaced, a live one is not, and nobody takes away
// another's.
func TestListenersSocketOutlivesKills(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	path := filepath.Join(socketDir(t), "s")
	box := l.beside("--listen", "unix:"+path)
	if _, fault, code := l.piped("", "serve", "--listen", "unix:"+path); code != 1 || !strings.Contains(fault, "another listener serves at") {
		t.Errorf("%d %s", code, fault)
	}
	if status, _, _ := box.post("", "", pingText); status != 200 {
		t.Errorf("the first one after that: %d", status)
	}
	box.cmd.Process.Kill()
	box.cmd.Wait()
	if _, err := os.Lstat(path); err != nil {
		t.Fatal(err)
	}
	next := l.beside("--listen", "unix:"+path)
	if status, _, _ := next.post("", "", pingText); status != 200 {
		t.Errorf("after a kill: %d", status)
	}
	// Somebody else's in its place stays.
	os.Remove(path)
	foreign, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if code, _ := next.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, next.log())
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error("a successor's socket was removed")
	}
	if _, fault, code := l.piped("", "serve", "--listen", "unix:"+path); code != 1 || !strings.Contains(fault, "another program listens at") {
		t.Errorf("%d %s", code, fault)
	}
}

// Of many that start at once, one listens.
func TestListenersSocketHasOneListener(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	path := filepath.Join(socketDir(t), "s")
	dead, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	dead.Close()
	patience := 5 * time.Second
	var all sync.WaitGroup
	var mu sync.Mutex
	var living []*exec.Cmd
	refused := 0
	for range 6 {
		all.Go(func() {
			cmd := l.command("serve", "--listen", "unix:"+path)
			if err := cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			ended := make(chan struct{})
			go func() { cmd.Wait(); close(ended) }()
			mu.Lock()
			living = append(living, cmd)
			mu.Unlock()
			select {
			case <-ended:
				mu.Lock()
				refused++
				mu.Unlock()
			case <-time.After(patience):
			}
		})
	}
	all.Wait()
	if refused != 5 {
		t.Errorf("%d of 6 were refused", refused)
	}
	if conn, err := net.Dial("unix", path); err != nil {
		t.Error(err)
	} else {
		conn.Close()
	}
	for _, cmd := range living {
		cmd.Process.Signal(syscall.SIGTERM)
	}
}

// Whatever is wrong with what a listener is told is said in a sentence, with the way
// out, and nothing listens.
func TestListenerRefusesWhatItIsTold(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	dir := socketDir(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	good := tokens(t, at("tokens"), testToken)
	write := func(name, text string, mode os.FileMode) string {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(at(name), mode); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	open := at("open")
	for _, err := range []error{os.Mkdir(open, 0o700), os.Chmod(open, 0o777), os.Mkdir(at("sticky"), 0o700),
		os.Chmod(at("sticky"), 0o777|os.ModeSticky), syscall.Mkfifo(at("fifo"), 0o600), os.Symlink(at("tokens"), at("link")),
		os.Symlink(at("nowhere"), at("dangling"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	long := at(strings.Repeat("x", 120))
	for _, c := range []struct {
		flags []string
		says  []string
	}{
		{[]string{"--listen", "127.0.0.1:0", "--token-file", write("readable", testToken, 0o604)}, []string{"others can use it", "0604", "chmod 600"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", write("group", testToken, 0o620)}, []string{"its group can write it"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", write("blank", "\n# none\n", 0o600)}, []string{"it has no token"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", write("two", "one two\n", 0o600)}, []string{"line 1 is not one token"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", at("none")}, []string{"no such file"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", at("fifo")}, []string{"not a regular file"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", dir}, []string{"not a regular file"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", ""}, []string{"needs tokens"}},
		{[]string{"--listen", "127.0.0.1:0"}, []string{"needs tokens", "--no-auth"}},
		{[]string{"--listen", "0.0.0.0:0"}, []string{"needs tokens", "--token-file"}},
		{[]string{"--listen", ":0"}, []string{"needs tokens"}},
		{[]string{"--listen", "[::]:0", "--no-auth"}, []string{"reached from elsewhere"}},
		{[]string{"--listen", "0.0.0.0:0", "--no-auth"}, []string{"reached from elsewhere"}},
		{[]string{"--listen", "127.0.0.1:0", "--no-auth", "--token-file", good}, []string{"omit one of them"}},
		{[]string{"--listen", busy.Addr().String(), "--token-file", good}, []string{"address already in use", "another port"}},
		{[]string{"--listen", "192.0.2.1:0", "--token-file", good}, []string{"cannot listen on"}},
		{[]string{"--listen", "127.0.0.1", "--token-file", good}, []string{"neither unix:PATH nor HOST:PORT"}},
		{[]string{"--listen", "127.0.0.1:http", "--token-file", good}, []string{"neither unix:PATH nor HOST:PORT"}},
		{[]string{"--listen", "127.0.0.1:65536", "--token-file", good}, []string{"neither unix:PATH nor HOST:PORT"}},
		{[]string{"--listen", "nohost.invalid:1", "--token-file", good}, []string{"nohost.invalid"}},
		{[]string{"--listen", ""}, []string{"neither unix:PATH nor HOST:PORT"}},
		{[]string{"--listen", "unix:"}, []string{"names no path"}},
		{[]string{"--listen", "unix:" + long}, []string{"the system takes"}},
		{[]string{"--listen", "unix:" + write("file", "x", 0o600)}, []string{"is not a socket"}},
		{[]string{"--listen", "unix:" + at("link")}, []string{"is not a socket"}},
		{[]string{"--listen", "unix:" + at("dangling")}, []string{"is not a socket"}},
		{[]string{"--listen", "unix:" + at("none/s")}, []string{"no such file", "mkdir -m 700"}},
		{[]string{"--listen", "unix:" + at("open/s")}, []string{"others can write", "mkdir -m 700"}},
		{[]string{"--listen", "unix:" + at("sticky/s")}, []string{"others can write"}},
		{[]string{"--listen", "unix:" + at("s"), "--no-auth"}, []string{"is a socket"}},
		{[]string{"--listen", "unix:" + at("s"), "--socket-mode", "0100"}, []string{"--socket-mode"}},
		{[]string{"--listen", "unix:" + at("s"), "--socket-mode", "rw"}, []string{"--socket-mode"}},
		{[]string{"--listen", "unix:" + at("s"), "--socket-mode", "1777"}, []string{"--socket-mode"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", good, "--socket-mode", "600"}, []string{"--socket-mode"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "app"}, []string{"not name=path"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "a/b=" + l.dir}, []string{"not name=path"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "../x=" + l.dir}, []string{"not name=path"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "a=" + dir}, []string{"not in a git repository"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "a=" + at("none")}, []string{"does not exist"}},
		{[]string{"--listen", "unix:" + at("s"), "--repo", "a=" + l.dir, "--repo", "a=" + l.dir}, []string{"is taken"}},
		{[]string{"--listen", "127.0.0.1:0", "--token-file", good, "--allow-host", "http://x"}, []string{"not a host's name"}},
		{[]string{"--no-auth"}, []string{"without --listen"}},
		{[]string{"--listen", "unix:" + at("s"), "--base-dir", l.dir}, []string{"--repo"}},
	} {
		out, fault, code := l.piped("", append([]string{"serve"}, c.flags...)...)
		if code != 1 || out != "" || strings.Contains(fault, "listening on") || strings.Count(fault, "\n") != 2 {
			t.Errorf("%q: exit code %d, %s%s", c.flags, code, out, fault)
		}
		for _, want := range c.says {
			if !strings.Contains(fault, want) {
				t.Errorf("%q: no %q in %s", c.flags, want, fault)
			}
		}
	}
	if _, err := os.Lstat(at("s")); err == nil {
		t.Error("there is a socket")
	}
}

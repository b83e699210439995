//go:build unix

package fleet

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// An sshServer is a real sshd on loopback, with its own keys.
type sshServer struct {
	dir, port, user string
}

// serveSSH starts an sshServer. It skips the test if there is no sshd, or it cannot run.
func serveSSH(t *testing.T) sshServer {
	t.Helper()
	var program string
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/usr/local/sbin"} {
		if _, err := os.Stat(filepath.Join(dir, "sshd")); err == nil {
			program = filepath.Join(dir, "sshd")
		}
	}
	me, err := user.Current()
	if program == "" || err != nil {
		t.Skipf("no sshd is installed here (%v)", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := sshServer{dir: realTemp(t), user: me.Username}
	_, s.port, _ = net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"host", "mine"} {
		s.key(t, key, "")
	}
	storetest.Put(t, s.file("known"), fmt.Sprintf("[127.0.0.1]:%s %s", s.port, s.read(t, "host.pub")))
	storetest.Put(t, s.file("config"), fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\n"+
		"StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\n", s.port, s.file("host"),
		s.file("mine.pub")))
	var said bytes.Buffer
	cmd := exec.Command(program, "-D", "-e", "-f", s.file("config"))
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	for range 100 {
		select {
		case err := <-ended:
			t.Skipf("sshd does not run here: %v: %s", err, said.String())
		default:
		}
		if exec.Command("ssh", append(s.options("mine"), "true")...).Run() == nil {
			return s
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Skip("sshd lets nobody in here")
	return s
}

func (s sshServer) file(name string) string { return filepath.Join(s.dir, name) }

func (s sshServer) read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(s.file(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (s sshServer) key(t *testing.T, name, passphrase string) {
	t.Helper()
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", s.file(name)).
		CombinedOutput(); err != nil {
		t.Skipf("ssh-keygen: %v: %s", err, out)
	}
}

// command returns an ssh command that uses the given key, and none of the user's own
// settings.
func (s sshServer) command(key string) string {
	return fmt.Sprintf("ssh -F /dev/null -i %s -o IdentitiesOnly=yes -o IdentityAgent=none -o UserKnownHostsFile=%s", s.file(key),
		s.file("known"))
}

func (s sshServer) options(key string) []string {
	return append(strings.Fields(s.command(key))[1:], "-oBatchMode=yes", "-p", s.port, s.user+"@127.0.0.1")
}

func (s sshServer) url(bare string) string { return "ssh://" + s.user + "@127.0.0.1:" + s.port + bare }

// Claims use the user's ssh, however git was told which one to use.
func TestRealSSH(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := serveSSH(t)
	wrapper := s.file("ssh") // git takes a program of that name for OpenSSH
	storetest.Put(t, wrapper, "#!/bin/sh\nexec "+s.command("mine")+" \"$@\"\n")
	if err := os.Chmod(wrapper, 0o777); err != nil {
		t.Fatal(err)
	}
	control := s.command("mine") + " -oControlMaster=auto -oControlPersist=30 -oControlPath=" + s.file("c")
	t.Cleanup(func() { _ = exec.Command("ssh", "-oControlPath="+s.file("c"), "-Oexit", "x").Run() })
	for name, c := range map[string]struct {
		environ  []string
		settings []string
	}{
		"GIT_SSH_COMMAND":         {environ: []string{"GIT_SSH_COMMAND=" + s.command("mine")}},
		"core.sshCommand":         {settings: []string{"core.sshCommand=" + s.command("mine")}},
		"GIT_SSH":                 {environ: []string{"GIT_SSH=" + wrapper}},
		"a connection that stays": {environ: []string{"GIT_SSH_COMMAND=" + control}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			a := newClone(t, s.url(bare), c.settings...)
			a.config.Environ = append(a.config.Environ, c.environ...)
			a.reopen()
			b := newClone(t, bare)
			began := time.Now()
			a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
			if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); err == nil {
				t.Error("what is taken was claimed")
			}
			b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
			wantIDs(t, a.look(), "2026-01-01T00-00-00-c")
		})
	}
}

// ssh prompts neither for a passphrase nor about an unknown host.
func TestSSHAsksNobody(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	s := serveSSH(t)
	s.key(t, "locked", "a passphrase")
	asked := s.file("asked")
	storetest.Put(t, s.file("ask"), "#!/bin/sh\ntouch "+asked+"\necho x\n")
	if err := os.Chmod(s.file("ask"), 0o777); err != nil {
		t.Fatal(err)
	}
	storetest.Put(t, s.file("strangers"), "")
	for name, c := range map[string]struct{ command, want string }{
		"a key with a passphrase": {s.command("locked"), "Permission denied"},
		"a host that is not known": {strings.Replace(s.command("mine"), s.file("known"), s.file("strangers"), 1),
			"Host key verification failed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := newClone(t, s.url(newRemote(t)))
			a.config.Environ = append(a.config.Environ, "GIT_SSH_COMMAND="+c.command, "SSH_ASKPASS="+s.file("ask"), "DISPLAY=:0")
			a.reopen()
			_, err := a.Look(context.Background(), 15*time.Second, true)
			wantCode(t, err, fault.FleetUnreachable)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
			if _, err := os.Stat(asked); err == nil {
				t.Error("somebody was asked")
			}
		})
	}
}

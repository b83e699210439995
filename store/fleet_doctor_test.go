package store_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Each case is a clone of a real remote with one thing wrong with sharing. What is fine
// is reported, too, but only if sharing is on.
func TestDoctorOnTheFleet(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const ref = fleetRef
	answered := func(text string) func(w *world, bare string) {
		return func(w *world, _ string) {
			w.git(w.main, "config", "remote.origin.url", answering(w.t, text)+"/x.git")
		}
	}
	for _, c := range []struct {
		name     string
		arrange  func(w *world, bare string)
		want     []sick
		unsynced bool // the clone has not found out yet
		long     bool
	}{
		{name: "sound", arrange: func(*world, string) {}},
		{name: "off", arrange: func(w *world, bare string) {
			get(w.t.(*testing.T))(w.at(w.main).FleetOff(background, store.FleetRequest{}))
			w.git(w.main, "config", "--add", "remote.origin.pushurl", "/elsewhere")
		}},
		{
			name: "the remote is gone",
			arrange: func(w *world, bare string) {
				if err := os.Rename(bare, bare+"-away"); err != nil {
					w.t.Fatal(err)
				}
			},
			want: []sick{{problem, "fleet", "does not answer", "git ls-remote origin"}},
		},
		{
			name:    "the remote is not configured any more",
			arrange: func(w *world, _ string) { w.git(w.main, "remote", "remove", "origin") },
			want:    []sick{{problem, "fleet", `there is no remote "origin"`, "fleet on --remote"}},
		},
		{
			name: "two push URLs",
			arrange: func(w *world, bare string) {
				w.git(w.main, "config", "--add", "remote.origin.pushurl", bare)
				w.git(w.main, "config", "--add", "remote.origin.pushurl", "/elsewhere")
			},
			want: []sick{{problem, "fleet", "several push URLs", "one URL"}},
		},
		{
			name: "a password would be asked for",
			arrange: answered("HTTP/1.1 401 Unauthorized\r\n" +
				"WWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
			want: []sick{{problem, "fleet", "does not answer", "credential helper"}},
		},
		{
			name:    "a server that hangs",
			arrange: answered(""),
			want:    []sick{{problem, "fleet", "deadline exceeded", "hangs"}},
			long:    true, unsynced: true,
		},
		{
			name:    "no right to push",
			arrange: func(w *world, _ string) { w.git(w.main, "config", "remote.origin.receivepack", "false") },
			want:    []sick{{problem, "fleet", "not pushed to", "--local"}},
		},
		{
			name:     "no ref",
			arrange:  func(w *world, bare string) { w.git(bare, "update-ref", "-d", ref) },
			want:     []sick{{note, "fleet", "has no", "next claim"}},
			unsynced: true,
		},
		{
			name: "a ref that was deleted lately",
			arrange: func(w *world, bare string) {
				w.git(bare, "update-ref", "-d", ref)
				w.claim(w.main, "again", "again")
			},
			want: []sick{{note, "fleet", "deleted or replaced", "--mirror"}},
		},
		{
			name: "a ref that cannot be read",
			arrange: func(w *world, bare string) {
				w.git(bare, "update-ref", ref, w.git(w.main, "rev-parse", "HEAD^{tree}"))
			},
			want: []sick{{problem, "fleet", "cannot be read", "fleet reset"}},
		},
		{
			name:    "a newer format",
			arrange: func(w *world, bare string) { w.forgeMessage(bare, "format: 1", "format: 2") },
			want:    []sick{{problem, "fleet", "format 2", "update agent-locks"}},
		},
		{
			name: "what others have published is odd",
			arrange: func(w *world, bare string) {
				w.forge(bare, map[string]string{"building/x.md": "nothing", "odd.txt": "x"})
			},
			want: []sick{{problem, "fleet", "may be locks, and cannot be read, 1 times: ", "fleet status names more"},
				{note, "fleet", "not a lock, and is ignored, 1 times: ", "fleet status names more"}},
		},
		{
			name:    "a history that is never dropped",
			arrange: func(w *world, bare string) { w.forgeMessage(bare, "chain: ", "chain: 900") },
			want:    []sick{{note, "fleet", "commits", "forced on the host"}},
		},
		{
			name: "another clone's clock is ahead",
			arrange: func(w *world, bare string) {
				ahead := time.Now().UTC().Add(time.Hour + time.Minute).Format("2006-01-02T15-04-05")
				w.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", ahead)})
			},
			want: []sick{{note, "fleet", `"building" is ahead of this one by 1h`, "set that clock"}},
		},
		{
			name: "a lock that another clone came before, and one that nobody knows of",
			arrange: func(w *world, bare string) {
				id := w.claim(w.main, "lost", "lost")
				w.write(id+".md", strings.Replace(w.read(id+".md"), "scope:", "fleet: lost\nscope:", 1))
				w.apart.Wait()
				if err := os.Rename(bare, bare+"-away"); err != nil {
					w.t.Fatal(err)
				}
				w.claim(w.main, "unheard", "unheard")
				w.apart.Wait()
				if err := os.Rename(bare+"-away", bare); err != nil {
					w.t.Fatal(err)
				}
			},
			want: []sick{{note, "fleet", "-lost", "talk to"}, {problem, "fleet", "the last try to publish failed", "fleet sync"},
				{note, "fleet", "-unheard", "fleet sync"}},
			unsynced: true,
		},
		{
			name: "a copied clone",
			arrange: func(w *world, _ string) {
				w.claim(w.main, "mine", "mine")
				w.apart.Wait()
				copied := filepath.Join(w.t.TempDir(), "copied")
				if err := os.CopyFS(copied, os.DirFS(filepath.Join(w.main, ".git"))); err != nil {
					w.t.Fatal(err)
				}
				w.claim(w.main, "more", "more") // with another token
				w.apart.Wait()
				if err := os.RemoveAll(filepath.Join(w.main, ".git")); err != nil {
					w.t.Fatal(err)
				}
				if err := os.Rename(copied, filepath.Join(w.main, ".git")); err != nil {
					w.t.Fatal(err)
				}
				w.pass(time.Minute)
			},
			want: []sick{{note, "fleet", "a copy of another one", "finish them"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.long && testing.Short() {
				t.Skip("it waits for as long as doctor does")
			}
			a, _, bare := newFleet(t)
			c.arrange(a, bare)
			if !c.unsynced {
				_, _ = a.at(a.main).FleetSync(background, store.FleetRequest{}) // finds out what is wrong
			}
			began := time.Now()
			d := a.doctor(a.at(a.main), false).Result
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			if said := d.Found("fleet", store.SeverityOK); c.name == "off" && said || c.name == "sound" && !said {
				t.Errorf("%+v", d.Findings)
			}
			wantFindings(t, d, c.want)
			for _, f := range d.Findings {
				if d.Problems() > 0 && strings.Contains(f.Message, "all that it shares is published") {
					t.Errorf("beside a problem it says %q", f.Message)
				}
			}
		})
	}
}

// answering starts an HTTP server that answers each request with text, or never if text
// is empty. It does not use net/http, which takes long to link.
func answering(t testing.TB, text string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	serve := func(conn net.Conn) {
		defer conn.Close()
		if text == "" {
			_, _ = io.Copy(io.Discard, conn)
			return
		}
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if lines.Text() == "" { // the end of the request
				_, _ = io.WriteString(conn, text)
				return
			}
		}
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go serve(conn)
		}
	}()
	return "http://" + listener.Addr().String()
}

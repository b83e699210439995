//go:build unix

package fleet

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// The time of an uncontested claim, from opening the fleet to the answer, relative to
// that of `git push` of one commit which changes a file in a directory, and of `git
// ls-remote`, in turn on the same remote. The metrics are medians of ratios.
func BenchmarkClaim(b *testing.B) {
	for _, kind := range []string{"path", "daemon", "http", "late"} {
		b.Run(kind, func(b *testing.B) {
			bare := newRemote(b)
			url := bare
			switch kind {
			case "daemon":
				url = "git://127.0.0.1:" + serveDaemon(b, bare) + "/" + filepath.Base(bare)
			case "late": // 80 ms round trip
				url = "git://127.0.0.1:" + delayed(b, "127.0.0.1:"+serveDaemon(b, bare),
					80*time.Millisecond) + "/" + filepath.Base(bare)
			case "http":
				url = serveHTTP(b, bare, nil)
			}
			c := newClone(b, url)
			other := newClone(b, bare)
			other.must(other.claim("2026-01-01T00-00-00-other", "other/**"))
			c.look()
			commit := func(text string) {
				storetest.Put(b, filepath.Join(c.dir, "src", "a.go"), text)
				git(b, c.dir, "add", "src")
				git(b, c.dir, "commit", "-q", "-m", text)
			}
			commit("0")
			git(b, c.dir, "push", "-q", "origin", "HEAD:main")
			var pushes, lists []float64
			n := 0
			for b.Loop() {
				n++
				commit(fmt.Sprint(n))
				push := timed(func() { git(b, c.dir, "push", "-q", "origin", "HEAD:main") })
				list := timed(func() { git(b, c.dir, "ls-remote", "-q", "origin") })
				claim := timed(func() {
					c.reopen()
					clear(c.wants)
					c.must(c.claim(fmt.Sprintf("2026-01-01T00-00-00-%d", n), "src/**"))
				})
				pushes, lists = append(pushes, claim/push), append(lists, claim/list)
			}
			slices.Sort(pushes)
			slices.Sort(lists)
			b.ReportMetric(pushes[len(pushes)/2], "x-push")
			b.ReportMetric(lists[len(lists)/2], "x-ls-remote")
		})
	}
}

func timed(do func()) float64 {
	began := time.Now()
	do()
	return float64(time.Since(began))
}

// The first look at a chain of maximum length, with about 50 live locks of ten clones,
// through git daemon; and the space that a change takes on the host after garbage
// collection.
func BenchmarkFirstLook(b *testing.B) {
	const changes = 2000
	bare := newRemote(b)
	chain(b, bare, changes)
	git(b, bare, "gc", "-q")
	packs, err := filepath.Glob(filepath.Join(bare, "objects", "pack", "*.pack"))
	if err != nil || len(packs) != 1 {
		b.Fatalf("%q, %v", packs, err)
	}
	pack, err := os.Stat(packs[0])
	if err != nil {
		b.Fatal(err)
	}
	url := "git://127.0.0.1:" + serveDaemon(b, bare) + "/" + filepath.Base(bare)
	locks := 0
	for b.Loop() {
		b.StopTimer()
		c := newClone(b, url)
		b.StartTimer()
		locks = len(c.look().Locks)
	}
	if locks < 40 {
		b.Fatalf("%d locks", locks)
	}
	b.ReportMetric(float64(pack.Size())/changes, "bytes/change")
}

// chain creates a history of claims, heartbeats and ends.
func chain(b *testing.B, bare string, changes int) {
	b.Helper()
	var in strings.Builder
	live := map[string]lockfile.Lock{}
	var order []string
	for i := range changes {
		message := format.Message(format.Header{Format: 1, Epoch: "epochepoch", Seq: uint64(i + 1), Chain: uint64(i + 1),
			Nonce: fmt.Sprintf("nonce%08d", i*7919)}, "agent-locks: 1 of laptop")
		fmt.Fprintf(&in, "commit %s\ncommitter A <a@example.com> %d +0000\ndata %d\n%s\n", DefaultRef,
			1700000000+i*30, len(message), message)
		clone := fmt.Sprintf("clone%03d", i%10)
		path := clone + "/" + fmt.Sprintf("2026-07-17T18-45-12-lock-%d.md", i)
		switch {
		case i%3 == 0 || len(order) < 2:
			live[path], order = newLock(strings.TrimSuffix(filepath.Base(path), ".md"), fmt.Sprintf("src/mod%d/**", i)),
				append(order, path)
		case i%3 == 1:
			path = order[i*31%len(order)]
		case len(order) > 50:
			fmt.Fprintf(&in, "D %s\n", order[0])
			delete(live, order[0])
			order = order[1:]
			continue
		default:
			path = order[i*17%len(order)]
		}
		l := live[path]
		l.Updated.Time = l.Updated.Time.Add(time.Duration(i) * time.Second)
		data, err := format.Render(l, false)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(data), data)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = bare, identified(), strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// Four clones claim at the same time, each its own files. The metrics are the number of
// pushes per claim: the 95th percentile and the maximum.
func BenchmarkSideBySide(b *testing.B) {
	const clones, claims = 4, 25
	for b.Loop() {
		bare := newRemote(b)
		url := "git://127.0.0.1:" + serveDaemon(b, bare) + "/" + filepath.Base(bare)
		var all sync.WaitGroup
		var mu sync.Mutex
		var pushes []int
		for i := range clones {
			c := newClone(b, url)
			all.Go(func() {
				for j := range claims {
					id := fmt.Sprintf("2026-01-01T00-00-00-%d-%d", i, j)
					r, err := c.claim(id, id)
					if err != nil && !errors.Is(err, fault.FleetBusy) { // a busy claim took at least that many pushes
						b.Error(err)
						return
					}
					mu.Lock()
					pushes = append(pushes, r.Pushes)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		slices.Sort(pushes)
		b.ReportMetric(float64(pushes[len(pushes)*95/100]), "pushes-of-95-in-100")
		b.ReportMetric(float64(pushes[len(pushes)-1]), "pushes-at-most")
	}
}

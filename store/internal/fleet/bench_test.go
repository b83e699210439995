//go:build unix

package fleet

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// A claim that nobody disputes, from opening to the answer, against the time of
// `git push` of one commit, which changes a file in a directory, and of `git ls-remote`, in turn on the same remote.
// The metrics are medians of ratios.
func BenchmarkClaim(b *testing.B) {
	for _, kind := range []string{"path", "daemon", "http", "late"} {
		b.Run(kind, func(b *testing.B) {
			bare := newRemote(b)
			url := bare
			switch kind {
			case "daemon":
				url = "git://127.0.0.1:" + serveDaemon(b, bare) + "/" + filepath.Base(bare)
			case "late": // 80 ms a round trip
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

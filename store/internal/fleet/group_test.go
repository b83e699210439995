//go:build unix

package fleet

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// Claims that agents of one clone make at the same time are published together.
func TestManyAgentsOfOneClone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	const agents = 16
	var fleets [agents]*Fleet
	for i := range agents {
		id := fmt.Sprintf("2026-01-01T00-00-00-%02d", i)
		l := newLock(id, id+"/**")
		l.Published.Nonce = "nonce-" + id
		a.wants[id] = l
		var err error
		if fleets[i], err = openAt(a.dir, a.config); err != nil {
			t.Fatal(err)
		}
		defer fleets[i].Close()
	}
	var wg sync.WaitGroup
	for i, f := range fleets {
		wg.Go(func() {
			id := fmt.Sprintf("2026-01-01T00-00-00-%02d", i)
			if _, err := f.Publish(context.Background(), Request{Judge: a.judge(id), Claims: []Key{keyOf(a.wants[id])},
				Wait: time.Minute}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := git(t, bare, "rev-list", "--count", DefaultRef); n != "1" {
		t.Errorf("%s swaps for what could be one", n)
	}
	if n := len(newClone(t, bare).look().Locks); n != agents {
		t.Errorf("%d locks stand", n)
	}
}

// Our own repository stays small, and is recreated when it is damaged or a killed git has
// left a lock file in it.
func TestOwnRepositoryHealsAndStaysSmall(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	own := filepath.Join(a.dir, ".git", "agents-locks", "fleet.git")
	for i := range 40 {
		id := fmt.Sprintf("2026-01-01T00-00-00-%d", i%3)
		b.wants = map[string]lockfile.Lock{}
		b.must(b.claim(id+"-"+strconv.Itoa(i), id))
		a.look()
	}
	packs := storetest.NamesLike(t, filepath.Join(own, "objects", "pack"), "*.pack")
	if len(packs) > 34 {
		t.Errorf("%d packs", len(packs))
	}
	storetest.Put(t, filepath.Join(own, "refs", "fleet", "tip.lock"), "")
	b.must(b.claim("2026-01-01T00-00-00-x", "x/**"))
	if v := a.look(); !strings.Contains(fmt.Sprint(ids(v)), "-x") {
		t.Errorf("the others' locks are %q", ids(v))
	}
	for _, pack := range storetest.NamesLike(t, filepath.Join(own, "objects", "pack"), "*.pack") {
		if err := os.Chmod(pack, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(pack, 20); err != nil {
			t.Fatal(err)
		}
	}
	b.must(b.claim("2026-01-01T00-00-00-y", "y/**"))
	if v := a.look(); !strings.Contains(fmt.Sprint(ids(v)), "-y") {
		t.Errorf("the others' locks are %q", ids(v))
	}
	a.must(a.claim("2026-01-01T00-00-00-z", "z/**"))
}

// Clones that claim at the same time through a slow link all succeed.
func TestClonesSideBySide(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	url := "git://127.0.0.1:" + delayed(t, "127.0.0.1:"+serveDaemon(t, bare),
		80*time.Millisecond) + "/" + filepath.Base(bare)
	var wg sync.WaitGroup
	var clones []*clone
	for range 3 {
		clones = append(clones, newClone(t, url))
	}
	for i, c := range clones {
		wg.Go(func() {
			for j := range 3 {
				id := fmt.Sprintf("2026-01-01T00-00-00-%d-%d", i, j)
				r, err := c.claim(id, id)
				if err != nil {
					t.Error(err)
				}
				t.Logf("%s: %d pushes", id, r.Pushes)
			}
		})
	}
	wg.Wait()
	if n := len(newClone(t, bare).look().Locks); n != 9 {
		t.Errorf("%d locks stand", n)
	}
}

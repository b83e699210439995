package disk

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// under runs do under the mutex of a store with its own handle. It waits as
// long as a slow machine may take.
func under(common string, do func(tx *Tx) error) error {
	d, err := opened(common)
	if err != nil {
		return err
	}
	d.Wait = 5 * time.Minute
	tx, err := d.lock(context.Background())
	if err != nil {
		return errors.Join(err, d.Close())
	}
	return errors.Join(do(tx), tx.unlock(), d.Close())
}

const counter = stamp + "-counter"

// advance increments the counter in a lock's file.
func advance(tx *Tx, id string) error {
	e, err := tx.Dir.Get(context.Background(), id)
	if err != nil {
		return err
	}
	n, err := whole(e.File)
	if err != nil {
		return err
	}
	f, err := parse(id, e.Lock.Status, n+1)
	if err != nil {
		return err
	}
	_, err = tx.replaceFile(e, f)
	return err
}

// playCount creates locks of one name and counts each in another lock.
func playCount(common, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	for range n {
		if err := under(common, func(tx *Tx) error {
			e, err := tx.Create(stamp+"-same", fresh)
			if err != nil {
				return err
			}
			fmt.Println(e.Lock.ID)
			return advance(tx, counter)
		}); err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesAtOnce(t *testing.T) {
	t.Parallel()
	const times = 2
	processes := 64
	if testing.Short() {
		processes = 8
	}
	common := storetest.NewCommon(t)
	storetest.Put(t, filepath.Join(common, Name, counter+".md"), text(counter, lockfile.Active, 0))
	results := make(chan string, processes)
	for range processes {
		cmd := storetest.Process(t, "count", common, strconv.Itoa(times))
		go func() {
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v: %v", cmd.Args, err)
			}
			results <- string(out)
		}()
	}
	var said []string
	for range processes {
		for reading := true; reading; {
			select {
			case out := <-results:
				said = append(said, strings.Fields(out)...)
				reading = false
			default:
				ids(t, listed(t, at(t, common), All))
			}
		}
	}
	slices.Sort(said)
	if len(said) != processes*times || len(slices.Compact(slices.Clone(said))) != len(said) {
		t.Errorf("%d ids were given out: %v", len(said), said)
	}
	d := at(t, common)
	if got := ids(t, listed(t, d, ActiveOnly)); !slices.Equal(got, append([]string{counter}, said...)) {
		t.Errorf("listed are %v, given out were %v", got, said)
	}
	e, err := d.Get(t.Context(), counter)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := whole(e.File); n != processes*times || err != nil {
		t.Errorf("%d of %d updates survived (%v)", n, processes*times, err)
	}
}

// playChurn takes locks through their lives until it is killed, and prints the
// ids confirmed to it.
func playChurn(common string) error {
	fmt.Println("ready")
	for {
		if err := under(common, func(tx *Tx) error {
			e, err := tx.Create(stamp+"-churn", fresh)
			if err != nil {
				return err
			}
			fmt.Println(e.Lock.ID)
			return live(tx, e)
		}); err != nil {
			return err
		}
	}
}

// live takes a lock through every kind of write.
func live(tx *Tx, e Entry) error {
	for _, step := range []struct {
		write  func(Entry, *lockfile.File) (Entry, error)
		status string
	}{
		{tx.replaceFile, lockfile.Active},
		{tx.finishFile, lockfile.Done},
		{tx.reopenFile, lockfile.Active},
		{tx.finishFile, lockfile.Done},
	} {
		serial, err := whole(e.File)
		if err != nil {
			return err
		}
		f, err := parse(e.Lock.ID, step.status, serial+1)
		if err != nil {
			return err
		}
		if e, err = step.write(e, f); err != nil {
			return err
		}
	}
	return nil
}

func TestKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	var confirmed []string
	killed := 20
	if testing.Short() {
		killed = 3
	}
	for range killed {
		cmd := storetest.Process(t, "churn", common)
		lines := storetest.Begin(t, cmd)
		if !lines.Scan() { // by then it is working
			t.Fatalf("it confirmed nothing: %v", lines.Err())
		}
		confirmed = append(confirmed, lines.Text())
		time.AfterFunc(rand.N(25*time.Millisecond), func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			confirmed = append(confirmed, lines.Text())
		}
		storetest.Kill(cmd)
		if wantSettled(t, common, confirmed); t.Failed() {
			return
		}
	}
}

// wantSettled checks what a killed process left: whole files, no id twice,
// everything that was confirmed. The next writer must continue at once and
// leave no finished lock in the active directory.
func wantSettled(t *testing.T, common string, confirmed []string) {
	t.Helper()
	d := at(t, common)
	before := ids(t, listed(t, d, All))
	if len(slices.Compact(slices.Clone(before))) != len(before) {
		t.Errorf("an id twice: %v", before)
	}
	for _, id := range confirmed {
		if !slices.Contains(before, id) {
			t.Errorf("%s was confirmed and is gone", id)
		}
	}
	tx, err := d.lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l := listed(t, tx.Dir, ActiveOnly)
	if err := tx.unlock(); err != nil {
		t.Fatal(err)
	}
	ids(t, l)
	if after := ids(t, listed(t, d, All)); !slices.Equal(before, after) {
		t.Errorf("the next writer saw %v where a reader had seen %v", after, before)
	}
	for _, e := range listed(t, d, All).Entries {
		if want := filepath.Join(d.Path, "done"); (filepath.Dir(e.Path) == want) != (e.Lock.Status == lockfile.Done) {
			t.Errorf("%s with status %s was left at %s", e.Lock.ID, e.Lock.Status, e.Path)
		}
	}
}

// playCrash takes a lock through its life and kills itself at the nth call that
// makes a step durable.
func playCrash(common, id, nth string) error {
	n, err := strconv.Atoi(nth)
	if err != nil {
		return err
	}
	step := func() {
		if n--; n == 0 {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
				select {}
			}
		}
	}
	return under(common, func(tx *Tx) error {
		tx.Dir.link = func(r *os.Root, from, to string) error {
			step()
			err := r.Link(from, to)
			step()
			return err
		}
		tx.Dir.sync = func(r *os.Root) error {
			step()
			return atomicfile.SyncDir(r)
		}
		e, err := tx.Create(id, fresh)
		if err != nil {
			return err
		}
		return live(tx, e)
	})
}

func TestKilledBetweenAnyTwoSteps(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	for n := 1; ; n++ {
		id := fmt.Sprintf("%s-crash-%d", stamp, n)
		err := storetest.Process(t, "crash", common, id, strconv.Itoa(n)).Run()
		var exit *exec.ExitError
		switch {
		case err == nil && n > 10:
			return // there was no nth step
		case err == nil || !errors.As(err, &exit):
			t.Fatalf("step %d: %v", n, err)
		}
		var confirmed []string
		if n > 1 {
			confirmed = []string{id}
		}
		if wantSettled(t, common, confirmed); t.Failed() {
			t.Fatalf("killed at step %d", n)
		}
	}
}

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// playState writes an entry in the given way that many times: it adds 1; or it
// reads a list of lines, adds one and writes the version it read, until nobody
// else was faster; or it appends.
func playState(dir, way, times string) error {
	n, err := strconv.Atoi(times)
	if err != nil {
		return err
	}
	s := storeAt(dir)
	for i := range n {
		request := SetStateRequest{Name: "x/" + way}
		line := fmt.Sprintf("%d-%d\n", os.Getpid(), i)
		text := line
		request.Text = &text
		switch way {
		case StateAdd:
			request.Mode, *request.Text = StateAdd, "1"
		case StateAppend:
			request.Mode = StateAppend
		}
		version := int64(0)
		request.IfVersion = &version
		if way != StateSet {
			request.IfVersion = nil
		}
		for {
			a, err := s.SetState(context.Background(), request)
			if err == nil {
				fmt.Println(a.Result.Version)
				break
			}
			e := (*Error)(nil)
			if !errors.As(err, &e) || e.Code != VersionConflict {
				return err
			}
			is := e.Detail.(StateConflict)
			merged := is.Text + line
			request.Text, version = &merged, is.Version
		}
	}
	return nil
}

// many has processes write an entry concurrently, and returns how often each
// answered version occurred.
func many(t *testing.T, dir, way string, processes, times int) map[string]int {
	t.Helper()
	said := make(chan string, processes)
	for range processes {
		cmd := storetest.Process(t, "state", dir, way, strconv.Itoa(times))
		go func() {
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%v: %v", cmd.Args, err)
			}
			said <- string(out)
		}()
	}
	versions := map[string]int{}
	for range processes {
		lines := bufio.NewScanner(strings.NewReader(<-said))
		for lines.Scan() {
			versions[lines.Text()]++
		}
	}
	return versions
}

func presentEntry(t *testing.T, dir, name string) StateEntry {
	t.Helper()
	a, err := storeAt(dir).GetState(t.Context(), GetStateRequest{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return a.Result
}

// 64 processes count to 1,280, without a gap.
func TestNoSumIsLost(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	processes, times := 64, 20
	dir := newRepository(t)
	versions := many(t, dir, StateAdd, processes, times)
	total := processes * times
	for v := 1; v <= total; v++ {
		if versions[strconv.Itoa(v)] != 1 {
			t.Errorf("version %d was answered %d times", v, versions[strconv.Itoa(v)])
		}
	}
	if e := presentEntry(t, dir, "x/add"); e.Text != strconv.Itoa(total) || e.Version != int64(total) {
		t.Errorf("it is %s at version %d, want %d", e.Text, e.Version, total)
	}
}

// If writers read, change and write the version they read, nobody's change is
// lost, however many there are.
func TestNoUpdateIsLost(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for way, lines := range map[string]func(text string) int{
		StateSet:    func(text string) int { return strings.Count(text, "\n") },
		StateAppend: func(text string) int { return strings.Count(text, "(somebody, ") },
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			processes, times := 8, 10
			dir := newRepository(t)
			many(t, dir, way, processes, times)
			e := presentEntry(t, dir, "x/"+way)
			if e.Version != int64(processes*times) || lines(e.Text) != processes*times {
				t.Errorf("version %d, %d of %d updates survived:\n%s", e.Version, lines(e.Text), processes*times, e.Text)
			}
		})
	}
}

// A killed process leaves the old version or the new one, whole, and the next
// writer continues.
func TestStateSurvivesKilledWriters(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	kills := 25
	dir := newRepository(t)
	confirmed := int64(0)
	for n := range kills {
		cmd := storetest.Process(t, "state", dir, StateAdd, "100000")
		lines := storetest.Begin(t, cmd)
		time.AfterFunc(time.Duration(1+n)*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for more := true; more; more = lines.Scan() {
			v, err := strconv.ParseInt(lines.Text(), 10, 64)
			if err == nil {
				confirmed = max(confirmed, v)
			}
		}
		storetest.Kill(cmd)
		e := presentEntry(t, dir, "x/add")
		if e.Version < confirmed || e.Version > confirmed+1 || e.Text != strconv.FormatInt(e.Version, 10) {
			t.Fatalf("version %d (%s), confirmed was %d", e.Version, e.Text, confirmed)
		}
		confirmed = e.Version
		a, err := storeAt(dir).ListState(t.Context(), ListStateRequest{History: "x/add"})
		if err != nil || len(a.Warnings) > 0 {
			t.Fatalf("%v, %q", err, a.Warnings)
		}
		for i, v := range a.Result.Versions {
			if v.Version != e.Version-int64(i) || v.FirstLine != strconv.FormatInt(v.Version, 10) {
				t.Fatalf("its history has %+v in place %d", v, i)
			}
		}
	}
}

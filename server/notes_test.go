package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// first is the id of the lock that agent one holds.
func (c *session) first() string {
	c.t.Helper()
	found, err := filepath.Glob(filepath.Join(c.locks, "*.md"))
	if err != nil || len(found) != 1 {
		c.t.Fatalf("%q, %v", found, err)
	}
	return strings.TrimSuffix(filepath.Base(found[0]), ".md")
}

func (c *session) file(id string) string {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(c.locks, id+".md"))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// What a client was shown it is not shown again, however soon it asks, and it
// sees nothing of how that is remembered.
func TestNotesAreShownOnceOverMCP(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	c := newSession(t)
	id := c.first()
	for i := range 20 {
		c.write(callOf("2", "lock_update", fmt.Sprintf(`{"lock_id":%q,"agent_id":"two","note":"note %d"}`, id, i)))
		if line := string(c.read(`"id":2`).Result); strings.Contains(line, "newNotes") {
			t.Fatalf("its author hears %s", line)
		}
		heartbeat := callOf("3", "lock_heartbeat", fmt.Sprintf(`{"lock_id":%q,"agent_id":"one"}`, id))
		c.write(heartbeat)
		line := string(c.read(`"id":3`).Result)
		if !strings.Contains(line, fmt.Sprintf(`\"newNotes\":[{\"from\":\"two\",\"text\":\"note %d\"}]`, i)) || strings.Contains(line, "agent-locks/") {
			t.Fatalf("the holder hears %s", line)
		}
		c.write(heartbeat)
		if line := string(c.read(`"id":3`).Result); strings.Contains(line, "newNotes") {
			t.Fatalf("then it hears %s", line)
		}
	}
	// The end of a session waits until the last one is remembered.
	c.write(callOf("4", "lock_update", fmt.Sprintf(`{"lock_id":%q,"agent_id":"two","note":"the last"}`, id)))
	c.read(`"id":4`)
	c.write(callOf("5", "lock_heartbeat", fmt.Sprintf(`{"lock_id":%q,"agent_id":"one"}`, id)))
	c.read(`the last`)
	c.end()
	if text := c.file(id); !strings.Contains(text, "notes_seen: 21\n") {
		t.Errorf("%s", text)
	}
}

// An answer that nobody read counts as not given.
func TestNotesThatNoClientReadAreShownAgain(t *testing.T) {
	t.Parallel()
	c := newSession(t)
	id := c.first()
	c.write(callOf("2", "lock_update", fmt.Sprintf(`{"lock_id":%q,"agent_id":"two","note":"hello"}`, id)))
	c.read(`"id":2`)
	c.write(callOf("3", "lock_update", fmt.Sprintf(`{"lock_id":%q,"agent_id":"one","note":"mine"}`, id)))
	for end := time.Now().Add(time.Minute); !strings.Contains(c.file(id), "- mine\n"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was written")
		}
	}
	c.hangUp()
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.served; err == nil {
		t.Error("the server did not say that nobody reads")
	}
	if text := c.file(id); !strings.Contains(text, "notes_seen: 2-2\n") {
		t.Errorf("%s", text)
	}
}

// What is to be done after an answer is done before the client's next message is
// read, and before the session ends.
func TestNothingIsReadBeforeAnAnswerIsRecorded(t *testing.T) {
	t.Parallel()
	var recorded atomic.Int32
	tool := fake("tell", func(ctx context.Context) (any, []string, error) {
		seen := recorded.Load()
		onceAnswered(ctx, func(context.Context) error {
			time.Sleep(50 * time.Millisecond)
			recorded.Add(1)
			return nil
		})
		return map[string]int32{"seen": seen}, nil, nil
	})
	log := slog.New(slog.DiscardHandler)
	s, err := newServer(new(store.Store), "1", []Tool{tool}, overStdio(), log)
	if err != nil {
		t.Fatal(err)
	}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	c := &session{t: t, in: in, out: bufio.NewReader(out), served: make(chan error, 1)}
	go func() { c.served <- stdio.Serve(t.Context(), s, fromClient, toClient, log) }()
	c.write(initialize("2025-06-18"))
	c.read("init")
	for i := range 3 {
		c.write(callOf("1", "tell", "{}"))
		c.read(fmt.Sprintf(`\"seen\":%d`, i))
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-c.served; err != nil || recorded.Load() != 3 {
		t.Errorf("%v, %d records", err, recorded.Load())
	}
}

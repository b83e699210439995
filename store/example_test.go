package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// An agent claims files. Another agent that wants some of them, but only if
// they are free, learns who holds them.
func Example() {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	create := exec.Command("git", "init", "-q", dir)
	create.Env = storetest.CleanEnvironment()
	if err := create.Run(); err != nil {
		fmt.Println(err)
		return
	}
	s := &store.Store{
		Now:     func() time.Time { return time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC) },
		Getwd:   func() (string, error) { return dir, nil },
		Environ: storetest.CleanEnvironment,
	}

	ctx, one, other := context.Background(), "agent-1", "agent-2"
	claimed, err := s.Create(ctx, store.CreateRequest{
		Title: "Add rate limiting", Scope: []string{"src/api/**"}, AgentID: &one,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("claimed", claimed.Result.ID)

	_, err = s.Create(ctx, store.CreateRequest{
		Title: "New login page", Scope: []string{"*.ts"}, AgentID: &other, IfFree: true,
	})
	var failure *store.Error
	if !errors.As(err, &failure) {
		fmt.Println(err)
		return
	}
	fmt.Println(failure.Code)
	for _, lock := range failure.Detail.(store.Refusal).Overlaps {
		fmt.Printf("%s, %q: both cover %s\n", *lock.AgentID, lock.Title, lock.Overlaps[0].Example)
	}
	// Output:
	// claimed 2026-07-17T18-45-12-add-rate-limiting
	// conflict
	// agent-1, "Add rate limiting": both cover src/api/a.ts
}

// Two agents share a budget. Neither can spend what the other has already
// spent, nor overwrite a version that it has not read.
func ExampleStore_SetState() {
	dir, err := os.MkdirTemp("", "store-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	create := exec.Command("git", "init", "-q", dir)
	create.Env = storetest.CleanEnvironment()
	if err := create.Run(); err != nil {
		fmt.Println(err)
		return
	}
	s := &store.Store{
		Now:     func() time.Time { return time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC) },
		Getwd:   func() (string, error) { return dir, nil },
		Environ: storetest.CleanEnvironment,
	}

	ctx, one, other := context.Background(), "agent-1", "agent-2"
	budget, spend, none := "10000", "-8000", int64(0)
	if _, err := s.SetState(ctx, store.SetStateRequest{Name: "budget", Text: &budget, AgentID: &one}); err != nil {
		fmt.Println(err)
		return
	}
	for _, agent := range []*string{&one, &other} {
		left, err := s.SetState(ctx, store.SetStateRequest{
			Name: "budget", Mode: store.StateAdd, Text: &spend, Min: &none, AgentID: agent,
		})
		var failure *store.Error
		if errors.As(err, &failure) {
			fmt.Println(failure.Code, failure)
			continue
		}
		fmt.Println("left", *left.Result.Value)
	}

	more := "5000"
	_, err = s.SetState(ctx, store.SetStateRequest{Name: "budget", Text: &more, AgentID: &other})
	var failure *store.Error
	if !errors.As(err, &failure) {
		fmt.Println(err)
		return
	}
	is := failure.Detail.(store.StateConflict)
	fmt.Printf("%s: version %d is %q, by %s\n", is.Code, is.Version, is.Text, *is.AgentID)
	// Output:
	// left 2000
	// conflict not added: "budget" is 2000, and adding -8000 makes -6000, below `min` 0
	// version_conflict: version 2 is "2000", by agent-1
}

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

// One agent claims files. Another one that wants some of them, and only if they
// are free, learns who holds them.
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

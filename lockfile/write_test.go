package lockfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func stamp(t *testing.T, s string) Stamp {
	t.Helper()
	st, err := ParseStamp(s)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func readTestdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func example(t *testing.T) Lock {
	return Lock{
		ID:            "2026-07-17T18-45-12-hindsight-route-tests",
		Title:         "Add hindsight route tests",
		AgentID:       ptr("subagent-4f2a"),
		ParentAgentID: ptr("session-abc123"),
		Status:        Active,
		Created:       stamp(t, "2026-07-17T18-45-12"),
		Updated:       stamp(t, "2026-07-17T18-45-12"),
		Scope:         []string{"backend/src/hindsight/**"},
		Repository:    "/home/me/src/app",
		Tasks:         []Task{{"Write route unit tests", true}, {"Write integration test", false}},
		Notes:         []string{"Started after checking for conflicts with the oauth-cleanup lock"},
	}
}

func TestNewWritesTheExample(t *testing.T) {
	t.Parallel()
	f, err := New(example(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(readTestdata(t, "example.md")), string(f.Bytes())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(example(t), f.Lock); diff != "" {
		t.Errorf("reads back (-want +got)\n%s", diff)
	}
}

package cli

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func dated(epoch string) func(*World) {
	return func(w *World) { w.Environ = func() []string { return []string{"SOURCE_DATE_EPOCH=" + epoch} } }
}

func TestManHasAPageForEachCommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "share", "man1")
	world := &fake{}
	got := try(t, world, []string{"man", dir, "--json"}, dated("1790000000"))
	var files []string
	if err := json.Unmarshal([]byte(got.stdout), &files); err != nil || got.code != 0 || got.stderr != "" {
		t.Fatalf("%+v, %v", got, err)
	}
	root := newRoot(&app{out: bufio.NewWriter(io.Discard)})
	pages := 1
	for _, cmd := range commands(root) {
		if !cmd.IsAvailableCommand() {
			continue
		}
		pages++
		text, err := os.ReadFile(filepath.Join(dir, strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if name := `\-\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`; !f.Hidden && !strings.Contains(string(text), name) {
				t.Errorf("the page of %s has no %s", cmd.CommandPath(), name)
			}
		})
	}
	if len(files) != pages {
		t.Errorf("%d pages for %d commands", len(files), pages)
	}
	page, err := os.ReadFile(filepath.Join(dir, "agent-locks.1"))
	if err != nil || !strings.Contains(string(page), " 1 2026-09-21 ") {
		t.Errorf("%v:\n%s", err, page)
	}
	for _, part := range []string{`\fBagent\-locks\-claim\fR(1)`, `.SH "EXIT CODES"`, `\fBAGENT_LOCKS_AGENT_ID\fR`} {
		if !strings.Contains(string(page), part) {
			t.Errorf("no %s in\n%s", part, page)
		}
	}
}

func TestManRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, epoch, stderr string }{
		{"", "", "man needs one directory"},
		{filepath.Join(dir, "new"), "yesterday", `SOURCE_DATE_EPOCH is "yesterday"`},
		{file, "", file},
	} {
		got := try(t, &fake{}, []string{"man", c.dir}, dated(c.epoch))
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, c.stderr) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a directory was made although the date is wrong")
	}
}

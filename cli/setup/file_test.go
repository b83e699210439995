package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// at are the options of a project's settings in dir.
func at(dir, client string) Options {
	return Options{Client: client, Project: dir, Getenv: func(string) string { return "" }, GOOS: runtime.GOOS}
}

// run plans and applies, and returns the actions.
func run(t *testing.T, o Options) []Action {
	t.Helper()
	changes, err := Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	var actions []Action
	for _, c := range changes {
		warning, err := c.Apply()
		if err != nil || warning != "" {
			t.Fatalf("%s: %v, warning %q", c.Path, err, warning)
		}
		actions = append(actions, c.Action)
	}
	return actions
}

// tree is what a directory holds: names, types, modes and contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			all[path] += " " + string(content)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThereAndBack(t *testing.T) {
	for _, client := range Written() {
		for name, fill := range map[string]func(dir string){
			"absent": func(string) {},
			"empty": func(dir string) {
				for _, f := range []string{".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".vscode/mcp.json"} {
					write(t, filepath.Join(dir, f), "", 0o640)
				}
			},
			"filled": func(dir string) {
				for _, f := range []string{".mcp.json", ".claude/settings.json", ".cursor/mcp.json", ".vscode/mcp.json"} {
					write(t, filepath.Join(dir, f), "{\n\t\"a\": 1 // c\n}\n", 0o600)
				}
				write(t, filepath.Join(dir, ".claude/other.json"), "{}", 0o644)
			},
		} {
			t.Run(client+"/"+name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				fill(dir)
				before := tree(t, dir)
				want := Changed
				if name == "absent" {
					want = Created
				}
				if got := run(t, at(dir, client)); got[0] != want || got[len(got)-1] != want {
					t.Errorf("setup: %q, want %q", got, want)
				}
				after := tree(t, dir)
				for path, now := range after {
					if was, ok := before[path]; ok && was[:10] != now[:10] {
						t.Errorf("the mode of %s was %s, is %s", path, was[:10], now[:10])
					}
				}
				if got := run(t, at(dir, client)); got[0] != Unchanged || got[len(got)-1] != Unchanged {
					t.Errorf("setup again: %q", got)
				}
				if diff := cmp.Diff(after, tree(t, dir)); diff != "" {
					t.Errorf("the second time changed (-first +second):\n%s", diff)
				}
				o := at(dir, client)
				o.Remove = true
				run(t, o)
				if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
					t.Errorf("removing left (-before +after):\n%s", diff)
				}
				if got := run(t, o); got[0] != Unchanged || got[len(got)-1] != Unchanged {
					t.Errorf("removed again: %q", got)
				}
			})
		}
	}
}

// Whatever is refused leaves every file of the client alone, and what a link
// points to.
func TestRefusedFiles(t *testing.T) {
	link := func(t *testing.T, target, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, name); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	tests := map[string]struct {
		fill func(t *testing.T, dir, outside string)
		want string
	}{
		"a link to a file outside": {func(t *testing.T, dir, outside string) {
			link(t, filepath.Join(outside, "settings.json"), filepath.Join(dir, ".claude", "settings.json"))
		}, "symbolic link"},
		"a link to a file inside": {func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, "real.json"), "{}", 0o644)
			link(t, filepath.Join("..", "real.json"), filepath.Join(dir, ".claude", "settings.json"))
		}, "symbolic link"},
		"a dangling link": {func(t *testing.T, dir, outside string) {
			link(t, filepath.Join(outside, "missing.json"), filepath.Join(dir, ".claude", "settings.json"))
		}, "symbolic link"},
		"a link to a directory": {func(t *testing.T, dir, outside string) {
			link(t, outside, filepath.Join(dir, ".claude"))
		}, "symbolic link"},
		"a directory in the file's place": {func(t *testing.T, dir, _ string) {
			if err := os.MkdirAll(filepath.Join(dir, ".claude", "settings.json"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
		"a file in the directory's place": {func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, ".claude"), "", 0o644)
		}, "not a directory"},
		"a read-only file": {func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, ".claude", "settings.json"), "{}", 0o444)
		}, "read-only"},
		"a file that is not JSON": {func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, ".claude", "settings.json"), "hooks: {}\n", 0o644)
		}, "not valid JSON"},
		"other types where hooks go": {func(t *testing.T, dir, _ string) {
			write(t, filepath.Join(dir, ".claude", "settings.json"), `{"hooks": {"SessionEnd": "x"}}`, 0o644)
		}, `"hooks.SessionEnd"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, outside := t.TempDir(), t.TempDir()
			write(t, filepath.Join(outside, "settings.json"), "{}", 0o644)
			tt.fill(t, dir, outside)
			before, beyond := tree(t, dir), tree(t, outside)
			_, err := Plan(at(dir, "claude"))
			var refusal *Refusal
			if !errors.As(err, &refusal) || !strings.Contains(err.Error(), tt.want) || refusal.Hint == "" {
				t.Errorf("got %v; want a refusal with %q and a hint", err, tt.want)
			}
			if diff := cmp.Diff(before, tree(t, dir)) + cmp.Diff(beyond, tree(t, outside)); diff != "" {
				t.Errorf("something was written:\n%s", diff)
			}
		})
	}
}

// A link that comes to be between plan and writing is not followed either.
func TestPlantedLink(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	changes, err := Plan(at(dir, "cursor"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, ".cursor")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if _, err := changes[0].Apply(); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("got %v", err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("written outside: %v, %v", list, err)
	}
}

// What somebody else wrote since the plan is not lost.
func TestChangedMeanwhile(t *testing.T) {
	for name, before := range map[string]string{"there": "{}", "absent": ""} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ".mcp.json")
			if before != "" {
				write(t, path, before, 0o644)
			}
			changes, err := Plan(at(dir, "claude"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, `{"a": 1}`, 0o644)
			if _, err := changes[0].Apply(); err == nil || !strings.Contains(err.Error(), "changed while") {
				t.Errorf("got %v", err)
			}
			if now, err := os.ReadFile(path); err != nil || string(now) != `{"a": 1}` {
				t.Errorf("holds %q, %v", now, err)
			}
		})
	}
}

// A write that fails leaves what was there, and no file beside it.
func TestFailedWrite(t *testing.T) {
	dir := t.TempDir()
	changes, err := Plan(at(dir, "claude"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".mcp.json", "full"), "", 0o644)
	before := tree(t, dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := changes[0].replace(root); err == nil {
		t.Error("a file took the place of a directory")
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("left behind (-before +after):\n%s", diff)
	}
}

// A reader sees the old file or the new one, never a part.
func TestReadersSeeWholeFiles(t *testing.T) {
	gittest.NotShort(t)
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open for reading cannot be replaced there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, ".mcp.json")
	old := []byte(`{"a": "` + strings.Repeat("x", 1<<16) + `"}`)
	write(t, path, string(old), 0o644)
	with, err := add(old, server("mcpServers", policy{}))
	if err != nil {
		t.Fatal(err)
	}
	stop, seen := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			now, err := os.ReadFile(path)
			if err == nil && !bytes.Equal(now, old) && !bytes.Equal(now, with) {
				err = errors.New("a part of " + path)
			}
			select {
			case <-stop:
				seen <- err
				return
			default:
			}
			if err != nil {
				seen <- err
				return
			}
		}
	}()
	o := at(dir, "claude")
	for range 30 {
		o.Remove = !o.Remove
		run(t, o)
	}
	close(stop)
	if err := <-seen; err != nil {
		t.Error(err)
	}
}

func TestUserPlaces(t *testing.T) {
	home := t.TempDir()
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	unix, windows := map[string]string{"HOME": home}, map[string]string{"USERPROFILE": home}
	elsewhere := filepath.Join(home, "elsewhere")
	tests := []struct {
		client, goos string
		vars         map[string]string
		want         []string // below home
	}{
		{"claude", "linux", unix, []string{".claude.json", ".claude/settings.json"}},
		{"claude", "windows", windows, []string{".claude.json", ".claude/settings.json"}},
		{"claude", "darwin", map[string]string{"HOME": home, "CLAUDE_CONFIG_DIR": elsewhere}, []string{"elsewhere/.claude.json", "elsewhere/settings.json"}},
		{"cursor", "linux", unix, []string{".cursor/mcp.json"}},
		{"vscode", "linux", unix, []string{".config/Code/User/mcp.json"}},
		{"vscode", "linux", map[string]string{"HOME": home, "XDG_CONFIG_HOME": elsewhere}, []string{"elsewhere/Code/User/mcp.json"}},
		{"vscode", "darwin", unix, []string{"Library/Application Support/Code/User/mcp.json"}},
		{"vscode", "windows", windows, []string{"AppData/Roaming/Code/User/mcp.json"}},
		{"vscode", "windows", map[string]string{"USERPROFILE": home, "APPDATA": elsewhere}, []string{"elsewhere/Code/User/mcp.json"}},
	}
	for _, tt := range tests {
		files, err := places(Options{Client: tt.client, User: true, Getenv: env(tt.vars), GOOS: tt.goos})
		if err != nil {
			t.Errorf("%s on %s: %v", tt.client, tt.goos, err)
			continue
		}
		var got []string
		for _, f := range files {
			rel, err := filepath.Rel(home, f.path())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, filepath.ToSlash(rel))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s on %s (-want +got):\n%s", tt.client, tt.goos, diff)
		}
	}
	for _, vars := range []map[string]string{{}, {"HOME": "relative"}, {"HOME": home, "CLAUDE_CONFIG_DIR": "relative"}} {
		var refusal *Refusal
		if _, err := Plan(Options{Client: "claude", User: true, Getenv: env(vars), GOOS: "linux"}); !errors.As(err, &refusal) {
			t.Errorf("with %v: %v", vars, err)
		}
	}
}

// The user's own files are nobody else's to read.
func TestUserFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has no such modes")
	}
	home := t.TempDir()
	o := Options{Client: "claude", User: true, Getenv: func(name string) string {
		return map[string]string{"HOME": home}[name]
	}, GOOS: "linux"}
	run(t, o)
	for name, want := range map[string]fs.FileMode{".claude.json": 0o600, ".claude": 0o700, ".claude/settings.json": 0o600} {
		if info, err := os.Stat(filepath.Join(home, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
	o.Remove = true
	run(t, o)
	if list, err := os.ReadDir(home); err != nil || len(list) != 1 || list[0].Name() != ".claude" {
		t.Errorf("left of home: %v, %v", list, err)
	}
}

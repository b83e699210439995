package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-locks/agent-locks/cli/setup"
)

func TestPrintPlan(t *testing.T) {
	file := func(a setup.Action) setUpFile { return setUpFile{Path: "/p/\x1b.json", Action: a, Content: "{}\n"} }
	for _, tt := range []struct {
		remove bool
		files  []setUpFile
		want   string
	}{
		{false, []setUpFile{file(setup.Created), file(setup.Changed), file(setup.Unchanged)},
			`would create /p/\x1b.json:
{}
would change /p/\x1b.json to contain:
{}
would not change /p/\x1b.json, which already contains:
{}
`},
		{true, []setUpFile{file(setup.Changed), file(setup.Removed), file(setup.Unchanged)},
			`would remove from /p/\x1b.json:
{}
would delete /p/\x1b.json, which contains only:
{}
would not change /p/\x1b.json, which contains none of:
{}
`},
	} {
		var out strings.Builder
		printPlan(&out, setUp{Files: tt.files}, tt.remove)
		if diff := cmp.Diff(tt.want, out.String()); diff != "" {
			t.Errorf("remove %v (-want +got):\n%s", tt.remove, diff)
		}
	}
}

// What is there already is not asked for, and a client's own settings serve
// every worktree.
func TestSetupSaysWhatIsLeftToDo(t *testing.T) {
	t.Parallel()
	const path, commit = "put agent-locks on the PATH; ", "; other worktrees get it once these settings are committed (or use --user)"
	for _, c := range []struct {
		client      string
		user, found bool
		want        string
	}{
		{"claude", false, true, "restart Claude Code, and approve the server when asked" + commit},
		{"claude", true, true, "restart the client"},
		{"cursor", false, false, path + "restart the client" + commit},
		{"vscode", true, false, path + "start the server agent-locks (MCP: List Servers)"},
	} {
		if got := next(c.client, c.user, c.found); got != "next: "+c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}

	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	for _, found := range []bool{false, true} {
		if found {
			if err := os.Mkdir(bin, 0o777); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"agent-locks", "agent-locks.exe"} { // the latter on Windows
				if err := os.WriteFile(filepath.Join(bin, name), nil, 0o777); err != nil {
					t.Fatal(err)
				}
			}
		}
		r := try(t, &fake{}, []string{"setup", "cursor", "--user"}, func(w *World) {
			w.Environ = func() []string { return []string{"HOME=" + home, "USERPROFILE=" + home, "PATH=" + bin} }
			w.Executable = func() (string, error) { return "", errors.New("not known") }
		})
		if r.code != 0 || strings.Contains(r.stdout, "PATH") == found {
			t.Errorf("on the PATH: %v; %+v", found, r)
		}
	}
}

// The user's settings name this very program, by the name on the PATH where
// that is it; not a stranger there, nor what will be gone or is called
// otherwise.
func TestSetupNamesThisProgram(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := func(name string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exe := ""
	if runtime.GOOS == "windows" {
		exe = ".exe"
	}
	self, foreign, build, other := file("cellar/0.2/agent-locks"+exe), file("bin/agent-locks"+exe), file("tmp/b/agent-locks"+exe), file("al"+exe)
	npx := file("npm/_npx/b1a5/node_modules/@agent-locks/linux-x64/bin/agent-locks" + exe)
	dlx := file("pnpm/dlx-81/node_modules/@agent-locks/linux-x64/bin/agent-locks" + exe)
	named := filepath.Join(dir, "links", "agent-locks"+exe)
	if err := errors.Join(os.Mkdir(filepath.Dir(named), 0o777), os.Link(self, named)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ self, path, want string }{
		{self, filepath.Dir(named), named},
		{self, filepath.Dir(foreign), self},
		{self, "", self},
		{build, filepath.Dir(foreign), ""},
		{other, filepath.Dir(foreign), ""},
		{npx, filepath.Dir(foreign), ""},
		{dlx, "", ""},
	} {
		a := &app{World: World{
			TempDir: filepath.Join(dir, "tmp"), Executable: func() (string, error) { return c.self, nil },
			Environ: func() []string { return []string{"PATH=" + c.path} },
		}}
		if got := a.native(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A person at a terminal is asked before anything is written.
func TestSetupOfAllAsks(t *testing.T) {
	t.Parallel()
	for typed, written := range map[string]bool{"y\n": true, "YES\n": true, "n\n": false, "\n": false, "": false} {
		home := t.TempDir()
		if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o777); err != nil {
			t.Fatal(err)
		}
		got := try(t, new(fake), []string{"setup"}, func(w *World) {
			w.Environ = func() []string { return []string{"HOME=" + home, "USERPROFILE=" + home} }
			w.Stdin, w.StdinIsTerminal = strings.NewReader(typed), true
		})
		_, err := os.Stat(filepath.Join(home, ".cursor", "mcp.json"))
		if got.code != 0 || (err == nil) != written {
			t.Errorf("%q: written %v (%v), %+v", typed, err == nil, err, got)
		}
		if !strings.Contains(got.stdout, "cursor: would create ") || !strings.Contains(got.stderr, "write this? [y/N] ") {
			t.Errorf("%q: nothing was asked: %+v", typed, got)
		}
		if strings.Contains(got.stdout, "nothing was written") == written {
			t.Errorf("%q: %s", typed, got.stdout)
		}
	}
}

// A typist does something before the answer is there.
type typist struct {
	first func()
	io.Reader
}

func (t *typist) Read(b []byte) (int, error) {
	if t.first != nil {
		t.first()
		t.first = nil
	}
	return t.Reader.Read(b)
}

// A client whose settings cannot be written when it comes to that keeps no other
// from being set up, and what was done is listed.
func TestSetupOfAllSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	for _, json := range []bool{false, true} {
		home := t.TempDir()
		for _, dir := range []string{".claude", ".cursor"} {
			if err := os.Mkdir(filepath.Join(home, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		args := []string{"setup"}
		if json {
			args = append(args, "--yes", "--json")
			if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte("["), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got := try(t, new(fake), args, func(w *World) {
			w.Environ = func() []string { return []string{"HOME=" + home, "USERPROFILE=" + home} }
			w.StdinIsTerminal = true
			w.Stdin = &typist{func() { // another program writes the file meanwhile
				_ = os.WriteFile(filepath.Join(home, ".claude.json"), []byte("{}"), 0o666)
			}, strings.NewReader("y\n")}
		})
		if _, err := os.Stat(filepath.Join(home, ".cursor", "mcp.json")); err != nil || got.code != exitError ||
			!strings.Contains(got.stderr, "warning: claude: ") || !strings.Contains(got.stderr, "not done for: claude") ||
			strings.Contains(got.stderr, string(codeInternal)) {
			t.Errorf("json %v: %v, %+v", json, err, got)
		}
		want := "cursor: created "
		if json {
			want = `"client":"cursor","files":[{"path":`
		}
		if !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "claude: created") {
			t.Errorf("json %v: what was done is not listed:\n%s", json, got.stdout)
		}
	}
}

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// An npmPackage is what npm makes of the package agent-locks: its script, and
// beside it the package for this system with the real program.
type npmPackage struct {
	t       *testing.T
	script  string
	program string
	dir     string // a repository
	home    string
}

func newNpmPackage(t *testing.T) npmPackage {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	system, exe := map[string]string{"windows": "win32"}[runtime.GOOS], ""
	if system == "" {
		system = runtime.GOOS
	} else {
		exe = ".exe"
	}
	cpu := strings.ReplaceAll(runtime.GOARCH, "amd64", "x64")
	modules := filepath.Join(root, "node_modules")
	p := npmPackage{
		t: t, dir: filepath.Join(root, "repository"), home: filepath.Join(root, "home"),
		script:  filepath.Join(modules, "agent-locks", "bin", "agent-locks.js"),
		program: filepath.Join(modules, "@agent-locks", system+"-"+cpu, "bin", "agent-locks"+exe),
	}
	for _, dir := range []string{filepath.Dir(p.script), filepath.Dir(p.program), p.dir, p.home} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(modules, "agent-locks"), os.DirFS(".ci/release/npm")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, p.program); err != nil {
		text, err := os.ReadFile(self)
		if err := errors.Join(err, os.WriteFile(p.program, text, 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("git", "init", "-q", p.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// command runs the script by node, or the program itself.
func (p npmPackage) command(direct bool, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), "node", append([]string{p.script}, args...)...)
	if direct {
		cmd = exec.CommandContext(p.t.Context(), p.program, args...)
	}
	cmd.Dir = p.dir
	// The program is not to find itself in a temporary directory, nor on the PATH of the scripts' tests.
	path := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, filepath.Base(p.program)))
		return err == nil
	})
	cmd.Env = append(skillEnv(), "PATH="+strings.Join(path, string(os.PathListSeparator)), "HOME="+p.home, "USERPROFILE="+p.home, "GORACE=atexit_sleep_ms=0",
		"TMPDIR="+p.home, "TMP="+p.home, "TEMP="+p.home)
	return cmd
}

type ended struct {
	stdout, stderr string
	code           int
}

func (p npmPackage) run(direct bool, stdin string, args ...string) ended {
	p.t.Helper()
	var out, fault strings.Builder
	cmd := p.command(direct, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &fault
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	return ended{out.String(), fault.String(), cmd.ProcessState.ExitCode()}
}

func TestNpmScriptIsAsGoodAsTheProgram(t *testing.T) {
	t.Parallel()
	p := newNpmPackage(t)
	if got := p.run(false, "", "claim", "--title", "Held", "--scope", "src", "--agent", "other"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, c := range gittest.Some(1, []struct {
		stdin string
		args  []string
		code  int
	}{
		{"", []string{"version"}, 0},
		{initializeOnce, nil, 0},
		{"", []string{"nonsense"}, 1},
		{"", []string{"check", "", "it's \"here\" *", "--exit-code"}, 1},
		{"", []string{"claim", "--title", "Mine", "--scope", "src", "--agent", "me", "--if-free"}, 2},
	}) {
		script, program := p.run(false, c.stdin, c.args...), p.run(true, c.stdin, c.args...)
		if script != program || script.code != c.code || script.stdout+script.stderr == "" {
			t.Errorf("%q: the script gave %+v, the program %+v, want code %d", c.args, script, program, c.code)
		}
	}
}

const initializeOnce = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n"

// What is started later without a PATH is the program, never npm's script: that
// needs node, and anybody who can write into the modules.
func TestNpmScriptIsWrittenDownNowhere(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newNpmPackage(t)
	p.home = filepath.Dir(p.home) + "/user" // so that the program is outside of the temporary directory
	if err := os.Mkdir(p.home, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"guard", "install"}, {"setup", "claude", "--user"}} {
		if got := p.run(false, "", args...); got.code != 0 {
			t.Fatalf("%q: %+v", args, got)
		}
	}
	named := 0
	for _, dir := range []string{filepath.Join(p.dir, ".git", "hooks"), p.home} {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			bytes, err := os.ReadFile(name)
			text := strings.ReplaceAll(string(bytes), `\\`, "/")
			if strings.Contains(text, filepath.ToSlash(p.program)) {
				named++
			}
			if strings.Contains(text, "agent-locks.js") || strings.Contains(text, ".bin") {
				t.Errorf("%s names the script:\n%s", name, text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named != 3 { // the hook; the server; the client's hooks
		t.Errorf("the program is named in %d files", named)
	}
}

// npx keeps what it runs in a cache: such a program is not for settings, and
// the guard's owner is told.
func TestNpxIsNotThereToStay(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newNpmPackage(t)
	p.home = filepath.Dir(p.home) + "/user"
	cache := filepath.Join(filepath.Dir(p.dir), "_npx", "b1a5")
	if err := errors.Join(os.Mkdir(p.home, 0o777), os.MkdirAll(cache, 0o777)); err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(cache, "node_modules")
	if err := os.Rename(filepath.Join(filepath.Dir(p.dir), "node_modules"), modules); err != nil {
		t.Fatal(err)
	}
	p.script = filepath.Join(modules, "agent-locks", "bin", "agent-locks.js")
	got := p.run(false, "", "guard", "install")
	if got.code != 0 || !strings.Contains(got.stderr, "_npx") || !strings.Contains(got.stderr, "npm install -g agent-locks") {
		t.Errorf("%+v", got)
	}
	got = p.run(false, "", "setup", "claude", "--user")
	text, err := os.ReadFile(filepath.Join(p.home, ".claude.json"))
	if err != nil || got.code != 0 || strings.Contains(string(text), "_npx") || !strings.Contains(got.stdout, "put agent-locks on the PATH") {
		t.Errorf("%+v, %v:\n%s", got, err, text)
	}
}

func TestNpmScriptSaysWhatIsNotInstalled(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newNpmPackage(t)
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(p.program))); err != nil {
		t.Fatal(err)
	}
	got := p.run(false, "", "version")
	if got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, `agent-locks: the package "@agent-locks/`) ||
		!strings.Contains(got.stderr, "\ninstall again") {
		t.Errorf("%+v", got)
	}
	text, err := os.ReadFile(p.script)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := strings.ReplaceAll(string(text), "process.arch", "'s390x'")
	if err := os.WriteFile(p.script, []byte(elsewhere), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := p.run(false, "", "version"); got.code != 1 || !strings.Contains(got.stderr, `-s390x"`+"\nbuild it from source") {
		t.Errorf("%+v", got)
	}
}

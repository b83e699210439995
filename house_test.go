package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/agent-locks/agent-locks/"

// The arrows of the house run downward only (design, section 2): what each
// directory may import of ours.
func arrows() map[string][]string {
	return map[string][]string{
		".":               {"cli"},
		"cli":             {"cli/claude", "cli/guard", "cli/manpage", "cli/render", "cli/setup", "gitdir", "lockfile", "server", "server/connect", "server/listen", "store", "store/shell"},
		"cli/claude":      {"cli/render", "gitdir", "lockfile", "store", "store/shell"},
		"cli/guard":       {"gitdir", "store/atomicfile"},
		"cli/manpage":     {},
		"cli/render":      {"lockfile", "lockfile/legible", "store", "store/shell"},
		"cli/setup":       {"store/atomicfile", "store/shell"},
		"server":          {"lockfile/legible", "server/listen", "server/stdio", "store"},
		"gitdir":          {},
		"gitdir/forecast": {"gitdir"},
		"lockfile":        {"lockfile/legible"},
		"overlap":         {},

		"server/stdio":     {},
		"server/connect":   {"server/stdio", "store"},
		"server/listen":    {"gitdir", "lockfile/legible", "server/stdio", "store", "store/shell"},
		"lockfile/legible": {},

		"store":                {"gitdir", "gitdir/forecast", "lockfile", "lockfile/legible", "overlap", "store/doctor", "store/internal/disk", "store/internal/fault", "store/internal/fleet", "store/internal/paths", "store/internal/queue", "store/internal/rules", "store/internal/session", "store/internal/state"},
		"store/doctor":         {"gitdir", "store/shell", "store/internal/disk", "store/internal/fault", "store/internal/paths", "store/internal/queue", "store/internal/rules", "store/internal/state"},
		"store/internal/queue": {"store/internal/disk"},
		"store/internal/disk":  {"gitdir", "lockfile", "store/atomicfile", "store/internal/fault"},
		"store/internal/fleet": {"gitdir", "lockfile", "store/atomicfile", "store/internal/disk", "store/internal/fault", "store/internal/fleet/format", "store/internal/fleet/remote"},
		"store/atomicfile":     {},

		"store/internal/fleet/format": {"lockfile"},
		"store/internal/fleet/remote": {"gitdir", "store/shell"},

		"store/internal/state":     {"lockfile", "store/internal/disk", "store/internal/fault"},
		"store/internal/session":   {"lockfile", "store/internal/disk", "store/internal/rules"},
		"store/internal/paths":     {"gitdir", "lockfile", "overlap", "store/internal/fault"},
		"store/internal/rules":     {"lockfile", "lockfile/legible", "overlap", "store/internal/fault"},
		"store/internal/fault":     {"gitdir", "lockfile", "lockfile/legible"},
		"store/shell":              {},
		"store/internal/storetest": {"gitdir", "gitdir/gittest"}, // for tests only
		"gitdir/gittest":           {},                           // as well
	}
}

// sources are the files of the program, by slash-separated path, with their
// comments. They are read once.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	files, err := parsed()
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// positions are where in its file each part of the sources is.
var positions = token.NewFileSet()

var parsed = sync.OnceValues(func() (map[string]*ast.File, error) {
	files := map[string]*ast.File{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 1 && d.Name()[0] == '.'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files[filepath.ToSlash(name)], err = parser.ParseFile(positions, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		return err
	})
	return files, err
})

func imports(t *testing.T, file *ast.File) []string {
	t.Helper()
	var paths []string
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

func TestArrowsRunDownward(t *testing.T) {
	t.Parallel()
	pure := []string{"lockfile", "lockfile/legible", "overlap", "store/shell"} // no I/O
	// Which part of the command line knows the tools: it serves them, and speaks of them in its own words.
	faces := []string{"cli/serve.go", "cli/arguments.go", "cli/usage.go"}
	for name, file := range sources(t) {
		dir := path.Dir(name)
		allowed, known := arrows()[dir]
		if !known {
			t.Errorf("%s: what may %s import?", name, dir)
		}
		for _, p := range imports(t, file) {
			ours, isOurs := strings.CutPrefix(p, module)
			switch {
			case isOurs && !slices.Contains(allowed, ours):
				t.Errorf("%s imports %s", name, p)
			case ours == "server" && !slices.Contains(faces, name):
				t.Errorf("%s imports the server", name)
			case slices.Contains(pure, dir) && slices.Contains([]string{"os", "io", "io/fs", "net", "path/filepath"}, p):
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
}

// The world comes in through cli.World and store.Store, so that tests can run
// side by side in worlds of their own.
func TestOnlyMainReachesForTheWorld(t *testing.T) {
	t.Parallel()
	world := map[string][]string{
		"os":   {"Args", "Environ", "Exit", "Getenv", "Getwd", "LookupEnv", "Stderr", "Stdin", "Stdout"},
		"time": {"Now"},
		"exec": {"LookPath"},
	}
	paths := []string{"gitdir/run.go"} // by the World's PATH
	outside := []string{"main.go", "cli/main.go", "cli/gone_unix.go", "store/internal/storetest/storetest.go", "gitdir/gittest/gittest.go"}
	clocks := []string{"store/internal/disk/dir.go"} // the machine's own, for the ages of files and for waits
	for name, file := range sources(t) {
		if slices.Contains(outside, name) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s has an init function", name)
				}
			case *ast.SelectorExpr:
				pkg, ok := n.X.(*ast.Ident)
				if ok && slices.Contains(world[pkg.Name], n.Sel.Name) && !(pkg.Name == "time" && slices.Contains(clocks, name)) &&
					!(pkg.Name == "exec" && slices.Contains(paths, name)) {
					t.Errorf("%s reaches for %s.%s", name, pkg.Name, n.Sel.Name)
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Command" || f.Sel.Name == "CommandContext") {
					program := n.Args[strings.Count(f.Sel.Name, "Context")] // which comes first
					if text, ok := program.(*ast.BasicLit); ok && !strings.HasPrefix(text.Value, `"/`) {
						t.Errorf("%s finds %s by the process's own PATH", name, text.Value)
					}
				}
			}
			return true
		})
	}
}

// A rooted removal needs a second way on some of Windows' file systems, which
// the functions of this name know.
func TestRemovalsHaveASecondWay(t *testing.T) {
	t.Parallel()
	for name, file := range sources(t) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && slices.Contains([]string{"RemoveNow"}, f.Name.Name) {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				method, ok := call.Fun.(*ast.SelectorExpr)
				if !ok || method.Sel.Name != "Remove" {
					return true
				}
				if pkg, ok := method.X.(*ast.Ident); !ok || pkg.Name != "os" && pkg.Name != "atomicfile" {
					t.Errorf("%s removes with a method: call atomicfile.Remove, which knows a second way", name)
				}
				return true
			})
		}
	}
}

// Within the quotes of %q a shell runs `...` and $(...): what a command holds
// is spelled by shell.Word. A sentence that begins with a flag is about the flag.
func TestPrintedCommandsAreForAShell(t *testing.T) {
	t.Parallel()
	command := regexp.MustCompile(`[^"]--[a-z][a-z-]* %q|\b(?:chmod|rm|mv|cd|git -C|git worktree \w+)(?: -?\w+| %\w+)* %q`)
	for name, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && command.MatchString(text.Value) {
				t.Errorf("%s: %s", name, text.Value)
			}
			return true
		})
	}
}

// What is depended on was chosen, and the design says for what.
func TestDependenciesAreTheDesigns(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	design, err := os.ReadFile("docs/design.md")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`/v\d+$`)
	direct := 0
	for line := range strings.Lines(string(mod)) {
		line, isRequirement := strings.CutPrefix(line, "\t")
		if !isRequirement || strings.Contains(line, "// indirect") {
			continue
		}
		direct++
		dependency := version.ReplaceAllString(strings.Fields(line)[0], "")
		name := path.Base(dependency)
		if strings.HasPrefix(dependency, "golang.org/x/") {
			name = dependency
		}
		if !strings.Contains(string(design), name) {
			t.Errorf("the design does not say what %s is for", dependency)
		}
	}
	if direct == 0 {
		t.Error("no requirement was read")
	}
}

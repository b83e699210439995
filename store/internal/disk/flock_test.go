package disk

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestUninterrupted(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	for _, last := range []error{nil, other} {
		calls := 0
		taken, err := Uninterrupted(func() (bool, error) {
			if calls++; calls < 4 {
				return false, &fs.PathError{Op: "flock", Path: "x", Err: syscall.EINTR}
			}
			return true, last
		})
		if !taken || err != last || calls != 4 {
			t.Errorf("%v: %v, %v after %d calls", last, taken, err, calls)
		}
	}
}

// Every attempt to lock goes through Uninterrupted.
func TestNoLockIsInterrupted(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	queue, qerr := filepath.Glob("../queue/*.go")
	if err := errors.Join(err, qerr); err != nil || len(queue) == 0 {
		t.Fatal(err)
	}
	names = append(names, queue...)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "TryLock" || f.Sel.Name == "TryRLock") {
				t.Errorf("%s calls %s outside of Uninterrupted", name, f.Sel.Name)
			}
			return true
		})
	}
}

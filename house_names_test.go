package main

import (
	"go/ast"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// othersMethods are named by interfaces that are not ours: they must be declared
// once for each type.
func othersMethods() []string {
	return []string{
		"Close", "close", "Error", "String", "Is", "Unwrap", // errors, fmt, io
		"Read", "Write", "Set", "Type", // io, pflag
		"MarshalJSON", "UnmarshalJSON", "MarshalYAML", "UnmarshalYAML", "IsZero",
		"Len", "Less", "Swap", "Push", "Pop", // sort, container/heap
	}
}

var twin = regexp.MustCompile(`_(unix|windows|linux|darwin|other)\.go$`)

// A name means one thing in a package: who reads a call need not ask whose
// method it is. Twins for different systems are one thing.
func TestHouseNamesMeanOneThing(t *testing.T) {
	t.Parallel()
	declared := map[string]map[string][]string{} // by package, by name: the files
	for name, file := range sources(t) {
		dir := path.Dir(name)
		if declared[dir] == nil {
			declared[dir] = map[string][]string{}
		}
		for _, n := range namesOf(file) {
			if !slices.Contains(declared[dir][n], name) || !twin.MatchString(name) {
				declared[dir][n] = append(declared[dir][n], name)
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(declared)) {
		for _, n := range slices.Sorted(maps.Keys(declared[dir])) {
			files := declared[dir][n]
			twins := !slices.ContainsFunc(files, func(name string) bool { return !twin.MatchString(name) })
			if len(files) > 1 && !twins {
				t.Errorf("%s: %s is declared %d times, in %s", dir, n, len(files), strings.Join(slices.Sorted(slices.Values(files)), ", "))
			}
		}
	}
}

// namesOf are the functions, methods, types, constants and variables of a file.
func namesOf(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil || !slices.Contains(othersMethods(), decl.Name.Name) {
				names = append(names, decl.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" })
}

// Who embeds a type of ours borrows its methods, and a reader no longer sees
// whose they are. Data may be embedded: it is how answers share fields.
func TestHouseTypesBorrowNoMethods(t *testing.T) {
	t.Parallel()
	methods := map[string]bool{} // by package and type
	files := sources(t)
	for name, file := range files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv != nil {
					methods[path.Dir(name)+"."+baseName(decl.Recv.List[0].Type)] = true
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok {
						if _, isInterface := spec.Type.(*ast.InterfaceType); isInterface {
							methods[path.Dir(name)+"."+spec.Name.Name] = true
						}
					}
				}
			}
		}
	}
	for name, file := range files {
		dir := path.Dir(name)
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if embedded := baseName(field.Type); len(field.Names) == 0 && methods[packageOf(t, file, field.Type, dir)+"."+embedded] {
					t.Errorf("%s: a type embeds %s, which has methods: give the field a name", name, embedded)
				}
			}
			return true
		})
	}
}

// baseName is the name of a type, without pointer, package and parameters.
func baseName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return baseName(x.X)
	case *ast.IndexExpr:
		return baseName(x.X)
	case *ast.IndexListExpr:
		return baseName(x.X)
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// packageOf is the directory of the package of ours that declares a type; "" if
// none of ours does.
func packageOf(t *testing.T, file *ast.File, x ast.Expr, dir string) string {
	t.Helper()
	if star, ok := x.(*ast.StarExpr); ok {
		x = star.X
	}
	selector, ok := x.(*ast.SelectorExpr)
	if !ok {
		return dir
	}
	for _, p := range imports(t, file) {
		if ours, isOurs := strings.CutPrefix(p, module); isOurs && path.Base(ours) == baseName(selector.X) {
			return ours
		}
	}
	return ""
}

func TestHouseFilesAreShort(t *testing.T) {
	t.Parallel()
	const most = 400
	for name := range sources(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n > most {
			t.Errorf("%s has %d lines, more than %d", name, n, most)
		}
	}
}

// A raw literal is a pattern or a text as it is, which nothing splits.
func TestHouseLinesAreShort(t *testing.T) {
	t.Parallel()
	const most = 120 // characters
	for name, file := range sources(t) {
		text := page(t, name)
		raw := map[int]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Value[0] == '`' {
				for at := positions.Position(lit.Pos()).Line; at <= positions.Position(lit.End()).Line; at++ {
					raw[at] = true
				}
			}
			return true
		})
		number := 0
		for line := range strings.Lines(text) {
			number++
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > most && !raw[number] {
				t.Errorf("%s:%d has %d characters, more than %d", name, number, n, most)
			}
		}
	}
}

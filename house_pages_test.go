package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Files are renamed, and the pages that name them are read by those who do not
// know them yet.
func TestHousePagesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	quoted := regexp.MustCompile("`([\\w./*-]+)`")
	ours := regexp.MustCompile(`^(?:cli|gitdir|lockfile|overlap|plugin|server|store|testdata)/|_test\.go$`)
	anyFile := regexp.MustCompile(`/|\.(?:go|md)$`)
	for name, isPath := range map[string]*regexp.Regexp{
		"CONTRIBUTING.md":      anyFile,
		"docs/architecture.md": anyFile,
		"docs/design.md":       ours, // others are examples of scopes
	} {
		paths := 0
		for _, match := range quoted.FindAllStringSubmatch(page(t, name), -1) {
			if !isPath.MatchString(match[1]) {
				continue
			}
			paths++
			if found, err := filepath.Glob(match[1]); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is not there (%v)", name, match[1], err)
			}
		}
		if paths == 0 {
			t.Errorf("%s: no path was read", name)
		}
	}
}

func TestHouseMapShowsEachPackage(t *testing.T) {
	t.Parallel()
	architecture := page(t, "docs/architecture.md")
	for name := range sources(t) {
		dir := path.Dir(name)
		if dir != "." && !regexp.MustCompile(`(?m)^ *(internal/)?`+path.Base(dir)+`/ `).MatchString(architecture) {
			t.Errorf("the map of docs/architecture.md does not show %s", dir)
		}
	}
}

func TestHousePagesHaveShortLines(t *testing.T) {
	t.Parallel()
	const most = 120 // characters
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages = append(pages, "README.md", "CHANGELOG.md", "CONTRIBUTING.md")
	for _, name := range pages {
		number, printed := 0, false
		for line := range strings.Lines(page(t, name)) {
			number++
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "```") {
				printed = !printed
			}
			// What a program prints, or a row of a table, cannot be split.
			strict := name == "docs/design.md" || name == "docs/architecture.md"
			whole := !strict && (printed || strings.HasPrefix(line, "|"))
			if n := utf8.RuneCountInString(line); n > most && !whole {
				t.Errorf("%s:%d has %d characters, more than %d", name, number, n, most)
			}
		}
		if number == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}

// A row of the figures names a pattern of benchmarks and the packages
// that have them.
func TestHouseFiguresNameBenchmarks(t *testing.T) {
	t.Parallel()
	row := regexp.MustCompile("(?m)^\\| .*\\| `'?([^' ]+)'? ([./][^`]*)` \\|$")
	rows := row.FindAllStringSubmatch(page(t, "docs/figures.md"), -1)
	benchmark := regexp.MustCompile(`func Benchmark\w*\(`)
	benchmarks := func(dir string) (found string) {
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			found += strings.Join(benchmark.FindAllString(page(t, file), -1), " ")
		}
		return found
	}
	read := map[string]string{} // by directory
	for _, match := range rows {
		all := ""
		for dir := range strings.FieldsSeq(match[2]) {
			if _, known := read[dir]; !known {
				read[dir] = benchmarks(dir)
			}
			all += read[dir]
		}
		for pattern := range strings.SplitSeq(match[1], `\|`) {
			if found, err := regexp.MatchString(`func Benchmark\w*`+pattern, all); err != nil || !found {
				t.Errorf("docs/figures.md: no benchmark %s in %s (%v)", pattern, match[2], err)
			}
		}
	}
	if len(rows) == 0 {
		t.Error("no row was read")
	}
}

// One page that a reader finishes.
func TestHouseReadmeIsShort(t *testing.T) {
	t.Parallel()
	if n := strings.Count(page(t, "README.md"), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, more than 150", n)
	}
}

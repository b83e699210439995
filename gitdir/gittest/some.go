package gittest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Some are n of a table's cases under -short, the same ones each time, from all
// over it; else all.
func Some[T any](n int, cases []T) []T {
	if !testing.Short() || len(cases) <= n {
		return cases
	}
	some := make([]T, n)
	for i := range some {
		some[i] = cases[i*len(cases)/n]
	}
	return some
}

// SomeOf is Some for a table of names.
func SomeOf[K comparable, V any](n int, cases map[K]V) map[K]V {
	names := slices.SortedFunc(maps.Keys(cases), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	some := map[K]V{}
	for _, name := range Some(n, names) {
		some[name] = cases[name]
	}
	return some
}

// NotShort leaves a test to the full run: a corner that starts many processes, in a
// room whose other tests run under -short.
func NotShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("the full run has it")
	}
}

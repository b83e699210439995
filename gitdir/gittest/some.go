package gittest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Some returns all cases or, under -short, n of them, always the same ones,
// spread over the whole table.
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

// SomeOf is Some for a map.
func SomeOf[K comparable, V any](n int, cases map[K]V) map[K]V {
	names := slices.SortedFunc(maps.Keys(cases), func(a, b K) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	some := map[K]V{}
	for _, name := range Some(n, names) {
		some[name] = cases[name]
	}
	return some
}

// NotShort skips a test under -short. It is for corner cases that start many
// processes, in packages whose other tests do run under -short.
func NotShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("the full run has it")
	}
}

package gittest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Some are n of a table's cases under -short, others each time; else all.
func Some[T any](n int, cases []T) []T {
	if !testing.Short() || len(cases) <= n {
		return cases
	}
	chosen := rand.Perm(len(cases))[:n]
	slices.Sort(chosen)
	var some []T
	for _, i := range chosen {
		some = append(some, cases[i])
	}
	return some
}

// SomeOf is Some for a table of names.
func SomeOf[K comparable, V any](n int, cases map[K]V) map[K]V {
	some := map[K]V{}
	for _, name := range Some(n, slices.Collect(maps.Keys(cases))) {
		some[name] = cases[name]
	}
	return some
}

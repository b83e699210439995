package store

import "github.com/agent-locks/agent-locks/overlap"

// An answer names every lock that it is about, but has an end. One lock's
// scope fits whole; where many are so long that together they do not fit, each
// gets an equal share of the room, which may be too little for any, and says
// how many entries are left out. So do the pairs of entries that overlap.
const (
	scopeBytes = 1 << 20  // of the scopes in one answer
	pairsBytes = 1 << 20  // of the pairs in one answer
	pairsOfOne = 16 << 10 // of the pairs of one lock: room for any one of them

	entryBytes = len(`"",`) // what an entry takes beside its text
	pairBytes  = len(`{"yours":"","theirs":"","example":"","exact":false},`)
)

// boundScopes cuts the scopes of a listing to what fits, and warns where it
// does.
func (c *call) boundScopes(list []Summary) {
	scopes := make([][]string, len(list))
	for i := range list {
		scopes[i] = list[i].Scope
	}
	share, cut := scopeShare(scopes), 0
	for i := range list {
		s := &list[i]
		if s.Scope, s.ScopeLeftOut = firstEntries(s.Scope, share); s.ScopeLeftOut > 0 {
			cut++
		}
	}
	if cut > 0 {
		c.warn("the scopes of %d of these locks are too long to be listed whole; `lock_show` has them", cut)
	}
}

// scopeShare is how many bytes of each scope an answer has room for.
func scopeShare(scopes [][]string) int {
	size := 0
	for _, scope := range scopes {
		for _, text := range scope {
			size += len(text) + entryBytes
		}
	}
	if size <= scopeBytes {
		return scopeBytes
	}
	return scopeBytes / len(scopes)
}

// firstEntries are the first entries of a scope, up to that many bytes,
// and how many are left out.
func firstEntries(scope []string, limit int) (listed []string, leftOut int) {
	n := fitting(len(scope), limit, func(i int) int { return len(scope[i]) + entryBytes })
	return scope[:n], len(scope) - n
}

// pairShare is how many bytes of each lock's pairs an answer about so many
// locks has room for.
func pairShare(locks int) int { return min(pairsOfOne, pairsBytes/max(locks, 1)) }

// firstPairs are the first pairs, up to that many bytes, and how many are left
// out.
func firstPairs(pairs []overlap.Pair, limit int) (listed []overlap.Pair, leftOut int) {
	n := fitting(len(pairs), limit, func(i int) int {
		return len(pairs[i].Yours) + len(pairs[i].Theirs) + len(pairs[i].Example) + pairBytes
	})
	return pairs[:n], len(pairs) - n
}

// fitting is how many of the first of n things make no more than limit.
func fitting(n, limit int, size func(i int) int) int {
	sum := 0
	for i := range n {
		if sum += size(i); sum > limit {
			return i
		}
	}
	return n
}

// Package overlap decides whether two scopes name a common path. It is pure: it
// has no I/O and no clock. The caller passes in what it needs to know of the file
// system (Context).
//
// Parse reads an entry that a caller claims. Stored reads one that a lock file
// holds. Scope.Overlaps compares two lists of entries; Scope.Covers asks about one
// path.
//
// # Grammar
//
// An entry is a path or a glob, relative to the root of the repository.
//
//	entry:
//	  'custom://' name something other than a file, compared as text
//	  [ './' | '../' ] segment { '/' segment } [ '/' ]
//	                   read from the root; after . or .. from the caller's
//	                   directory; / at the end: a directory
//	segment:
//	  '**'             any number of names, also none
//	  { term }         one name
//	term:
//	  '*'              any text without a slash; so is ** within a segment
//	  '?'              one character, not a slash
//	  '[' [ '!' '^' ] { c | lo '-' hi } ']'
//	                   one character of the class, or not of it, never a slash;
//	                   or the bracket's own text
//	  '{' pattern { ',' pattern } '}'
//	  '@(' pattern { '|' pattern } ')'
//	                   one of the patterns, which may be empty or have slashes
//	  '?(' ... ')'     the same as @(...), or nothing
//	  '+(' ... ')'     one or more of them
//	  '*(' ... ')'     any number of them
//	  '!(' ... ')'     any text without a slash: read generously, not exactly
//	  '\' c            c itself, one of * ? [ ] { } ( ) \, or of ! + @ before (
//	  c                itself; any other \ is a separator
//
// A path has at least one segment. No segment is empty, "." or "..".
//
// Rules that are not in the grammar:
//
//   - The text of an entry is a path too: app/[id]/page.tsx, src/(app)/+page.svelte.
//   - An entry without a slash, except for one at its end, that has a *, ? or [
//     matches at any depth. A plain name does not: README.md is the root's.
//   - An entry covers what is under the names that it covers. A name that looks
//     like a file covers only itself: its last segment ends in .ext, a letter and
//     then letters or digits, and the dot is not its first character. Where
//     there are alternatives, all of them must. A plain name is what Context.Kind says it is.
//   - A name that the literal leading directories of the other entry pass through
//     is a directory, whatever it looks like.
//   - A segment that alternatives leave empty, or make ".", does not count:
//     a/{,b}/c and a/{.,b}/c are a/c too, and a/{,b} is all of a. At the end the
//     nothing of ?(b) and *(b) is not a name: a/?(b) is a/b. Alternatives that make
//     "..", or that begin the entry with a slash or with ".", are refused.
//   - Stars that alternatives bring together stay two stars, which cross no slash:
//     {*,x}*/q does not cover a/b/q, though some tools expand it to **/q.
//   - custom://name meets only itself, letter for letter, and covers no path. A name
//     has up to 128 letters from a to z, digits and -._/:@#+=~.
//   - Names are compared in NFC and, with FoldCase, without regard to case: an entry
//     covers a name if it covers one that differs from it only in case. So [!a]
//     covers a, since it covers A, and [!aA] does not.
//   - Texts in other notations (file: URIs, mentions such as @src/a.ts, pathspec
//     magic, quotation marks, drives, bash's ranges, POSIX classes, reversed ranges,
//     regular expressions) are read as meant or refused; spelling.go and readings.go
//     list most.
//
// # Guarantees
//
// For any entries a and b that were read with the same FoldCase:
//
//   - a.Compare(b) equals b.Compare(a), the example included.
//   - a.Compare(a) is an overlap.
//   - No miss: a path that both cover means an overlap, exact or not, unless it
//     is only a leading directory of both: a/b and a/c do not overlap.
//   - No false alarm where Exact: both cover the example.
//   - a.Matches(p) is a.Compare(b), where b names p alone and is a File; a scope's
//     CoversExactly(p) says that this is Exact, too.
//   - Stored reads from String() the same entry that Parse accepted.
//
// Exact is false
//
//   - where an entry has a !(...),
//   - where a stored entry is one that Parse refuses,
//   - where a text has two readings,
//   - where the context says so, and
//   - where a search would cost too much: one pair alone, or all entries that
//     share a Budget.
//
// Refused entries, and searches that were given up, are decided by what the entries
// literally begin with: they overlap if one begins with the other. So the cost is
// bounded, and what is undecided never reads as free. A path is followed through
// one entry within bounds of its own and takes nothing off the Budget: the answer
// does not depend on how many paths were asked about. Only reading entries does; an
// entry that is no longer read covers every path that begins with its head.
//
// # How
//
// An entry is a regular language over paths, so it becomes an automaton. Two
// entries overlap when the product of theirs accepts a path. The search finds a
// short one, of plain characters where possible, for people to read. An automaton
// begins after the entry's head, its literal start: different heads are enough to
// tell most pairs apart.
//
//   - custom.go: what is not a file
//   - spelling.go, resolve.go, readings.go: which path does a text start from, and
//     what else may it mean?
//   - syntax.go, class.go: the pattern as a tree
//   - alternatives.go: do they lead elsewhere, and do they look like files?
//   - compile.go, emit.go: the automaton
//   - entry.go, walk.go: one path through it
//   - compare.go, search.go: two of them side by side, and an example
package overlap

// Package overlap decides whether two scopes name a common path. It is pure:
// no I/O and no clock; what it must know of the file system it is told.
//
// Parse reads an entry that somebody claims, Stored one that a lock file has;
// Scope.Overlaps compares two lists of them.
//
// # Grammar
//
// An entry is a path or a glob, relative to the root of the repository. Which
// paths it covers depends on its text alone, but for a plain name that exists.
//
//	entry:
//	  [ './' | '../' ] segment { '/' segment } [ '/' ]
//	                   read from the root; after . or .. from the caller's
//	                   directory; / at the end: a directory
//	segment:
//	  '**'             any number of names, also none
//	  { term }         one name
//	term:
//	  '*'              any text without a slash; so is ** within a segment
//	  '?'              one character, not a slash
//	  '[' [ '!' '^' ] { c | lo '-' hi | '[:' name ':]' } ']'
//	                   one character of the class, or not of it, never a slash;
//	                   or the bracket's own text; the names are POSIX's, of ASCII
//	  '{' pattern { ',' pattern } '}'
//	  '@(' pattern { '|' pattern } ')'
//	                   one of the patterns, which may be empty or have slashes
//	  '{' x '..' y [ '..' step ] '}'
//	                   one of the integers, padded with zeros where x or y is, or
//	                   of the letters, from x to y, as in bash
//	  '?(' ... ')'     the same, or nothing
//	  '+(' ... ')'     one or more of them
//	  '*(' ... ')'     any number of them
//	  '!(' ... ')'     any text without a slash: read generously, not exactly
//	  '\' c            c itself, one of * ? [ ] { } ( ) \, or of ! + @ before (
//	  c                itself; any other \ is a separator
//
// Three rules are not in the grammar.
//
// The text of an entry is a path, too: app/[id]/page.tsx, src/(app)/+page.svelte.
//
// An entry without a slash, but for one at its end, that has a *, ? or [ matches
// at any depth. A plain name does not: README.md is the root's.
//
// What lies beneath a covered name is covered. Only a name that looks like a
// file covers nothing else: its last segment ends in .ext, a letter and then
// letters or digits, the dot not being first. Each alternative is looked at on
// its own. A plain name is what the caller's worktree has under it. And a name
// that the leading directories of the other entry pass through, as far as they
// are literal, is a directory, whatever it looks like.
//
// A path has at least one segment, and none is empty, "." or "..". A segment that
// alternatives leave empty, or make ".", is as if not there: a/{,b}/c and
// a/{.,b}/c are a/c, too, and a/{,b} is all of a. Only the nothing of ?(b) and
// *(b) is no segment at the end: a/?(b) is a/b. Where alternatives make "..", or
// begin the entry with "/" or a segment ".", it is refused.
//
// Stars that alternatives bring together stay two stars, which cross no slash:
// {*,x}*/q does not cover a/b/q, though some tools expand it to **/q.
//
// Names are compared in NFC and, with FoldCase, without regard to case.
//
// # Promises
//
// For any entries a and b that were read with the same FoldCase:
//
//   - a.Overlaps(b) equals b.Overlaps(a), the example included.
//   - a.Overlaps(a) is an overlap.
//   - No miss: a path that both cover means an overlap, exact or not, unless it
//     is only a leading directory of both: a/b and a/c are apart.
//   - No false alarm where Exact: both cover the example.
//   - a.Covers(p) is a.Overlaps(b), with b naming p alone and told to be a File;
//     a scope's CoversExactly(p) says that this is Exact, too.
//   - What Parse accepts, Stored reads from String() as the same entry.
//
// Exact is false where an entry has a !(...), where a stored entry is one that
// Parse refuses, where the context says so, and where a search would cost too
// much: for one pair, or for all entries together that share a Budget. Refused
// entries, and searches given up, are decided by what the entries literally
// begin with: an overlap if one begins with the other. So the cost is bounded,
// and what is undecided never reads as free. A path is followed through one
// entry within bounds of its own and takes nothing off the Budget, so that the
// answer is the same however many paths were asked about; only reading entries
// does, and one that is not read any more covers whatever its head begins.
//
// # How
//
// An entry is a regular language over paths, so it becomes an automaton, and
// two entries overlap when the product of theirs accepts a path. The search
// finds a short one, of plain characters where it may, for people to read. An
// automaton begins after the entry's head, its literal start; two heads that
// part are enough to tell most pairs apart.
package overlap

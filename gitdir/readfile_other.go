//go:build !unix

package gitdir

const nonBlocking = 0 // named pipes have no place in directories here

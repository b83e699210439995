// Package overlap decides whether two scopes name a common path. It is pure:
// no I/O and no clock; what it must know of the file system it is told.
package overlap

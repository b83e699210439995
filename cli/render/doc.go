// Package render writes the answers of the store as text for people: tables,
// reports and the commands to type next.
//
// Each function takes a value of the store's and a writer; none asks anything
// of the system. What comes out of lock files is other people's text: it passes
// through Plain before it reaches a terminal, and through Quoted before it
// becomes part of a command.
package render

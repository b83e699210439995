package listen

import "time"

// Limits on what a client may use.
const (
	maxBody = 4 << 20 // bytes of a message
	// maxLarge is how many messages above largeBody bytes, or of unknown
	// length, are read at once: reading takes many times their size.
	maxLarge   = 4
	largeBody  = 512 << 10
	maxHeaders = 64 << 10
	maxConns   = 256 // connections
	maxCalls   = 64  // requests being answered
	maxSession = 256 // bytes of a session id

	headersWithin = 10 * time.Second
	bodyWithin    = 30 * time.Second
	idleAtMost    = 60 * time.Second
	writeWithin   = 30 * time.Second // for each piece of an answer
	// lingerAtMost is how long the rest of a refused request is read, so that
	// the client gets to see the refusal.
	lingerAtMost = time.Second
	// stopWithin is how long calls may take after the listener was stopped; the
	// whole shutdown takes at most five seconds.
	stopWithin = 4 * time.Second
	// tokensEvery is how often the token file is checked while there are no calls.
	tokensEvery = time.Second
)

package listen

import "time"

// What a client may cost.
const (
	maxBody = 4 << 20 // bytes of a message
	// maxLarge is how many messages of more than largeBody bytes, or of an unknown
	// number, are read at once: reading takes many times their size.
	maxLarge   = 4
	largeBody  = 512 << 10
	maxHeaders = 64 << 10
	maxConns   = 256 // connections
	maxCalls   = 64  // requests that are being answered
	maxSession = 256 // bytes of a session's id

	headersWithin = 10 * time.Second
	bodyWithin    = 30 * time.Second
	idleAtMost    = 60 * time.Second
	writeWithin   = 30 * time.Second // each piece of an answer
	// lingerAtMost is how long the rest of a refused request is read, so that the
	// client sees the refusal.
	lingerAtMost = time.Second
	// stopWithin is how long calls have to end once the listener stops: an end takes
	// five seconds in all.
	stopWithin = 4 * time.Second
	// tokensEvery is how often the token file is looked at while nobody calls.
	tokensEvery = time.Second
)

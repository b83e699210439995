package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/server"
	"github.com/agent-locks/agent-locks/store"
)

// A session has one message on each line. What the client asked before it closed
// its end is answered before Serve returns, a call that was asked wrongly, too.
func ExampleServe() {
	var answers bytes.Buffer
	err := server.Serve(context.Background(), server.Options{
		Store:   &store.Store{Now: time.Now, Getwd: os.Getwd, Environ: os.Environ},
		Version: "v1",
		In: strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{},"clientInfo":{"name":"example","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"lock_show","arguments":{}}}
`),
		Out: &answers,
		Log: io.Discard,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	last := ""
	for lines := bufio.NewScanner(&answers); lines.Scan(); {
		last = lines.Text()
	}
	fmt.Println(last)
	// Output: {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"missing required argument \"lock_id\"\nlock_show needs lock_id (null counts as missing)"}],"isError":true}}
}

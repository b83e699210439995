package server

import (
	"strings"
	"testing"
)

// Whatever a client writes, the session goes on, and what comes back is
// JSON-RPC: readReplies and oneShot check that.
func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		"not json", "", "\x00", "\ufeff{}", "[]", "[1]", "{}{}", `{"jsonrpc":"2.0"}`, "\xff", `"\ud800"`,
		initialize("2025-03-26") + batchOf(pingOf("1"), pingOf("1"), cancelOf("1")),
		initialize("2024-11-05") + callOf("1", "echo", `{"a":"\ud800"}`) + cancelOf("1"),
		initialize("2025-11-25") + initialize("2025-06-18") + callOf(`"\u0000"`, "nope", `[]`),
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{}}}`,
		`{"jsonrpc":"2.0","id":-0.0,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"\ud800","params":{"\ud800":1e999}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":1e400}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":5}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if strings.Contains(string(text), "gate") || strings.Contains(string(text), "deaf") {
			t.Skip("these tools do not end by themselves")
		}
		replies, _ := newRig(t).oneShot(t, string(text)+"\n"+pingOf(`"the last"`))
		if last := byID(t, replies, `"the last"`); last.Error != nil {
			t.Errorf("the ping was answered with the error %s", last.Error.Message)
		}
	})
}

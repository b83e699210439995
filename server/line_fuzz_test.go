package server

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// What passes the checks is what go-sdk reads, and reads the same way.
func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{
		pingOf("1"), pingOf("-1.0e2"), pingOf(`"\u0061\ud83d\ude00"`), callOf("1", "echo", `{"a":["\ud800",1e999,null]}`), cancelOf("1"),
		`{"jsonrpc":"2.0","id":1,"id":null,"method":"notifications/x","method":"notifications/\u0000"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":"1","result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[],"Code":"x","extra":1}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","code":2}}`,
	} {
		f.Add([]byte(strings.TrimSpace(seed)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if text = trimLine(text); len(text) == 0 {
			return
		}
		messages, _, no := splitLine(text)
		if no != nil {
			return
		}
		for _, raw := range messages {
			m, no := readMessage(raw)
			if no != nil || m.kind == isPointless {
				continue
			}
			wire := m.wire()
			if i := bytes.IndexByte(wire, '\n'); i >= 0 && i < len(wire)-1 && !bytes.Contains(raw, []byte{'\n'}) {
				t.Fatalf("%q has a line end inside", wire)
			}
			decoded, err := jsonrpc.DecodeMessage(wire)
			if err != nil {
				t.Fatalf("go-sdk refuses %q: %v", wire, err)
			}
			switch d := decoded.(type) {
			case *jsonrpc.Response:
				if m.kind != isResponse {
					t.Fatalf("%q is a response to go-sdk", wire)
				}
			case *jsonrpc.Request:
				if m.kind == isResponse || d.IsCall() != (m.kind == isRequest) || d.Method != m.method {
					t.Fatalf("%q is %+v to go-sdk, %+v to us", wire, d, m)
				}
				if d.IsCall() {
					answer, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: d.ID, Result: json.RawMessage(`{}`)})
					if err != nil {
						t.Fatal(err)
					}
					head, err := readHead(answer)
					if err != nil {
						t.Fatal(err)
					}
					if key, _ := idKey(head.id); key != m.key || !head.answer || head.failed {
						t.Fatalf("%q is answered under the id %s", wire, head.id)
					}
				}
			}
		}
	})
}

package stdio

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Whatever a client writes, the session continues, and what comes back is
// JSON-RPC: readReplies and oneShot check that.
func FuzzServe(f *testing.F) {
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

// What the SDK is given is what it would have read itself, and its answer
// carries the client's id.
func FuzzReadMessage(f *testing.F) {
	for _, seed := range []string{
		pingOf("1"), pingOf("-1.0e2"), pingOf(`"\u0061\ud83d\ude00"`), callOf("1", "echo", `{"a":["\ud800",1e999,null]}`), cancelOf("1"),
		`{"jsonrpc":"2.0","id":1,"id":null,"method":"notifications/x","method":"notifications/\u0000"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"jsonrpc":"2.0","id":"1","result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[],"Code":"x","extra":1}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","code":2}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":[],"capabilities":{"a":[],"b":[1,[]]}}}`,
	} {
		f.Add([]byte(strings.TrimSpace(seed)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if text = trimLine(text); len(text) == 0 {
			return
		}
		messages, _, err := splitLine(text)
		if err != nil {
			return
		}
		for _, raw := range messages {
			m, err := readMessage(raw)
			if err != nil || m.Message == nil {
				continue
			}
			wire, err := jsonrpc.EncodeMessage(m.Message)
			if err != nil {
				t.Fatalf("the SDK cannot encode %+v: %v", m, err)
			}
			decoded, err := jsonrpc.DecodeMessage(wire)
			request, _ := m.Message.(*jsonrpc.Request)
			response, _ := m.Message.(*jsonrpc.Response)
			if request != nil && request.Method == "" {
				continue // which the SDK omits, and so takes for a response
			}
			if err != nil {
				t.Fatalf("the SDK refuses %q: %v", wire, err)
			}
			switch d := decoded.(type) {
			case *jsonrpc.Response:
				if response == nil || d.ID != response.ID {
					t.Fatalf("%q is a response to the SDK", wire)
				}
			case *jsonrpc.Request:
				if request == nil || d.ID != request.ID || d.Method != request.Method {
					t.Fatalf("%q is %+v to the SDK, %+v to us", wire, d, m)
				}
				if d.IsCall() {
					answer := encode(&call{id: m.id}, &jsonrpc.Response{ID: d.ID, Result: json.RawMessage(`{}`)})
					var got struct{ ID json.RawMessage }
					if err := json.Unmarshal(answer, &got); err != nil || !bytes.Equal(got.ID, m.id) || !bytes.Contains(raw, m.id) {
						t.Fatalf("%q is answered under the id %s", wire, got.ID)
					}
				}
			}
		}
	})
}

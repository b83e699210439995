package stdio

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEmptyListsThatStandForObjects(t *testing.T) {
	t.Parallel()
	tests := []struct{ params, want string }{
		{`[]`, `{}`},
		{`[ ]`, `{}`},
		{`{"capabilities":[],"clientInfo":[],"_meta":[],"arguments":[],"notifications":[]}`, `{"_meta":{},"arguments":{},"capabilities":{},"clientInfo":{},"notifications":{}}`},
		{`{"capabilities":{"roots":[],"sampling":{"tools": [ ]},"x":1}}`, `{"capabilities":{"roots":{},"sampling":{"tools":{}},"x":1}}`},
		{`{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":[]},"io.modelcontextprotocol/clientInfo":[]}}`,
			`{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{}}}`},
		// Lists stay lists, and what needs no change stays as it was written.
		{`[1]`, `[1]`},
		{`{"arguments": {"scope":[],"tasks":[ ],"text":"<[]>"} }`, `{"arguments": {"scope":[],"tasks":[ ],"text":"<[]>"} }`},
		{`{"_meta":{"x":[]},"clientInfo":{"icons":[]},"notifications":{"resourceSubscriptions":[]}}`, `{"_meta":{"x":[]},"clientInfo":{"icons":[]},"notifications":{"resourceSubscriptions":[]}}`},
		{`{"arguments":"[]"}`, `{"arguments":"[]"}`},
		{`{"capabilities":[1,[]]}`, `{"capabilities":[1,[]]}`},
	}
	for _, test := range tests {
		if got := emptyObjects("params", json.RawMessage(test.params)); string(got) != test.want {
			t.Errorf("%s became %s, want %s", test.params, got, test.want)
		}
	}
}

// As a client in PHP writes its messages.
func TestAClientWithoutEmptyObjects(t *testing.T) {
	t.Parallel()
	replies, _ := newRig(t).oneShot(t, ``+
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":[],"clientInfo":{"name":"t","version":"0"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":[]}`+"\n"+
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":[],"_meta":[]}}`+"\n")
	for _, id := range []string{"1", "2", "3"} {
		if r := byID(t, replies, id); r.Error != nil {
			t.Errorf("request %s is answered %+v", id, *r.Error)
		}
	}
	if got := byID(t, replies, "3").text(t); got != "{}" {
		t.Errorf("the tool got %s", got)
	}
}

// Go's types tell a client's author nothing.
func TestParamsOfTheWrongTypeAreNamed(t *testing.T) {
	t.Parallel()
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + "}\n"
	}
	for message, want := range map[string]string{
		request("tools/call", `{"name":5}`):                         `the params of "tools/call" cannot be read: "name" has the wrong type`,
		request("tools/call", `{"name":"echo","_meta":"x"}`):        `the params of "tools/call" cannot be read: "_meta" has the wrong type`,
		request("initialize", `{"capabilities":{"roots":"x"}}`):     `the params of "initialize" cannot be read: "capabilities.roots" has the wrong type`,
		request("initialize", `{"protocolVersion":["2025-06-18"]}`): `the params of "initialize" cannot be read: "protocolVersion" has the wrong type`,
	} {
		handshake := initialize(newestWithHandshake)
		if strings.Contains(message, `"initialize"`) {
			handshake = ""
		}
		replies, _ := newRig(t).oneShot(t, handshake+message)
		if r := byID(t, replies, "1"); r.Error == nil || r.Error.Message != want {
			t.Errorf("%s is answered %+v", message, r.Error)
		}
	}
}

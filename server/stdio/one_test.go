package stdio_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/server/stdio"
)

func TestReadMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]stdio.Message{
		`{"jsonrpc":"2.0","id":1,"method":"a"}`:                                           {Method: "a", ID: "int64 1"},
		"\ufeff {\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"a\"}\r\n":                    {Method: "a", ID: "int64 1"},
		`{"jsonrpc":"2.0","id":"1","method":"a","x":[]}`:                                  {Method: "a", ID: "string 1"},
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`:   {Method: "notifications/cancelled", Cancels: "int64 1"},
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`: {Method: "notifications/cancelled", Cancels: "string 1"},
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`:                            {Method: "notifications/cancelled"},
		`{"jsonrpc":"2.0","id":7,"result":{}}`:                                            {},
	} {
		m, no := stdio.ReadMessage([]byte(text))
		if no != nil || m.Method != want.Method || m.ID != want.ID || m.Cancels != want.Cancels || m.Text == nil {
			t.Errorf("%s: %+v, %s", text, m, no)
		}
	}
	for text, says := range map[string]string{
		"":    "there is no message",
		" \n": "there is no message",
		"[]":  "the batch is empty",
		`[{"jsonrpc":"2.0","id":1,"method":"a"}]`:              "batches are not served",
		`{"jsonrpc":"2.0","id":1.5,"method":"a"}`:              `"id":1.5`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}`: "53 bits",
		`{"jsonrpc":"2.0","id":1,"method":"a"}{}`:              "not one JSON text",
		`{"jsonrpc":"2.0","id":1,"method":"a","params":[1]}`:   `\"params\" must be an object`,
		strings.Repeat("[", 2000):                              "nests deeper",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}":   "not UTF-8",
	} {
		if m, no := stdio.ReadMessage([]byte(text)); !strings.Contains(string(no), says) {
			t.Errorf("%.60s: %+v, %s", text, m, no)
		}
	}
	// Of two members of a name the SDK is given the one that was judged.
	m, _ := stdio.ReadMessage([]byte(`{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}`))
	if m.Method != "b" || m.ID != "int64 2" || strings.Contains(string(m.Text), `"a"`) {
		t.Errorf("%+v %s", m, m.Text)
	}
}

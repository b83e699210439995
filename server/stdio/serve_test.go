package stdio

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const newestWithHandshake = "2025-11-25"

func TestBadLineIsAnsweredAndTheSessionGoesOn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, line, want string
	}{
		{"no JSON", `not json`, "null:-32700"},
		{"cut short", `{"jsonrpc":"2.0","id":1,"method":"ping"`, "null:-32700"},
		{"trailing text", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, "null:-32700"},
		{"two messages", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, "null:-32700"},
		{"raw NUL", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\x00\"}", "null:-32700"},
		{"only NULs", "\x00\x00", "null:-32700"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "null:-32700"},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"x\":\"\xff\"}}", "1:-32700"},
		{"id not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", "null:-32700"},
		{"a number", `1`, "null:-32600"},
		{"a string", `"x"`, "null:-32600"},
		{"null", `null`, "null:-32600"},
		{"no JSON-RPC", `{"foo":"bar"}`, "null:-32600"},
		{"no version", `{"id":1,"method":"ping"}`, "1:-32600"},
		{"version 1", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, `"a":-32600`},
		{"version a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, "1:-32600"},
		{"no method", `{"jsonrpc":"2.0","id":1}`, "1:-32600"},
		{"wrong case", `{"jsonrpc":"2.0","id":1,"METHOD":"ping"}`, "1:-32600"},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, "1:-32600"},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":5}`, "1:-32600"},
		{"params a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, "1:-32602"},
		{"params a string", `{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}`, "1:-32602"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, "null:-32600"},
		{"id fractional", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "1.5:-32600"},
		{"id huge", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, "9007199254740993:-32600"},
		{"id out of range", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, "1e400:-32600"},
		{"id a boolean", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, "null:-32600"},
		{"id an object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, "null:-32600"},
		{"id a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, "null:-32600"},
		{"id with a lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, `"\ud800":-32600`},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 999) + strings.Repeat("]", 999) + `}}`, "1:-32600"},
		{"far too deep", strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), "null:-32600"},
		{"deep and no JSON", strings.Repeat("[", 100_000), "null:-32600"},
		{"response with both", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`, "null:-32600"},
		{"response with a bad error", `{"jsonrpc":"2.0","id":1,"error":"no"}`, "null:-32600"},
		{"response with a fractional code", `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"m"}}`, "null:-32600"},
		{"response with a bad id", `{"jsonrpc":"2.0","id":[],"result":{}}`, "null:-32600"},
		{"empty batch", `[]`, "null:-32600"},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null:-32600"},
		{"a second handshake", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`, "1:-32600"},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"nope"}`, "1:-32601"},
		{"unknown tool", strings.TrimSpace(callOf("1", "nope", `{}`)), "1:-32602"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, lines := newRig(t).oneShot(t, initialize(newestWithHandshake)+test.line+"\n"+pingOf(`"after"`))
			slices.Sort(lines)
			want := []string{test.want, `"init"`, `"after"`}
			slices.Sort(want)
			if !slices.Equal(lines, want) {
				t.Errorf("answers %q, want %q", lines, want)
			}
		})
	}
}

func TestOddLinesAreAccepted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, input string
		want        []string
	}{
		{"blanks around a message", " \t" + strings.TrimSpace(pingOf("1")) + " \t \n", []string{"1"}},
		{"CRLF", strings.TrimSpace(pingOf("1")) + "\r\n\r\n" + strings.TrimSpace(pingOf("2")) + "\r\n", []string{"1", "2"}},
		{"byte order mark", "\ufeff" + pingOf("1"), []string{"1"}},
		{"empty lines", "\n \n\r\n\t\n" + pingOf("1") + "\n\n", []string{"1"}},
		{"no line end at the end", strings.TrimSpace(pingOf("1")), []string{"1"}},
		{"nothing at all", "", nil},
		{"blanks in the message", `{ "jsonrpc" : "2.0" , "id" : 1 , "method" : "ping" }` + "\n", []string{"1"}},
		{"another order", `{"method":"ping","params":{},"jsonrpc":"2.0","id":1}` + "\n", []string{"1"}},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","extra":[{}],"result":1,"Params":7}` + "\n", []string{"1"}},
		{"the last of two ids", `{"jsonrpc":"2.0","id":1,"method":"ping","id":2}` + "\n", []string{"2"}},
		{"the last of two methods", `{"jsonrpc":"2.0","id":1,"method":null,"method":"ping"}` + "\n", []string{"1"}},
		{"escaped names", `{"jsonrpc":"2.0","\u0069d":1,"method":"p\u0069ng"}` + "\n", []string{"1"}},
		{"params null", `{"jsonrpc":"2.0","id":1,"method":"ping","params":null}` + "\n", []string{"1"}},
		{"id zero", pingOf("0"), []string{"0"}},
		{"id negative", pingOf("-7"), []string{"-7"}},
		{"id at the bound", pingOf("9007199254740991"), []string{"9007199254740991"}},
		{"id an integer in another spelling", pingOf("1e2") + pingOf("2.0") + pingOf("-0"), []string{"1e2", "2.0", "-0"}},
		{"id an empty string", pingOf(`""`), []string{`""`}},
		{"id a string of digits", pingOf("1") + pingOf(`"1"`), []string{"1", `"1"`}},
		{"id that JSON escapes", pingOf(`"<\u00e9\n\"&>"`), []string{`"<\u00e9\n\"&>"`}},
		{"notification with the id null", `{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}` + "\n" + pingOf("1"), []string{"1"}},
		{"unknown notification", `{"jsonrpc":"2.0","method":"nope"}` + "\n" + pingOf("1"), []string{"1"}},
		{"answer to no request", `{"jsonrpc":"2.0","id":5,"result":null}` + "\n" + pingOf("1"), []string{"1"}},
		{"error for no request", `{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"m","data":[1]}}` + "\n" + pingOf("1"), []string{"1"}},
		{"error with the id null", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}` + "\n" + pingOf("1"), []string{"1"}},
		{"result beside an error null", `{"jsonrpc":"2.0","id":5,"result":{},"error":null}` + "\n" + pingOf("1"), []string{"1"}},
		{"cancelling nothing", cancelOf("5") + cancelOf("1.5") + cancelOf("null") + cancelOf("{}") + pingOf("1"), []string{"1"}},
		{"cancelling without params", `{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n" + pingOf("1"), []string{"1"}},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 998) + strings.Repeat("]", 998) + `}}` + "\n", []string{"1"}},
		{"brackets within text", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\"\\` + strings.Repeat("[{", 2000) + `"}}` + "\n", []string{"1"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, lines := newRig(t).oneShot(t, test.input)
			slices.Sort(lines)
			slices.Sort(test.want)
			if !slices.Equal(lines, test.want) {
				t.Errorf("answers %q, want %q", lines, test.want)
			}
		})
	}
}

func TestRequestsNeedTheHandshakeFirst(t *testing.T) {
	t.Parallel()
	const early = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	for range 20 {
		_, lines := newRig(t).oneShot(t, early+initialize(newestWithHandshake)+strings.Replace(early, `"id":1`, `"id":2`, 1))
		slices.Sort(lines)
		if want := []string{`"init"`, "1:-32600", "2"}; !slices.Equal(lines, want) {
			t.Fatalf("answers %q, want %q", lines, want)
		}
	}
}

// What a tool gets is what the client wrote, whatever JSON calls equal.
func TestArgumentsArriveUntouched(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{
		`{"n":9007199254740993,"f":1.50,"e":1e400}`,
		`{"text":"\ud800 alone, <&> \u2028 \u0000"}`,
		`{"twice":1,"twice":2}`,
		`{"null":null,"":[]}`,
	} {
		replies, _ := newRig(t).oneShot(t, initialize(newestWithHandshake)+callOf("1", "echo", arguments))
		if got := byID(t, replies, "1").text(t); got != arguments {
			t.Errorf("the tool got %s, want %s", got, arguments)
		}
	}
}

// An id that is in flight must not be answered twice: the client would take the
// refusal for the answer to its first request.
func TestIDInFlightIsRefused(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.dial(t)
	c.write(initialize(newestWithHandshake) + callOf("7", "gate", `{}`))
	c.expect(`"init"`)
	r.waitFor(t, "gate")
	c.write(pingOf("7"))
	c.expect("null:-32600")
	c.write(pingOf(`"7"`)) // a text is another id
	c.expect(`"7"`)
	close(r.open)
	c.expect("7")
	c.write(pingOf("7"))
	c.expect("7")
	c.end(nil)
}

func TestOneShotAnswersAllInEachVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			input := initialize(version)
			want := []string{`"init"`}
			for i := range 50 {
				id := strconv.Itoa(i)
				input += callOf(id, "echo", `{"n":`+id+`}`)
				want = append(want, id)
			}
			replies, lines := newRig(t).oneShot(t, input)
			slices.Sort(lines)
			slices.Sort(want)
			if !slices.Equal(lines, want) {
				t.Fatalf("answers %q, want %q", lines, want)
			}
			var agreed struct{ ProtocolVersion string }
			if err := json.Unmarshal(byID(t, replies, `"init"`).Result, &agreed); err != nil || agreed.ProtocolVersion != version {
				t.Errorf("agreed on version %q (%v)", agreed.ProtocolVersion, err)
			}
			if got := byID(t, replies, "49").text(t); got != `{"n":49}` {
				t.Errorf("call 49 answered %s", got)
			}
		})
	}
}

// From 2026-07-28 on there is no handshake: each request carries what it held.
func TestOneShotWithoutHandshake(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	_, lines := newRig(t).oneShot(t, ``+
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{`+meta+`}}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{},`+meta+`}}`+"\n"+
		`{"jsonrpc":"2.0","id":3,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`+"\n"+
		`[{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{`+meta+`}}]`+"\n"+
		`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{`+meta+`}}`+"\n")
	slices.Sort(lines)
	// The empty name is the notification that acknowledges the subscription,
	// which stays open and so is not answered.
	want := []string{"", "1", "2", "5", "null:-32600"}
	if !slices.Equal(lines, want) {
		t.Errorf("answers %q, want %q", lines, want)
	}
}

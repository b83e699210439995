package server

import (
	"slices"
	"strings"
	"testing"
)

const newestWithHandshake = "2025-11-25"

func TestLineRefusesAndGoesOn(t *testing.T) {
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

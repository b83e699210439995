package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"
	"testing"
)

func TestReadID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id, key string // its type and value; no key: not an id that the SDK tells from others
	}{
		{`1`, "n1"}, {`1.0`, "n1"}, {`10e-1`, "n1"}, {`-0`, "n0"}, {`-5`, "n-5"},
		{`"1"`, "s1"}, {`""`, "s"}, {`"\u0061"`, "sa"}, {`"é"`, "sé"}, {`"\ud83d\ude00"`, "s😀"},
		{`9007199254740991`, "n9007199254740991"}, {`-9007199254740991`, "n-9007199254740991"},
		{`9007199254740992`, ""}, {`1e300`, ""}, {`1e999`, ""}, {`0.5`, ""},
		{`"\ud83d"`, ""}, {`"\ude00\ud83d"`, ""},
		{`null`, ""}, {`true`, ""}, {`[]`, ""}, {`{}`, ""}, {``, ""},
	}
	for _, test := range tests {
		id, ok := readID(json.RawMessage(test.id))
		key := ""
		switch value := id.Raw().(type) {
		case int64:
			key = "n" + strconv.FormatInt(value, 10)
		case string:
			key = "s" + value
		}
		if ok != (test.key != "") || key != test.key {
			t.Errorf("readID(%s) = %q, %v, want %q", test.id, key, ok, test.key)
		}
	}
}

// In well-formed JSON the scanner finds what the decoder finds, however the
// text is cut into pieces.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"params":{"id":2,"x":["id",{"id":3}]},"id":"a\"b,}"}`,
		`{"id":1,"id":{"a":[1]}}`, `{"id":null}`, `{"id":[1],"x":2}`, `{ "id" : -1.5e3 }`,
		`{"a":"\\","id":1}`, `{"x\"id":2}`, `[{"id":1}]`, `"id"`, `{}`, `{"id":true}`, `{"id":"id"}`,
	} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		cut = max(0, min(cut, len(text)))
		pieces := scan(text[:cut])
		pieces.feed(text[cut:])
		got := pieces.id()
		if got != nil && !json.Valid(got) {
			t.Fatalf("found %q", got)
		}
		if !bytes.Equal(got, scan(text).id()) {
			t.Fatalf("found %s in pieces, %s in one", got, scan(text).id())
		}
		var members map[string]json.RawMessage
		if !json.Valid(text) || bytes.Contains(text, []byte(`\u`)) || bytes.ContainsRune(text, '\ufffd') {
			return
		}
		if json.Unmarshal(text, &members) != nil {
			members = nil // not an object
		}
		want := echo(members["id"])
		if len(want) > maxScannedID || !bytes.Equal(bytes.ToValidUTF8(want, nil), want) {
			want = nil
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("found %s, want %s", got, want)
		}
	})
}

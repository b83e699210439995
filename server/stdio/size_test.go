package stdio

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func noteOf(id string, size int) string {
	return callOf(id, "echo", `{"note":"`+strings.Repeat("x", size)+`"}`)
}

func TestLongMessages(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{"1": 70_000, "2": 2_000_000, "3": 1, "4": readAhead, "5": readAhead - 100}
	input := initialize(newestWithHandshake)
	for id, size := range sizes {
		input += noteOf(id, size)
	}
	replies, _ := newRig(t).oneShot(t, input)
	for id, size := range sizes {
		var got struct{ Note string }
		if err := json.Unmarshal([]byte(byID(t, replies, id).text(t)), &got); err != nil || len(got.Note) != size {
			t.Errorf("call %s came with %d characters, want %d (%v)", id, len(got.Note), size, err)
		}
	}
}

// The limit that users meet, on both sides of the edge.
func TestLimitIsSixteenMiB(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 16<<20-1) + "\n"
	fits, over := newLines(strings.NewReader(line), MaxMessage), newLines(strings.NewReader("x"+line), MaxMessage)
	if text, err := fits.next(); err != nil || len(text) != len(line)-1 {
		t.Errorf("a line of 16 MiB came with %d bytes and %v", len(text), err)
	}
	if _, err := over.next(); err == nil || err.Error() != "a message of 16777217 bytes is over the limit of 16777216 bytes" {
		t.Errorf("a line of 16 MiB and a byte came with %v", err)
	}
}

func TestLinesOverTheLimit(t *testing.T) {
	t.Parallel()
	const limit = 3*readAhead + 7
	tests := []struct {
		name, input, want string
	}{
		{"id first", noteOf("1", limit), "1:-32600"},
		{"many times over", noteOf("1", 20*limit), "1:-32600"},
		{"id last", `{"method":"ping","params":{"id":5,"x":"` + strings.Repeat(`\"id\":6,`, limit/8) + `"},"jsonrpc":"2.0","id":"z"}` + "\n", `"z":-32600`},
		{"no line end", strings.TrimSpace(noteOf("1", limit)), "1:-32600"},
		{"no JSON", strings.Repeat("x", limit) + "\n", "null:-32600"},
		{"the id is too long", pingOf(`"` + strings.Repeat("x", limit) + `"`), "null:-32600"},
		{"batch", batchOf(noteOf("1", limit)), "null:-32600"},
		{"line end over the limit", strings.Repeat(" ", limit-1) + "\r\n", "null:-32600"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out lockedBuffer
			input := pingOf(`"before"`) + test.input
			if strings.HasSuffix(input, "\n") {
				input += pingOf(`"after"`)
			}
			_, lines := newRig(t).serveToEnd(t, strings.NewReader(input), &out, limit)
			got := strings.Join(lines, " ")
			if !strings.Contains(" "+got+" ", " "+test.want+" ") || len(lines) != strings.Count(input, "\n")+strings.Count(test.name, "no line end") {
				t.Errorf("answers %q, want %s among them", lines, test.want)
			}
		})
	}
}

// What was wrong with a message may be as long as the client made it. Except for
// the id, which tells the client what is answered, none of it is repeated whole.
func TestErrorsRepeatNothingLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 20_000)
	request := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + "}\n"
	}
	for name, message := range map[string]string{
		"method":           request(long, `{}`),
		"tool":             callOf("1", long, `{}`),
		"tool of a type":   request("tools/call", `{"name":["`+long+`"]}`),
		"cursor of a type": request("tools/list", `{"cursor":["`+long+`"]}`),
		"prompt":           request("prompts/get", `{"name":"`+long+`"}`),
		"resource":         request("resources/read", `{"uri":"`+long+`"}`),
		"completion":       request("completion/complete", `{"ref":{"type":"`+long+`"},"argument":{"name":"`+long+`"}}`),
		"version":          request("tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+long+`"}}`),
		"jsonrpc":          `{"jsonrpc":"` + long + `","id":1,"method":"ping"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, handshake := range []string{initialize(newestWithHandshake), ""} {
				replies, _ := newRig(t).oneShot(t, handshake+message)
				r := byID(t, replies, "1")
				if r.Error == nil || len(r.Error.Message) == 0 || len(r.Error.Message) > maxReason+len("…") {
					t.Fatalf("after %d bytes of handshake it is answered %+v", len(handshake), r)
				}
			}
		})
	}
}

// So it is where an id is named in a sentence: here one that is in use.
func TestErrorsNameNoLongID(t *testing.T) {
	t.Parallel()
	id := `"` + strings.Repeat("x", 20_000) + `"`
	replies, _ := newRig(t).oneShot(t, initialize(newestWithHandshake)+strings.Repeat(callOf(id, "waits", `{}`), 2))
	r := byID(t, replies, "null")
	if r.Error == nil || !strings.HasPrefix(r.Error.Message, "the id ") || len(r.Error.Message) > maxReason+len("…") {
		t.Errorf("%+v", r)
	}
	byID(t, replies, id)
}

// Not parallel: it measures what is allocated.
func TestEndlessLineTakesBoundedMemory(t *testing.T) {
	gittest.NotShort(t)
	const limit, size = 1 << 20, 64 << 20
	var before, after runtime.MemStats
	var out lockedBuffer
	input := io.MultiReader(io.LimitReader(xs{}, size), strings.NewReader("\n"+pingOf("1")))
	runtime.ReadMemStats(&before)
	_, lines := newRig(t).serveToEnd(t, input, &out, limit)
	runtime.ReadMemStats(&after)
	if len(lines) != 2 || lines[0] != "null:-32600" || lines[1] != "1" {
		t.Errorf("answers %q", lines)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8*limit {
		t.Errorf("%d MiB were allocated for a line of %d MiB", grown>>20, size>>20)
	}
}

// xs is a reader of x without end.
type xs struct{}

func (xs) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

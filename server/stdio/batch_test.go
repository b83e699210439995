package stdio

import (
	"slices"
	"strings"
	"testing"
)

func batchOf(messages ...string) string {
	for i := range messages {
		messages[i] = strings.TrimSpace(messages[i])
	}
	return "[" + strings.Join(messages, ",") + "]\n"
}

func TestBatchIsAnsweredAsOne(t *testing.T) {
	t.Parallel()
	const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	tests := []struct {
		name  string
		batch string
		want  []string // answers, those of a batch sorted
	}{
		{"requests", batchOf(pingOf("1"), callOf("2", "echo", `{}`), pingOf(`"a"`)), []string{`["a" 1 2]`}},
		{"with notifications", batchOf(initialized, pingOf("1"), initialized), []string{"[1]"}},
		{"only notifications", batchOf(initialized, initialized), nil},
		{"with faults", batchOf("5", pingOf("1"), pingOf("null"), pingOf("1.5"), "[]"), []string{"[1 1.5:-32600 null:-32600 null:-32600 null:-32600]"}},
		{"only faults", batchOf("1", "2"), []string{"[null:-32600 null:-32600]"}},
		{"the same id twice", batchOf(callOf("1", "gate", "{}"), callOf("1", "gate", "{}"), cancelOf("1"), pingOf("2")), []string{"[2 null:-32600]"}},
		{"answers", batchOf(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`), nil},
		{"a handshake", batchOf(pingOf("1"), initialize("2025-03-26")[:strings.Index(initialize("2025-03-26"), "\n")]), []string{`["init":-32600 1]`}},
	}
	for _, version := range []string{"2024-11-05", "2025-03-26", ""} {
		for _, test := range tests {
			input, want := test.batch, append(slices.Clone(test.want), `"after"`)
			if version != "" {
				input = initialize(version) + input
				want = append(want, `"init"`)
			} else if strings.Contains(input, "tools/call") {
				continue // go-sdk lets no tool be called before a handshake
			}
			t.Run(version+" "+test.name, func(t *testing.T) {
				t.Parallel()
				_, lines := newRig(t).oneShot(t, input+pingOf(`"after"`))
				for i, line := range lines {
					if inner, ok := strings.CutPrefix(line, "["); ok {
						names := strings.Fields(strings.TrimSuffix(inner, "]"))
						slices.Sort(names)
						lines[i] = "[" + strings.Join(names, " ") + "]"
					}
				}
				slices.Sort(lines)
				slices.Sort(want)
				if !slices.Equal(lines, want) {
					t.Errorf("answers %q, want %q", lines, want)
				}
			})
		}
	}
}

// A batch that comes right behind a handshake is judged by its outcome.
func TestBatchWaitsForTheHandshake(t *testing.T) {
	t.Parallel()
	for range 50 {
		_, lines := newRig(t).oneShot(t, initialize("2025-06-18")+batchOf(pingOf("1")))
		if want := []string{`"init"`, "null:-32600"}; !slices.Equal(lines, want) {
			t.Fatalf("answers %q, want %q", lines, want)
		}
	}
}

func TestBatchDoesNotWaitForACancelledCall(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := r.dial(t)
	c.write(initialize("2025-03-26"))
	c.expect(`"init"`)
	c.write(batchOf(callOf("1", "deaf", `{}`), pingOf("2")))
	r.waitFor(t, "deaf")
	c.write(cancelOf("1"))
	c.expect("[2]")
	close(r.open)
	c.expect("1") // it had succeeded
	c.end(nil)
}

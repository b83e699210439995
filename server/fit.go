package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// Answers are limited to what clients accept, unless the call asks for more:
// clients refuse answers of more than about 25,000 tokens, and a model that
// cannot read an answer learns of no conflict. The command line is for people
// and scripts, and has no such limit.
const (
	answerRoom = 64 << 10 // bytes of a message
	frameRoom  = 1 << 10  // reserved for what surrounds the answer
	roomOfOne  = 4 << 10  // for each item that `limit` requests
	maxAnswer  = stdio.MaxMessage / 2

	sentenceRoom  = 16 << 10 // for the message of an error, before its details
	warningsRoom  = 8 << 10
	longestNotice = 2 << 10 // of a warning, or a report of progress
)

// room returns how long the answer to a call may be.
func (t Tool) room(arguments json.RawMessage) int {
	var asked struct {
		Limit json.RawMessage `json:"limit"`
	}
	if json.Unmarshal(arguments, &asked) != nil || asked.Limit == nil {
		return answerRoom
	}
	n, err := parseCount(asked.Limit)
	if err != nil {
		return answerRoom
	}
	return int(max(answerRoom, min(n.(int64), maxAnswer/roomOfOne)*roomOfOne))
}

// A fitted is the JSON of a result, and notes on what it omits.
type fitted struct {
	text  string
	notes []string
}

// fit encodes a result so that it takes at most room bytes of a message. First
// it shortens long texts, and the lists within rows, all by the same measure.
// Then it omits rows, those that block a claim last. Notes name the omitted
// locks, however many there are.
func fit(result any, room int) (fitted, error) {
	const mostShare, leastShare = 16 << 10, 16
	v := reflect.New(reflect.TypeOf(result)).Elem()
	v.Set(reflect.ValueOf(result))
	f := fitted{}
	var err error
	// Do not encode what is far too long.
	cuttable := v.Kind() == reflect.Slice || v.Kind() == reflect.Struct
	far := func() bool { return cuttable && weight(v) > 4*room }
	if !far() {
		if f.text, err = encode(v); err != nil || f.size() <= room || !cuttable {
			return f, err
		}
	}
	c := cutter{dropped: map[string]bool{}}
	// With many rows none can have much; a good first guess saves attempts.
	c.share = max(leastShare, min(mostShare, listShares*room/max(len(rowsOf(v)), 1)))
	for ; c.share >= leastShare; c.share /= 2 {
		if c.answer(v); far() && c.share/2 >= leastShare {
			continue
		}
		if f.text, err = encode(v); err != nil {
			return f, err
		}
		if f.notes = c.notes(v); f.size() <= room {
			return f, nil
		}
	}
	if err := c.omit(v, room-f.size()); err != nil {
		return f, err
	}
	if err := c.omitPairs(v, room-f.size()); err != nil {
		return f, err
	}
	f.text, err = encode(v)
	f.notes = c.notes(v)
	return f, err
}

func (f fitted) size() int { return wireSize(f.text) + wireSize(warningLines(f.notes)) }

func encode(v reflect.Value) (string, error) {
	text, err := store.Encode(v.Interface())
	return string(text), err
}

// wireSize returns an upper bound for the length of a text as a JSON string in
// a message. It runs for every answer, so it does not encode the text.
func wireSize(text string) int {
	const firstOfSeparators = 0xe2 // U+2028 and U+2029 are escaped as well
	n := len(`""`)
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"', c == '\\', c == '\n':
			n += len(`\n`)
		case c < ' ', c == '<', c == '>', c == '&':
			n += len(`\u0000`)
		case c == firstOfSeparators:
			n += len(`\u2028`) - len("\x80\xa8")
		default:
			n++
		}
	}
	return n
}

// notes say what was cut, and name the locks that are no longer listed.
func (c *cutter) notes(v reflect.Value) []string {
	more, rest := "lock_show has more about one lock, its file everything", "lock_history lists what has ended"
	switch v.Interface().(type) {
	case store.Foreseen:
		more = "`scope` asks about fewer files"
	case store.StateEntry, store.StateConflict:
		more = "the file at filePath has the whole text: do not write back what is cut"
	case store.StateListing:
		more, rest = "state_get reads one entry", "prefix lists fewer"
	}
	notes := []string{"long texts and lists are cut to keep this answer short; keys ending in LeftOut count what " +
		"is omitted; " + more}
	if c.counted > 0 {
		notes = append(notes, fmt.Sprintf("%d more are not listed; %s", c.counted, rest))
	}
	for _, row := range rowsOf(v) {
		delete(c.dropped, idOf(row))
	}
	if len(c.dropped) > 0 {
		ids := slices.Sorted(maps.Keys(c.dropped))
		notes = append(notes, fmt.Sprintf("%d more locks belong to this answer: %s", len(ids), strings.Join(ids, ", ")))
	}
	return notes
}

// fewWarnings returns the warnings that fit beside an answer: the first ones,
// and the last ones, which sum up.
func fewWarnings(warnings []string) []string {
	short := make([]string, len(warnings))
	size := 0
	for i, w := range warnings {
		short[i] = legible.Cut(legible.Plain(w), longestNotice)
		size += wireSize(short[i])
	}
	if size <= warningsRoom {
		return short
	}
	keep := func(list []string, room int) int {
		for i, w := range list {
			if room -= wireSize(w); room < 0 {
				return i
			}
		}
		return len(list)
	}
	first := keep(short, warningsRoom*3/4)
	backward := slices.Clone(short[first:])
	slices.Reverse(backward)
	last := len(short) - keep(backward, warningsRoom/4)
	more := fmt.Sprintf("%d more warnings are not listed: agent-locks doctor lists what is wrong in the store", last-first)
	return slices.Concat(short[:first], []string{more}, short[last:])
}

package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A parser parses a JSON value other than null into a string, []string, bool,
// float64 or int64. Its error completes the sentence "must be ...".
type parser func(json.RawMessage) (any, error)

var (
	errText     = errors.New("a string")
	errList     = errors.New("a list of strings")
	errListText = errors.New("a list of strings")
	errBool     = errors.New("true or false")
	errNumber   = errors.New("a finite number")
	errCount    = errors.New("a whole number")
	errUnicode  = errors.New("whole Unicode text (a surrogate has no partner, or bytes are not UTF-8)")
)

func parseText(raw json.RawMessage) (any, error) {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil, errText
	}
	if !isUnicode(raw) {
		return nil, errUnicode
	}
	return s, nil
}

func parseTextOrNumber(raw json.RawMessage) (any, error) {
	if _, err := parseNumber(raw); err == nil && bytes.TrimSpace(raw)[0] != '"' {
		return string(bytes.TrimSpace(raw)), nil
	}
	return parseText(raw)
}

// parseList accepts a list of strings, or a single string as the only item. A
// string that looks like a glob is an item: [id].ts names a file. The JSON text
// of a list is refused, since as a name it would match none of the intended files.
func parseList(raw json.RawMessage) (any, error) {
	if items, err := parseStrings(raw); err == nil || errors.Is(err, errUnicode) {
		return items, err
	}
	text, err := parseText(raw)
	if errors.Is(err, errText) {
		return nil, errList
	}
	if err != nil {
		return nil, err
	}
	one := text.(string)
	_, err = parseStrings(json.RawMessage(one))
	begun := strings.TrimSpace(one)
	switch {
	case !errors.Is(err, errList), strings.HasPrefix(begun, `["`), strings.HasPrefix(begun, `['`):
		return nil, errListText
	case one == "":
		return []string{}, nil
	}
	return []string{one}, nil
}

func parseStrings(raw json.RawMessage) ([]string, error) {
	var items []*string // pointers, to detect null items
	if err := json.Unmarshal(raw, &items); err != nil || items == nil {
		return nil, errList
	}
	if !isUnicode(raw) {
		return nil, errUnicode
	}
	list := make([]string, len(items))
	for i, item := range items {
		if item == nil {
			return nil, errList
		}
		list[i] = *item
	}
	return list, nil
}

func parseBool(raw json.RawMessage) (any, error) {
	switch strings.ToLower(unquoted(raw)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, errBool
}

func parseNumber(raw json.RawMessage) (any, error) {
	s := unquoted(raw)
	// Require JSON syntax: ParseFloat alone would accept NaN, Inf and 0x1p-2.
	if !json.Valid([]byte(s)) {
		return nil, errNumber
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil, errNumber
	}
	return f, nil
}

func parseCount(raw json.RawMessage) (any, error) {
	f, err := parseNumber(raw)
	if err != nil {
		return nil, errCount
	}
	// Above 2^53 float64 does not represent all whole numbers.
	if n := f.(float64); n == math.Trunc(n) && math.Abs(n) <= 1<<53 {
		return int64(n), nil
	}
	return nil, errCount
}

// unquoted returns the text of a value, which may have been sent as a string.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return strings.TrimSpace(s)
}

// isUnicode reports whether the strings in a JSON value are valid Unicode. For
// anything else encoding/json would substitute U+FFFD, which would name another file.
func isUnicode(raw json.RawMessage) bool {
	if !utf8.Valid(raw) {
		return false
	}
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return true
		}
		raw = raw[i:]
		first, ok := escapedUnit(raw)
		switch {
		case !ok: // \n and the like
			raw = raw[2:]
		case first < 0xD800 || first > 0xDFFF:
			raw = raw[6:]
		default:
			second, ok := escapedUnit(raw[6:])
			if first > 0xDBFF || !ok || second < 0xDC00 || second > 0xDFFF {
				return false
			}
			raw = raw[12:]
		}
	}
}

// escapedUnit returns the UTF-16 unit of a \uXXXX at the start of valid JSON.
func escapedUnit(raw []byte) (unit uint64, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return unit, err == nil
}

package server

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// A cutter shortens a result in place, by the kinds of its fields:
//
//   - Ids and paths of lock files stay whole. So do new notes: the store returns
//     only as many as fit, and they count as seen.
//   - A row is a struct with an id, or a pair of worktrees, whose paths stay
//     whole. Lists of rows in the answer itself keep their length (omit shortens
//     them).
//   - Any other list keeps what fits, and the field of the same name plus LeftOut
//     counts the rest.
//   - Any other text is cut and marked, and the bytes removed are counted if there
//     is such a field. Entries of a scope are not cut, since a part of one means
//     something else.
type cutter struct {
	share   int             // bytes for one text
	dropped map[string]bool // ids of rows that are not listed
	counted int             // rows that are not listed and need not be named
}

const (
	listShares     = 4       // how many shares a list within a row gets
	namespacesRoom = 4 << 10 // bytes that the counts of a state listing may always take
)

func (c *cutter) answer(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			c.fields(v.Index(i), false)
		}
	case reflect.Struct:
		c.fields(v, true)
	}
}

// fields shortens the fields of a struct; top says that it is the answer itself.
func (c *cutter) fields(v reflect.Value, top bool) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		f, field := v.Field(i), v.Type().Field(i)
		switch name := jsonName(field); {
		case field.Anonymous:
			c.fields(f, top)
		case slices.Contains([]string{"-", "id", "lock_id", "filePath", "newNotes", "name", "namespace"}, name):
		case name == "namespaces" && weight(f) < namespacesRoom: // it counts what is omitted elsewhere
		case v.Type() == reflect.TypeFor[store.ForecastSide]() && name != "title": // a path
		case f.Kind() == reflect.String:
			whole := f.Len()
			f.SetString(legible.Cut(f.String(), c.share))
			if count := v.FieldByName(field.Name + "LeftOut"); count.IsValid() {
				count.SetInt(count.Int() + int64(whole-f.Len()))
			}
		case f.Kind() == reflect.Pointer && f.Type().Elem().Kind() == reflect.String && !f.IsNil():
			short := reflect.New(f.Type().Elem())
			short.Elem().SetString(legible.Cut(f.Elem().String(), c.share))
			f.Set(short)
		case f.Kind() == reflect.Struct:
			c.fields(f, false)
		case f.Kind() == reflect.Slice && top && (isRow(f.Type().Elem()) || isPair(f.Type().Elem())):
			c.answer(f)
		case f.Kind() == reflect.Slice:
			c.list(v, f, field)
		}
	}
}

// list keeps the elements that fit: of notes the last ones, otherwise the first.
func (c *cutter) list(parent, list reflect.Value, field reflect.StructField) {
	notes := jsonName(field) == "notes"
	room, n := listShares*c.share, list.Len()
	kept := 0
	for ; kept < n; kept++ {
		e := list.Index(kept)
		if notes {
			e = list.Index(n - 1 - kept)
			e.SetString(legible.Cut(e.String(), c.share))
		}
		c.fields(e, false)
		if room -= weight(e); room < 0 {
			break
		}
	}
	if kept == n {
		return
	}
	from, to := 0, kept
	if notes {
		from, to = n-kept, n
	}
	for i := range n {
		if e := list.Index(i); isRow(e.Type()) && (i < from || i >= to) {
			c.dropped[idOf(e)] = true
		}
	}
	list.Set(list.Slice(from, to))
	if count := parent.FieldByName(field.Name + "LeftOut"); count.IsValid() {
		count.SetInt(count.Int() + int64(n-kept))
	}
}

// weight estimates the length of a value's JSON in bytes.
func weight(v reflect.Value) int {
	const frame = 12
	switch v.Kind() {
	case reflect.String:
		return len(v.String()) + len(`"",`)
	case reflect.Pointer:
		if !v.IsNil() {
			return weight(v.Elem())
		}
	case reflect.Struct:
		sum := 0
		for i := range v.NumField() {
			sum += weight(v.Field(i)) + frame
		}
		return sum
	case reflect.Slice:
		sum := 0
		for i := range v.Len() {
			sum += weight(v.Index(i))
		}
		return sum
	}
	return len("false,")
}

// omit removes rows from an answer's lists until room, the number of bytes left
// (negative: missing), is no longer negative. Rows that block a claim go last,
// and live ones go after stale ones.
func (c *cutter) omit(v reflect.Value, room int) error {
	type place struct{ row, size, rank int }
	for _, list := range rowLists(v) {
		places := make([]place, list.Len())
		for i := range places {
			row := list.Index(i)
			text, err := encode(row)
			if err != nil {
				return err
			}
			places[i] = place{i, wireSize(text) - 1 - c.nameSize(row), rank(row)}
		}
		slices.SortStableFunc(places, func(a, b place) int { return b.rank - a.rank })
		gone := make([]bool, list.Len())
		for _, p := range places {
			if room >= 0 {
				break
			}
			room += p.size
			gone[p.row] = true
			if c.needsName(list.Index(p.row)) {
				c.dropped[idOf(list.Index(p.row))] = true
			} else {
				c.counted++
			}
		}
		kept := reflect.MakeSlice(list.Type(), 0, list.Len())
		for i := range gone {
			if !gone[i] {
				kept = reflect.Append(kept, list.Index(i))
			}
		}
		list.Set(kept)
	}
	return nil
}

// omitPairs removes the last pairs of a forecast until there is enough room.
// Pairs that conflict go after those that could not be assessed.
func (c *cutter) omitPairs(v reflect.Value, room int) error {
	if v.Type() != reflect.TypeFor[store.Foreseen]() {
		return nil
	}
	f := v.Addr().Interface().(*store.Foreseen)
	for _, conflict := range []bool{false, true} {
		for i := len(f.Pairs) - 1; i >= 0 && room < 0; i-- {
			if (f.Pairs[i].State == store.WillConflict) != conflict {
				continue
			}
			text, err := store.Encode(f.Pairs[i])
			if err != nil {
				return err
			}
			if f.PairsLeftOut == 0 {
				room -= len(`"pairsLeftOut":1000000,`) + 2*len(`\"`)
			}
			room += wireSize(string(text)) - len(`""`)
			f.Pairs = slices.Delete(f.Pairs, i, i+1)
			f.PairsLeftOut++
		}
	}
	return nil
}

// rank orders rows: those with the highest rank are omitted first.
func rank(row reflect.Value) int {
	is := func(name string) bool { f := row.FieldByName(name); return f.IsValid() && f.Bool() }
	switch {
	case is("Blocks"):
		return 0
	case is("Stale"):
		return 2
	}
	return 1
}

// needsName reports whether a row that is omitted must be named, since it may
// be somebody's work in progress.
func (c *cutter) needsName(row reflect.Value) bool {
	switch row.Interface().(type) {
	case store.Reaped, store.Whole, store.Recent, store.StateSummary:
		return false
	}
	return true
}

// nameSize returns how many bytes the id of an omitted row takes.
func (c *cutter) nameSize(row reflect.Value) int {
	if !c.needsName(row) {
		return 0
	}
	return len(idOf(row)) + len(", ")
}

// rowLists returns the lists of rows in the answer itself.
func rowLists(v reflect.Value) []reflect.Value {
	var lists []reflect.Value
	switch {
	case v.Kind() == reflect.Slice && isRow(v.Type().Elem()):
		lists = append(lists, v)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Slice && isRow(f.Type().Elem()) && jsonName(v.Type().Field(i)) != "-" {
				lists = append(lists, f)
			}
		}
	}
	return lists
}

// rowsOf returns all rows within a value.
func rowsOf(v reflect.Value) []reflect.Value {
	var rows []reflect.Value
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			rows = append(rows, rowsOf(v.Index(i))...)
		}
	case reflect.Struct:
		if isRow(v.Type()) {
			rows = append(rows, v)
		}
		for i := range v.NumField() {
			rows = append(rows, rowsOf(v.Field(i))...)
		}
	}
	return rows
}

// isRow reports whether values of a type describe one lock, or one entry of the shared state.
func isRow(t reflect.Type) bool {
	_, ok := idField(t)
	return ok
}

// isPair reports whether values of a type are pairs of worktrees.
func isPair(t reflect.Type) bool { return t == reflect.TypeFor[store.ForecastPair]() }

func idOf(row reflect.Value) string {
	f, _ := idField(row.Type())
	return row.FieldByIndex(f.Index).String()
}

func idField(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	if t == reflect.TypeFor[store.StateSummary]() {
		return t.FieldByName("Name")
	}
	if f, ok := t.FieldByName("ID"); ok {
		return f, true
	}
	return t.FieldByName("LockID")
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

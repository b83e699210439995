package server

import (
	"reflect"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// A cutter makes a result shorter, in place, by what its fields are:
//
//   - ids and the paths of lock files stay whole, and so do new notes, of which
//     the store gives no more than fits, and which count as seen;
//   - a row is what an id names, or a pair of worktrees, whose places stay whole,
//     and a list of rows in the answer itself stays as long as it is (omit
//     shortens it);
//   - of any other list what fits stays, and the field of its name and LeftOut
//     counts the rest;
//   - any other text is cut, with a mark, and counted in bytes where it has such a
//     field as well. A scope's entries are not texts to
//     cut, since what is left of one means something else.
type cutter struct {
	share   int             // bytes of one text
	dropped map[string]bool // ids of rows that are not listed
	counted int             // rows that are not listed and need no name
}

const (
	listShares     = 4       // of a list within a row so many stay
	namespacesRoom = 4 << 10 // what the counts of a listing of the shared state may take in any case, in bytes
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

// fields cuts what a struct holds; top: it is the answer itself.
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
		case name == "namespaces" && weight(f) < namespacesRoom: // counts what is omitted beside it
		case v.Type() == reflect.TypeFor[store.ForecastSide]() && name != "title": // a place
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

// list keeps what fits of a list: of notes the last ones, else the first.
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

// weight is about how many bytes of JSON a value takes.
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

// omit shortens the lists of rows of an answer by what it has too little room
// for (below 0), those that block a claim last, then those that are live.
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

// omitPairs drops the last pairs of a forecast for which there is no room: those
// that conflict are dropped after those that could not be judged.
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

// rank orders the rows: what has the highest is omitted first.
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

// needsName reports whether a row that is omitted must be named: it may be
// somebody's work. What has ended is not.
func (c *cutter) needsName(row reflect.Value) bool {
	switch row.Interface().(type) {
	case store.Reaped, store.Whole, store.Recent, store.StateSummary:
		return false
	}
	return true
}

// nameSize is what an omitted row takes by its id.
func (c *cutter) nameSize(row reflect.Value) int {
	if !c.needsName(row) {
		return 0
	}
	return len(idOf(row)) + len(", ")
}

// rowLists are the lists of rows of an answer itself.
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

// rowsOf are all rows within a value.
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

// isRow reports whether values of a type are about one lock, or one entry of the
// shared state.
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

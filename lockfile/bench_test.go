package lockfile

import "testing"

func benchFile(b *testing.B, name string) *File {
	b.Helper()
	f, err := Parse(fuzzID, readTestdata(b, name))
	if err != nil {
		b.Fatal(err)
	}
	return f
}

func BenchmarkParse(b *testing.B) {
	for _, name := range []string{"example.md", "node-plain.md", "node-history.md"} {
		b.Run(name, func(b *testing.B) {
			data := readTestdata(b, name)
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := Parse(fuzzID, data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	l := benchFile(b, "example.md").Lock
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(l); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEdit(b *testing.B) {
	f := benchFile(b, "example.md")
	e := Edit{
		Set:      []KeyValue{{"updated", "2026-07-17T19-00-00"}},
		Tick:     []Tick{{1, true}},
		AddNotes: []string{"one more"},
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.With(e); err != nil {
			b.Fatal(err)
		}
	}
}

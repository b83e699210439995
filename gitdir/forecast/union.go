package forecast

import (
	"bytes"
	"context"
)

const (
	binaryWithin = 8000       // bytes in which git looks for a NUL
	maxText      = 1023 << 20 // bytes of what git merges as text
)

// unites tells of a file that did not merge as text, and whose attribute is
// union, whether git takes both contents. It does not where one is binary, or
// where two files of one name have different modes.
func (f *forecast) unites(ctx context.Context) func(*File) bool {
	return func(file *File) bool {
		var ids []string
		for _, s := range file.stages {
			ids = append(ids, s.id)
		}
		n := len(file.stages)
		if n < 2 || n == 2 && file.stages[0].mode != file.stages[1].mode {
			return false
		}
		contents, err := f.scratch.catFile(ctx, ids)
		if err != nil {
			return false // as text it conflicts
		}
		for _, content := range contents {
			binary := bytes.IndexByte(content[:min(len(content), binaryWithin)], 0) >= 0
			if content == nil || binary || len(content) > maxText {
				return false
			}
		}
		return true
	}
}

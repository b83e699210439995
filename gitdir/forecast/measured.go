package forecast

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// measure finds out of what git could read, were it not for its size, how much git would have of
// it: some files are converted. Of line ends, half a file goes at most; of what else
// is converted the size says nothing.
func (h half) measure(ctx context.Context) error {
	var names []string
	for _, o := range h.loose {
		if o.size >= 0 {
			names = append(names, o.Path)
		}
	}
	if len(names) == 0 {
		return nil
	}
	settings, err := h.side.repo.SettingsOf(ctx, `^core\.autocrlf$`)
	if err != nil {
		return err
	}
	crlf, err := gitdir.ParseBool(settings["core.autocrlf"])
	crlf = crlf || err != nil // "input"
	out, err := h.side.git.Run(ctx, lines(names), "check-attr", "-z", "--stdin",
		"filter", "ident", "working-tree-encoding", "text", "crlf", "eol")
	if err != nil {
		return err
	}
	programs, ends := map[string]bool{}, map[string]bool{}
	for name, attribute := range attributes(out) {
		if attribute[1] == "unset" || attribute[1] == "unspecified" {
			continue
		}
		switch attribute[0] {
		case "filter", "ident", "working-tree-encoding":
			programs[name] = true
		default:
			ends[name] = true
		}
	}
	for i := range h.loose {
		switch o := &h.loose[i]; {
		case !slices.Contains(names, o.Path):
		case programs[o.Path]:
			o.size = anySize
		case crlf || ends[o.Path]:
			o.least = o.size / 2
		}
	}
	return nil
}

// attributes yields what `check-attr -z` prints: for each name an attribute and its value.
func attributes(out []byte) iter.Seq2[string, [2]string] {
	return func(yield func(string, [2]string) bool) {
		for fields := strings.Split(string(out), "\x00"); len(fields) > 3; fields = fields[3:] {
			if !yield(fields[0], [2]string{fields[1], fields[2]}) {
				return
			}
		}
	}
}

// filtered are those of some files whose content filter is not run.
func (t *taker) filtered(ctx context.Context, names []string) (map[string]bool, error) {
	off := t.side.repo.FiltersOff()
	if len(off) == 0 || len(names) == 0 {
		return nil, nil
	}
	out, err := t.git.Run(ctx, lines(names), "check-attr", "-z", "--stdin", "filter")
	found := map[string]bool{}
	for name, attribute := range attributes(out) {
		found[name] = attribute[1] != "unspecified" && slices.Contains(off, attribute[1])
	}
	return found, err
}

// resembles reports whether git may take one with that many bytes for renamed to what is
// omitted: they have to have half of the bigger one in common.
func (o Omission) resembles(size int64) bool {
	return o.size == anySize || o.size >= 0 && size >= o.least/2 && size/2 <= o.size
}

package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
)

// An optional is a flag that distinguishes "not given" (nil) from every value,
// the empty one included. Giving it twice is an error: silently dropping one of
// two notes or tasks would look like success.
type optional[T any] struct {
	to    **T
	parse func(string) (T, error)
	kind  string
}

var errTwice = errors.New("given more than once")

func (o optional[T]) Set(s string) error {
	if *o.to != nil {
		return errTwice
	}
	v, err := o.parse(s)
	if err == nil {
		*o.to = &v
	}
	return err
}

func (o optional[T]) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return fmt.Sprint(**o.to)
}

func (o optional[T]) Type() string { return o.kind }

func textFlag(f *pflag.FlagSet, to **string, name, help string) {
	f.Var(optional[string]{to, func(s string) (string, error) { return s, nil }, "text"}, name, help)
}

func countFlag(f *pflag.FlagSet, to **int, name, help string) {
	f.Var(optional[int]{to, func(s string) (int, error) {
		v, err := strconv.Atoi(s)
		if err != nil {
			return 0, errors.New("not a whole number")
		}
		return v, nil
	}, "number"}, name, help)
}

// wholeFlag defines a flag for a whole number of either sign.
func wholeFlag(f *pflag.FlagSet, to **int64, name, help string) {
	f.Var(optional[int64]{to, func(s string) (int64, error) {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return 0, errors.New("not a whole number")
		}
		return v, nil
	}, "number"}, name, help)
}

// shortTextFlag is textFlag with a one-letter shorthand.
func shortTextFlag(f *pflag.FlagSet, to **string, name, letter, help string) {
	f.VarP(optional[string]{to, func(s string) (string, error) { return s, nil }, "text"}, name, letter, help)
}

// A lastWins is an optional text flag whose last occurrence counts, like git's
// -C after an alias.
type lastWins struct{ to **string }

func (l lastWins) Set(s string) error { *l.to = &s; return nil }
func (l lastWins) String() string     { return "" }
func (l lastWins) Type() string       { return "text" }

func agentFlag(f *pflag.FlagSet, to **string) {
	textFlag(f, to, "agent", "your own `id` (default: AGENT_LOCKS_AGENT_ID)")
}

func parentFlag(f *pflag.FlagSet, to **string) {
	textFlag(f, to, "parent", "the `id` of the agent that started you (default: AGENT_LOCKS_PARENT_ID)")
}

func forceFlag(f *pflag.FlagSet, to *bool) {
	f.BoolVar(to, "force", false, "even if somebody else holds it; a note records it")
}

// A filter is an optional flag and the request field that it sets.
type filter struct {
	name  string
	value *string
	to    *string
}

// applyFilters sets the fields of the filters that were given. It refuses an
// empty value: that would match everything, so a script's unset variable would
// list everybody's locks.
func applyFilters(filters ...filter) error {
	for _, f := range filters {
		switch {
		case f.value == nil:
		case *f.value == "":
			return usage("omit the flag to list them all", "--%s %q is empty", f.name, "")
		default:
			*f.to = *f.value
		}
	}
	return nil
}

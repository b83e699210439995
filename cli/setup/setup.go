// Package setup adds agent-locks to the settings of MCP clients, and removes it.
//
// Plan decides what happens to each file, without writing; Change.Apply does
// it. The package guarantees:
//
//   - An edit touches only the entries of agent-locks: every other byte of the
//     file, comments and layout included, stays. Planning again finds nothing
//     to do.
//   - Removing undoes adding byte for byte if nothing else has changed, and
//     deletes a file that adding created. No record is kept for that: the layout
//     of the entries shows what was there before (see insert).
//   - A file that is not understood (not JSON, another type where the entries
//     go) is refused, and nothing at all is written. The same is true of a file
//     with an impostor, unless the options say to replace it.
//   - A project's settings, which are committed, name the program by its bare
//     name; only the user's own settings contain its absolute path.
//   - Files are replaced as a whole (temporary file, sync, rename) and keep their
//     mode. Symbolic links to files or directories are not followed below the
//     project or the user's home.
//
// It does not start clients or check whether they are installed.
package setup

import (
	"errors"
	"fmt"
)

// A Refusal says why a file is not changed.
type Refusal struct {
	Path   string // the file, or a directory on the path to it
	Reason string // what is wrong with it
	Hint   string // what to do
}

func (r *Refusal) Error() string { return fmt.Sprintf("%q %s", r.Path, r.Reason) }

// An Action is what happens to a file.
type Action string

// The actions.
const (
	Created   Action = "created"
	Changed   Action = "changed"
	Unchanged Action = "unchanged"
	Removed   Action = "removed"
	Manual    Action = "manual" // left to the user
)

// Options say what to set up, and where.
type Options struct {
	Client  string              // a name from Written
	User    bool                // the user's settings instead of the project's
	Remove  bool                // remove the entries instead of adding them
	Tools   string              // the tools that the server offers (ToolsAll); "": unchanged, or the default
	Force   bool                // replace or remove impostors
	Remote  *Remote             // a listener, instead of this program
	Print   bool                // only the entries are wanted: a file that is not understood is Manual
	Program string              // the absolute path of this program, for the user's own settings; "": use the PATH
	Project string              // the root of the worktree; not needed with User
	Getenv  func(string) string // for the paths of the user's settings
	GOOS    string              // in the form of runtime.GOOS
}

// Plan reads the client's files and decides what happens to each. It writes
// nothing. The error is a *Refusal if a file must not be changed.
func Plan(o Options) ([]Change, error) {
	files, err := places(o)
	if err != nil {
		return nil, err
	}
	changes := make([]Change, len(files))
	for i, f := range files {
		if changes[i], err = f.plan(o.Remove, o.Print); err != nil {
			return nil, err
		}
	}
	if o.Client == "claude" && !o.Remove && o.Remote == nil {
		last := &changes[len(changes)-1]
		last.Warnings = append(last.Warnings, o.switchedOff()...)
	}
	return changes, nil
}

func (f file) plan(remove, print bool) (Change, error) {
	c := Change{Path: f.path(), file: f}
	entries, err := f.entries()
	if err != nil {
		return c, err
	}
	c.Entries = string(entries) + "\n"
	if c.before, err = f.read(); err != nil {
		return c, named("cannot read", c.Path, err)
	}
	c.after, err = f.edit(c.before.data, remove)
	if other, ok := errors.AsType[*impostor](err); ok {
		return c, &Refusal{c.Path, other.Error(), "nothing was written. If it is not meant to run, replace it with --force"}
	}
	if err != nil && print {
		c.Action, c.Warnings = Manual, []string{(&Refusal{Path: c.Path, Reason: err.Error()}).Error()}
		return c, nil
	}
	if err != nil {
		return c, &Refusal{c.Path, err.Error(), "nothing was written. Correct it, or add by hand what --print shows"}
	}
	c.Action = action(c.before.data, c.after)
	if !f.page {
		c.Warnings = f.warnings(c.after, remove)
	}
	return c, nil
}

// entries returns our entries as in a file of their own.
func (f file) entries() ([]byte, error) {
	if f.page {
		return []byte(sectionText), nil
	}
	return fresh(f.parts)
}

// edit returns the file with our entries added or removed.
func (f file) edit(doc []byte, remove bool) ([]byte, error) {
	switch {
	case f.page && remove:
		return takeSection(doc)
	case f.page:
		return addSection(doc)
	case remove:
		return take(doc, f.parts)
	default:
		return add(doc, f.parts)
	}
}

// action compares the contents before and after; nil: no file.
func action(before, after []byte) Action {
	switch {
	case before == nil && after == nil, before != nil && after != nil && string(before) == string(after):
		return Unchanged
	case before == nil:
		return Created
	case after == nil:
		return Removed
	default:
		return Changed
	}
}

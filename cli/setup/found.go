package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Found lists the clients that have left files in the user's home: those whose
// settings we write, and those to be set up by hand.
func Found(o Options) (written, byHand []string, err error) {
	home, err := o.home()
	if err != nil {
		return nil, nil, err
	}
	for _, client := range Written() {
		o.Client = client
		if slices.ContainsFunc(o.traces(home), exists) {
			written = append(written, client)
		}
	}
	for _, i := range Instructions() {
		path, _ := strings.CutPrefix(filepath.Dir(filepath.FromSlash(i.User)), "~")
		if exists(filepath.Join(home, path)) {
			byHand = append(byHand, i.Client)
		}
	}
	return written, byHand, nil
}

// traces returns the files and directories that a client creates in the user's home.
func (o Options) traces(home string) []string {
	switch o.Client {
	case "claude":
		dir, settings := o.claude(home)
		return []string{filepath.Join(dir, ".claude.json"), filepath.Dir(filepath.Join(dir, settings))}
	case "cursor":
		return []string{filepath.Join(home, ".cursor")}
	case "vscode":
		dir, name := o.vscode(home)
		return []string{filepath.Dir(filepath.Join(dir, filepath.FromSlash(name)))}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A State reports how far a client is set up in one place.
type State string

// The states.
const (
	Ready   State = "ready"   // all of our entries, as Plan would write them
	Differs State = "differs" // only some of them, or different ones
	Absent  State = "absent"  // none
)

// Check reports how far a client is set up, and what Plan would do. It writes nothing.
func Check(o Options) (State, []Change, error) {
	o.Remove, o.Print = false, false
	add, err := Plan(o)
	if err != nil {
		return Differs, nil, err
	}
	if !slices.ContainsFunc(add, changed) {
		return Ready, add, nil
	}
	o.Remove = true
	remove, err := Plan(o)
	if err != nil {
		return Differs, nil, err
	}
	if slices.ContainsFunc(remove, changed) {
		return Differs, add, nil
	}
	return Absent, add, nil
}

func changed(c Change) bool { return c.Action != Unchanged }

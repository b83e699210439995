package disk

import (
	"os"

	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// Roles are what tests of the packages above add.
var Roles = map[string]storetest.Role{}

// EachStep has step called around each call that makes a step of a write durable.
func (d *Dir) EachStep(step func()) {
	d.link = func(r *os.Root, from, to string) error {
		step()
		err := r.Link(from, to)
		step()
		return err
	}
	d.sync = func(r *os.Root) error {
		step()
		return atomicfile.SyncDir(r)
	}
	d.syncFile = func(f *os.File) error {
		step()
		return f.Sync()
	}
}

// WithoutLinks makes it a directory of a file system that has no hard links.
func (d *Dir) WithoutLinks() {
	d.link = func(*os.Root, string, string) error { return os.ErrPermission }
}

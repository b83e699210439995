package disk

import (
	"os"

	"github.com/agent-locks/agent-locks/store/atomicfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// Roles are added by tests of the packages above.
var Roles = map[string]storetest.Role{}

// EachStep calls step around each call that makes a step of a write durable.
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

// WithoutLinks simulates a file system without hard links.
func (d *Dir) WithoutLinks() {
	d.link = func(*os.Root, string, string) error { return os.ErrPermission }
}

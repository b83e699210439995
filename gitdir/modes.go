package gitdir

import (
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Modes are the permission bits which a new directory and a new file in the
// git directory must be given after creation: core.sharedRepository, applied as
// git's adjust_shared_perm does. Zero means that what the umask leaves is right.
func (r *Repo) Modes() (dir, file fs.FileMode) {
	grant, exact := shared(r.config.shared)
	if grant == 0 {
		return 0, 0
	}
	base, setgid := fs.FileMode(0o600), fs.FileMode(0)
	if info, err := os.Stat(r.CommonDir); err == nil {
		if !exact {
			base |= info.Mode() & 0o006 // what the umask left to others, when git made it
		}
		setgid = info.Mode() & fs.ModeSetgid
	}
	file = base | grant
	dir = file | file&0o444>>2
	if runtime.GOOS == "linux" && dir&0o060 != 0 {
		setgid = fs.ModeSetgid // elsewhere groups are inherited anyway, or git set it at init
	}
	return dir | setgid, file
}

// shared reads core.sharedRepository: the bits that it grants, and whether
// they are all there are to be (an octal number) or come on top of the
// umask's. Nothing is granted where git would refuse the value.
func shared(value string) (grant fs.FileMode, exact bool) {
	switch strings.ToLower(value) {
	case "", "umask", "0", "false", "no", "off":
		return 0, false
	case "group", "1", "true", "yes", "on":
		return 0o660, false
	case "all", "world", "everybody", "2":
		return 0o664, false
	}
	n, err := strconv.ParseUint(value, 8, 32)
	if err != nil || n&0o600 != 0o600 {
		return 0, false
	}
	return fs.FileMode(n & 0o666), true
}

package gitdir

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// owned reports whether a path belongs to the user or, if the user is an
// administrator, to the administrators, as files created by an elevated process do.
func owned(path string) (bool, error) {
	sd, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return false, err
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return false, err
	}
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return false, err
	}
	if owner.Equals(user.User.Sid) {
		return true, nil
	}
	if !owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) {
		return false, nil
	}
	return windows.Token(0).IsMember(owner)
}

// sameDevice reports whether two directories are on the same volume, which
// git's search for a repository does not leave.
func sameDevice(a, b string) bool { return filepath.VolumeName(a) == filepath.VolumeName(b) }

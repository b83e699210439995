package gitdir

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// owned tells whether a path belongs to the user, or to the administrators
// where the user is one of them: files made by an elevated process do.
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

// sameDevice tells whether two directories lie on one volume, which git's
// search for a repository does not leave.
func sameDevice(a, b string) bool { return filepath.VolumeName(a) == filepath.VolumeName(b) }

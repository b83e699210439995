package doctor

import "golang.org/x/sys/unix"

// network returns the name of the network file system that path is on, or "" if
// it is local or unknown.
func network(path string) string {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return ""
	}
	return networkNamed(int64(s.Type))
}

// networkNamed maps the type numbers of statfs(2). They are 32 bits wide, and
// signed on some machines.
func networkNamed(number int64) string {
	switch int64(uint32(number)) {
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC:
		return "SMB"
	case unix.V9FS_MAGIC:
		return "9P"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "AFS"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	}
	return ""
}

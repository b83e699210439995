package guard

import "io/fs"

// chown does nothing: a new file has the owner and rights of its directory.
func chown(string, fs.FileInfo) error { return nil }

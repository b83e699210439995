package remote

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
)

// The kinds of objects.
const (
	Blob   = "blob"
	Tree   = "tree"
	Commit = "commit"
)

// Write writes an object and returns its id. It does not sync the file, because a
// repository that was damaged by a crash is recreated.
func (r *Repository) Write(kind string, data []byte) (string, error) {
	var sum hash.Hash = sha1.New()
	if r.sha256 {
		sum = sha256.New()
	}
	head := fmt.Appendf(nil, "%s %d\x00", kind, len(data))
	sum.Write(head)
	sum.Write(data)
	id := hex.EncodeToString(sum.Sum(nil))
	dir := filepath.Join("objects", id[:2])
	path := filepath.Join(r.Dir, dir, id[2:])
	if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
		return id, nil
	}
	if err := r.mkdir(r.Dir, dir); err != nil {
		return "", err
	}
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return "", err
	}
	_, err = z.Write(append(head, data...))
	if err = errors.Join(err, z.Close()); err != nil {
		return "", err
	}
	return id, r.put(path, packed.Bytes())
}

// put writes a read-only object file atomically.
func (r *Repository) put(path string, data []byte) error {
	temporary := filepath.Join(filepath.Dir(path), "tmp_obj_"+rand.Text())
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o444)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && r.FileMode != 0 {
		err = f.Chmod(r.FileMode &^ 0o222)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

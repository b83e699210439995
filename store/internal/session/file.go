package session

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

const (
	suffix = ".json"
	// maxAge is how long a session is remembered after its last recorded event.
	// A client that resumes it until then learns what it held.
	maxAge = 30 * 24 * time.Hour
	// maxRecords limits the cost of reading all records.
	maxRecords = 500
)

// Read returns the record of a session. ok is false if there is none.
func Read(d *disk.Dir, key string) (Record, bool, error) {
	in, err := d.OpenFolder(disk.SessionsName)
	if err != nil || in == nil {
		return Record{}, false, err
	}
	r, ok := read(in, key)
	return r, ok, in.Close()
}

func read(in *disk.Folder, key string) (Record, bool) {
	data, err := in.ReadFile(key + suffix)
	if err != nil {
		return Record{}, false
	}
	var r Record
	if json.Unmarshal(data, &r) != nil || !r.valid() {
		return Record{}, false
	}
	r.Key = key
	return r, true
}

// ReadAll returns all records, up to maxRecords.
func ReadAll(d *disk.Dir) (Records, error) {
	in, err := d.OpenFolder(disk.SessionsName)
	if err != nil || in == nil {
		return nil, err
	}
	keys, err := keysIn(in)
	var rs Records
	for _, key := range keys[:min(len(keys), maxRecords)] {
		if r, ok := read(in, key); ok {
			rs = append(rs, r)
		}
	}
	return rs, errors.Join(err, in.Close())
}

func keysIn(in *disk.Folder) ([]string, error) {
	names, err := in.Names()
	var keys []string
	for _, name := range names {
		if key, ok := strings.CutSuffix(name, suffix); ok && len(key) == len(Key("")) &&
			strings.Trim(key, "0123456789abcdef") == "" {
			keys = append(keys, key)
		}
	}
	return keys, err
}

// Write creates or replaces the record of a session.
func Write(tx *disk.Tx, r Record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	in, err := tx.EnsureFolder(disk.SessionsName)
	if err != nil {
		return err
	}
	if err := tx.Publish(append(data, '\n'), in, r.Key+suffix); err != nil {
		err = disk.Unusable("write", in.File(r.Key+suffix), err)
		return errors.Join(err, in.Close())
	}
	return in.Close()
}

// Sweep removes the records of sessions that were silent for too long and, if
// there are too many, the oldest ones, ended sessions first. It keeps the
// record of an agent that holds something; holds is called only for records
// about to be removed. Failures are warnings, so that they never stop a
// session's own operation.
func Sweep(tx *disk.Tx, holds func(agent string) bool) {
	in, err := tx.Dir.OpenFolder(disk.SessionsName)
	if err != nil || in == nil {
		return
	}
	defer func() { tx.Warn("close", in.Path, in.Close()) }()
	keys, err := keysIn(in)
	tx.Warn("read", in.Path, err)
	type aged struct {
		name     string
		modified time.Time
	}
	var files []aged
	for _, key := range keys {
		if fi, err := in.Lstat(key + suffix); err == nil {
			files = append(files, aged{key + suffix, fi.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b aged) int {
		return cmp.Or(a.modified.Compare(b.modified), cmp.Compare(b.name, a.name))
	})
	tooMany := len(files) - maxRecords/2
	for _, liveToo := range []bool{false, true} { // each time the oldest first
		files = slices.DeleteFunc(files, func(f aged) bool {
			old := tx.Dir.Now().Sub(f.modified) > maxAge
			if tooMany <= 0 && !old {
				return false
			}
			r, ok := read(in, strings.TrimSuffix(f.name, suffix))
			if ok && (holds(r.AgentID) || !liveToo && !old && r.Ended.IsZero()) {
				return false
			}
			tooMany--
			if err := in.Unlink(f.name); !errors.Is(err, fs.ErrNotExist) {
				tx.Warn("remove", in.File(f.name), err)
			}
			return true
		})
	}
}

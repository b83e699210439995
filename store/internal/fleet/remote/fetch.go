package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// maxPack limits the size of a fetched pack.
const maxPack = 64 << 20

// The git of a killed process keeps running and may hold a lock file for a moment. A
// killed git leaves its lock file behind, and then the repository is recreated (Damaged).
const (
	collisions     = 3
	collisionPause = 100 * time.Millisecond
)

// ErrTooLarge is returned when a fetch was aborted, or an object not read, because of its
// size.
var ErrTooLarge = errors.New("too large")

// An Unanswered is the error of a call that the remote did not answer.
type Unanswered struct {
	Words string // output of git and the host
	Err   error
}

func (e *Unanswered) Error() string {
	if e.Words == "" {
		return e.Err.Error()
	}
	return e.Words
}

func (e *Unanswered) Unwrap() error { return e.Err }

// Fetch fetches the ref and returns its tip, or "" if the remote answers that there is no
// such ref.
func (r *Repository) Fetch(ctx context.Context) (string, error) {
	args := []string{"fetch", "-q", "--no-tags", "--no-filter", "--refmap=", "--no-write-fetch-head", "--no-prune",
		"--no-recurse-submodules", r.Remote, "+" + r.Ref + ":" + tracking}
	c := call{dir: r.Root, environ: r.network, args: append(r.flags(), args...), watch: r.bearable}
	out, err := r.run(ctx, c)
	for n := 0; err != nil && n < collisions && strings.Contains(out.stderr, "cannot lock ref"); n++ {
		if err := pause(ctx, collisionPause); err != nil {
			return "", err
		}
		out, err = r.run(ctx, c)
	}
	switch {
	case err == nil:
		return r.Tracked()
	case exited(err) && strings.Contains(out.stderr, "couldn't find remote ref"):
		return "", nil
	}
	return "", errors.Join(&Unanswered{words(out.stderr), err}, r.sweep())
}

// bearable returns an error if the pack being fetched exceeds its limit.
func (r *Repository) bearable() error {
	dir := filepath.Join(r.Dir, "objects", "pack")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "tmp_") {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Size() > maxPack {
			err = fmt.Errorf("%w: the ref brings more than %d MiB", ErrTooLarge, maxPack>>20)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Damaged reports whether git complains about the bare repository itself. It is then
// recreated.
func Damaged(err error) bool {
	if Malformed(err) {
		return false
	}
	said := err.Error()
	for _, of := range []string{"cannot lock ref '" + tracking, "loose object", "is corrupt", "bad object",
		"unable to read", "missing blob", "missing tree", "missing commit", "not a git repository",
		"did not send all necessary objects"} {
		if strings.Contains(said, of) {
			return true
		}
	}
	return false
}

// Leads returns the commit of the ref without fetching it, or "" if there is no such ref.
func (r *Repository) Leads(ctx context.Context) (string, error) {
	out, err := r.run(ctx, call{dir: r.Root, environ: r.network, args: append(r.flags(), "ls-remote", "-q",
		r.Remote, r.Ref)})
	if err != nil {
		return "", &Unanswered{words(out.stderr), err}
	}
	for line := range strings.Lines(out.stdout) {
		if id, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); name == r.Ref && r.validID(id) {
			return id, nil
		}
	}
	return "", nil
}

// ErrNameless is the error for an answer that lists no refs at all.
var ErrNameless = errors.New("what came instead of an answer names no ref at all")

// Vouch returns an error if the answer that there is no such ref may not be the host's
// own. git takes an empty page, or one of a single line, for an old server's list of
// refs, so a proxy or a login page looks like an empty repository. Over HTTP, and with
// remote helpers of others, the answer must therefore list some ref. A path, ssh and
// git's own protocol cannot be confused like that.
func (r *Repository) Vouch(ctx context.Context) error {
	out, err := r.inRepository(ctx, "ls-remote", "--get-url", r.Remote)
	if err != nil {
		return fmt.Errorf("git ls-remote --get-url failed: %s: %w", words(out.stderr), err)
	}
	if !byPages.MatchString(out.stdout) {
		return nil
	}
	out, err = r.run(ctx, call{dir: r.Root, environ: r.network, args: append(r.flags(), "ls-remote", "-q", r.Remote)})
	if err != nil {
		return &Unanswered{words(out.stderr), err}
	}
	if out.stdout == "" {
		return &Unanswered{Err: ErrNameless}
	}
	return nil
}

// byPages matches URLs that are answered by web pages, or by another program.
var byPages = regexp.MustCompile(`^(https?|ftps?)://|^[A-Za-z0-9+.-]+::`)

// OtherFormat reports whether git complains that the object formats here and there
// differ.
func OtherFormat(words string) bool {
	return strings.Contains(words, "mismatched algorithms") || strings.Contains(words, "hash algorithm") ||
		strings.Contains(words, "unexpected capabilities^{}") // of an empty repository
}

// Malformed reports whether git, here or there, complains about the content of the ref,
// as opposed to the connection.
func Malformed(err error) bool {
	said := err.Error()
	return strings.Contains(said, "fsck error") || strings.Contains(said, "repository corruption on the remote side")
}

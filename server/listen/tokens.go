package listen

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/store/shell"
)

// A digest represents a token. All digests have the same length, so comparing
// them takes constant time.
type digest [sha256.Size]byte

func digestOf(token string) digest { return sha256.Sum256([]byte(token)) }

// maxTokens is the maximum size of the token file.
const maxTokens = 1 << 20

// tokens are the current tokens in a file.
type tokens struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	all    []digest
	read   fs.FileInfo // the file that was read; nil: it could not be read
	recent bool        // the file had just been written when it was read
	failed string      // why it cannot be read, as logged
}

// openTokens reads the tokens from a file, which nobody else may be able to read.
func openTokens(path string, now func() time.Time) (*tokens, error) {
	t := &tokens{path: path, now: now}
	if err := t.load(); err != nil {
		return nil, unusable(path, err)
	}
	return t, nil
}

// Token returns the first token in a file, for a client to send. It checks the
// file like a listener does.
func Token(path string) (string, error) {
	text, _, err := readPrivate(path)
	if err == nil {
		_, err = parseTokens(text)
	}
	if err != nil {
		return "", unusable(path, err)
	}
	for line := range strings.Lines(string(text)) {
		if token := tokenIn(line); token != "" {
			return token, nil
		}
	}
	return "", unusable(path, errNoToken) // unreachable: parseTokens reports it
}

func unusable(path string, err error) error {
	return refusal("one token per line, in a file that only you can read: chmod 600 "+shell.Word(path),
		"--token-file %q: %v", path, reasonOf(err))
}

var errNoToken = errors.New("it has no token")

// tokenIn returns the token in a line, or "".
func tokenIn(line string) string {
	token := strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
	if strings.HasPrefix(token, "#") {
		return ""
	}
	return token
}

// count reports whether a token is valid.
func (t *tokens) count(d digest, log *slog.Logger) bool {
	t.refresh(log)
	t.mu.Lock()
	defer t.mu.Unlock()
	found := 0
	for i := range t.all { // compare all, to take constant time
		found |= subtle.ConstantTimeCompare(t.all[i][:], d[:])
	}
	return found == 1
}

// settledAfter is how old a file's modification time must be before the file
// counts as completely written: file systems record times in steps of up to two seconds.
const settledAfter = 2 * time.Second

// refresh reads the file again if it has changed or may have. While it cannot
// be read, no token is valid.
func (t *tokens) refresh(log *slog.Logger) {
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	if err == nil && t.read != nil && !t.recent && os.SameFile(info, t.read) &&
		info.Size() == t.read.Size() && info.ModTime().Equal(t.read.ModTime()) && info.Mode() == t.read.Mode() {
		return
	}
	failed := ""
	if err := t.load(); err != nil {
		t.all, t.read = nil, nil
		failed = reasonOf(err).Error()
	}
	if failed != t.failed && failed != "" {
		log.Warn("the token file cannot be used: nobody is admitted", "file", t.path, "error", failed)
	}
	t.failed = failed
}

// load reads the file.
func (t *tokens) load() error {
	text, info, err := readPrivate(t.path)
	if err != nil {
		return err
	}
	all, err := parseTokens(text)
	if err != nil {
		return err
	}
	t.all, t.read, t.recent = all, info, t.now().Sub(info.ModTime()) < settledAfter
	return nil
}

// readPrivate reads a file after checking the permissions of the opened file.
func readPrivate(path string) (text []byte, info fs.FileInfo, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openAtOnce, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close() // nothing was written
	if info, err = f.Stat(); err == nil {
		err = private(info)
	}
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(f, maxTokens+1))
	}
	return text, info, err
}

// parseTokens parses one token per line, of characters that are valid in a header.
func parseTokens(text []byte) ([]digest, error) {
	if len(text) > maxTokens {
		return nil, fmt.Errorf("it has more than %d bytes", maxTokens)
	}
	var all []digest
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		token := tokenIn(line)
		if token == "" {
			continue
		}
		if i := strings.IndexFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }); i >= 0 {
			return nil, fmt.Errorf("line %d is not one token of plain letters, digits and signs", n)
		}
		all = append(all, digestOf(token))
	}
	if len(all) == 0 {
		return nil, errNoToken
	}
	return all, nil
}

// reasonOf returns an error without the path, which the message names already.
func reasonOf(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// watchTokens ends the waits of callers whose tokens have been revoked, even if
// there are no other calls.
func (l *Listener) watchTokens(ctx context.Context) {
	if l.tokens == nil {
		return
	}
	tick := time.NewTicker(tokensEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		l.calls.end(errRevoked, func(x *exchange) bool { return !l.tokens.count(x.token, l.log) })
	}
}

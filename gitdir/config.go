package gitdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// A config has the settings of the repository's own config that this package
// needs. Included files and the user's config are not considered.
type config struct {
	worktree    string // core.worktree, as written
	shared      string // core.sharedRepository, as written
	ignoreCase  bool   // core.ignorecase
	bare        bool   // core.bare
	perWorktree bool   // extensions.worktreeConfig
	fleet       string // agentlocks.fleet, as written
	hasFleet    bool   // it is set
}

// A setting is one setting of a config file.
type setting struct{ key, value string }

// readConfig reads the common directory's `config` and, if that enables it,
// `config.worktree`, which takes precedence. A missing file has no settings.
//
// go-git's decoder reads them without starting a process, but it refuses some
// spellings that git accepts (a byte order mark, `[branch.name]`, text that is
// not UTF-8). For these, list asks git; it may be nil.
func readConfig(common string, list func(path string) ([]byte, error)) (config, error) {
	var c config
	if err := c.read(filepath.Join(common, "config"), list); err != nil || !c.perWorktree {
		return c, err
	}
	return c, c.read(filepath.Join(common, "config.worktree"), list)
}

// read adds the settings of a file, which override earlier ones.
func (c *config) read(path string, list func(path string) ([]byte, error)) error {
	text, err := readFile(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read git config %q: %w", path, reason(err))
	}
	settings, err := decode(string(text))
	if err != nil && list != nil {
		if out, gitErr := list(path); gitErr == nil {
			settings, err = listed(string(out)), nil
		}
	}
	if err != nil {
		return fmt.Errorf("read git config %q: %w", path, err)
	}
	for _, s := range settings {
		c.set(s)
	}
	return nil
}

func (c *config) set(s setting) {
	switch s.key {
	case "core.worktree":
		c.worktree = s.value
	case "core.sharedrepository":
		c.shared = s.value
	case "core.ignorecase":
		c.ignoreCase = truth(s.value)
	case "core.bare":
		c.bare = truth(s.value)
	case "agentlocks.fleet":
		c.fleet, c.hasFleet = s.value, true
	case "extensions.worktreeconfig":
		c.perWorktree = truth(s.value)
	}
}

// errNoValue: to git, `key` alone is true and `key =` is false, but the decoder
// returns an empty value for both.
var errNoValue = errors.New("a key without a value")

// decode reads the relevant sections with go-git's decoder.
func decode(text string) ([]setting, error) {
	parsed := gitconfig.New()
	if err := gitconfig.NewDecoder(strings.NewReader(text)).Decode(parsed); err != nil {
		return nil, err
	}
	var settings []setting
	for _, name := range []string{"core", "extensions", "agentlocks"} {
		for _, option := range parsed.Section(name).Options {
			if option.Value == "" && (name != "agentlocks" || strings.EqualFold(option.Key, "fleet")) {
				return nil, fmt.Errorf("%w: %s.%s", errNoValue, name, option.Key)
			}
			settings = append(settings, setting{name + "." + strings.ToLower(option.Key), option.Value})
		}
	}
	return settings, nil
}

// listed parses the output of `git config -z`: key, newline, value, NUL.
func listed(out string) []setting {
	var settings []setting
	for entry := range strings.SplitSeq(out, "\x00") {
		if entry == "" {
			continue
		}
		key, value, ok := strings.Cut(entry, "\n")
		if !ok {
			value = "true"
		}
		settings = append(settings, setting{key, value})
	}
	return settings
}

// Settings asks git for the settings whose keys match a regular expression,
// from all config files that apply to q. Keys are in lower case; of several
// values the last counts, and a key without a value is "true". It is not an
// error if nothing matches. The error is as Find's.
func Settings(ctx context.Context, q Query, keys string) (map[string]string, error) {
	r, err := q.unfound()
	if err != nil {
		return nil, err
	}
	return r.SettingsOf(ctx, keys)
}

// SettingsOf is Settings for a repository that has been found.
func (r *Repo) SettingsOf(ctx context.Context, keys string) (map[string]string, error) {
	out, err := r.Git(ctx, "config", "-z", "--get-regexp", keys)
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == 1) { // 1: there are none
		return nil, err
	}
	settings := map[string]string{}
	for _, s := range listed(string(out)) {
		settings[s.key] = s.value
	}
	return settings, nil
}

// ParseBool parses a boolean like git: a word, or a number with an optional unit.
func ParseBool(value string) (bool, error) {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true, nil
	case "false", "no", "off", "":
		return false, nil
	}
	n, err := strconv.ParseInt(strings.TrimRight(value, "kKmMgG"), 0, 64)
	return err == nil && n != 0, err
}

// truth is ParseBool, but returns false for an invalid value.
func truth(value string) bool {
	yes, err := ParseBool(value)
	return err == nil && yes
}

// Modes returns the permission bits to give to new directories and files in the
// git directory after their creation, according to core.sharedRepository as in
// git's adjust_shared_perm. Zero means to keep the bits that the umask leaves.
func (r *Repo) Modes() (dir, file fs.FileMode) {
	grant, exact := shared(r.config.shared)
	if grant == 0 {
		return 0, 0
	}
	base, setgid := fs.FileMode(0o600), fs.FileMode(0)
	if info, err := os.Stat(r.CommonDir); err == nil {
		if !exact {
			base |= info.Mode() & 0o006 // what the umask left to others when git created it
		}
		setgid = info.Mode() & fs.ModeSetgid
	}
	file = base | grant
	dir = file | file&0o444>>2
	if runtime.GOOS == "linux" && dir&0o060 != 0 {
		setgid = fs.ModeSetgid // elsewhere groups are inherited anyway, or git has set the bit
	}
	return dir | setgid, file
}

// shared parses core.sharedRepository. It returns the bits to grant, and
// whether they replace those left by the umask (an octal number) instead of
// adding to them. It grants nothing if git would refuse the value.
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

package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// A config is what the repository's own config says of the things that this
// package answers for. Included files and the user's config have no part in it.
type config struct {
	worktree   string // core.worktree, as written
	shared     string // core.sharedRepository, as written
	ignoreCase bool
	bare       bool
}

// readConfig reads `config` and, over it, `config.worktree` of the common
// directory. A file that is missing says nothing.
func readConfig(common string) (config, error) {
	var c config
	for _, name := range []string{"config", "config.worktree"} {
		text, err := os.ReadFile(filepath.Join(common, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return c, fmt.Errorf("read git config: %w", err)
		}
		if err := c.apply(string(text)); err != nil {
			return c, fmt.Errorf("read git config %q: %w", filepath.Join(common, name), err)
		}
	}
	return c, nil
}

// apply lets the settings of a config file win over those before it.
func (c *config) apply(text string) error {
	parsed := gitconfig.New()
	if err := gitconfig.NewDecoder(strings.NewReader(text)).Decode(parsed); err != nil {
		return err
	}
	core := parsed.Section("core")
	for _, option := range core.Options {
		switch strings.ToLower(option.Key) {
		case "worktree":
			c.worktree = option.Value
		case "sharedrepository":
			c.shared = option.Value
		case "ignorecase":
			c.ignoreCase = truth(option.Value)
		case "bare":
			c.bare = truth(option.Value)
		}
	}
	return nil
}

// truth reads a boolean as git does.
func truth(value string) bool {
	switch strings.ToLower(value) {
	case "true", "yes", "on":
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n != 0
}

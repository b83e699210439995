package store

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// A fleetSettings is git's config of sharing with other clones.
type fleetSettings struct {
	on     bool
	remote string
	ref    string
	label  string
	share  string
}

// Keys in git's config. git prints them in lower case.
const (
	fleetKey       = "agentlocks.fleet"
	fleetRemoteKey = "agentlocks.fleetRemote"
	fleetRefKey    = "agentlocks.fleetRef"
	fleetLabelKey  = "agentlocks.fleetLabel"
	fleetShareKey  = "agentlocks.fleetShare"
)

const (
	shareClaims = "claims"
	shareAll    = "all"
)

// fleetOf reads the settings from git's config.
func fleetOf(c *call) (fleetSettings, error) {
	found, err := c.repo.SettingsOf(c.ctx, `^agentlocks\.fleet`)
	if err != nil {
		return fleetSettings{}, fault.FromGit(err)
	}
	get := func(key string) string { return found[strings.ToLower(key)] }
	return fleetSettings{
		on: c.repo.Fleet, remote: cmp.Or(get(fleetRemoteKey), defaultRemote), ref: cmp.Or(get(fleetRefKey), fleet.DefaultRef),
		label: get(fleetLabelKey), share: cmp.Or(get(fleetShareKey), shareClaims),
	}, nil
}

const defaultRemote = "origin"

// maybeShared returns an error if it is unclear whether this clone shares its locks.
func (c *call) maybeShared() error {
	if c.repo.FleetErr == nil {
		return nil
	}
	return fault.Input("%v", c.repo.FleetErr).
		WithHint("git config " + fleetKey + " on, or off; agent-locks fleet on sets it, too")
}

// open opens the access to the other clones.
func (s fleetSettings) open(c *call) (*fleet.Fleet, error) {
	if err := cmp.Or(checkRemote(s.remote), checkRef(s.ref), checkShare(fleetShareKey, s.share)); err != nil {
		return nil, err
	}
	f, err := fleet.Open(c.ctx, s.config(c))
	if err != nil {
		return nil, err
	}
	if !c.dir.Exists() { // it did not exist when this call began
		if err := c.dir.Refresh(); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

func (s fleetSettings) config(c *call) fleet.Config {
	return fleet.Config{
		Repo: c.repo, Environ: c.environ, Remote: s.remote, Ref: s.ref, Label: s.label, Everything: s.share == shareAll,
		Now: c.store.Now, Joined: c.confirms,
	}
}

// withFleet calls do with access to the other clones. It fails if this clone does not
// take part.
func withFleet[T any](c *call, do func(*fleet.Fleet) (T, error)) (T, error) {
	var none T
	s, err := fleetOf(c)
	if err = cmp.Or(c.maybeShared(), err); err != nil {
		return none, err
	}
	if !s.on {
		return none, fault.Input("this clone does not share its locks").
			WithHint("agent-locks fleet on shares them with the other clones")
	}
	c.remote = s.remote
	f, err := s.open(c)
	if err != nil {
		if c.ctx.Err() == nil { // record it as a failed look, for calls that do not see this error
			_ = fleet.NoteFailure(c.ctx, s.config(c), err) // err itself says why if this fails
		}
		return none, err
	}
	defer f.Close() // what had to be written has been
	return do(f)
}

// save writes the settings to the clone's own config, with the switch last.
func (s fleetSettings) save(c *call) error {
	share := s.share
	if share == shareClaims {
		share = "" // as if never set
	}
	for _, set := range []struct{ key, value string }{
		{fleetRemoteKey, s.remote}, {fleetLabelKey, s.label}, {fleetShareKey, share}, {fleetKey, "true"},
	} {
		args := []string{"config", "--local", set.key, set.value}
		if set.value == "" {
			if args = []string{"config", "--local", "--unset-all", set.key}; !isSet(c, set.key) {
				continue
			}
		}
		if _, err := c.repo.Git(c.ctx, args...); err != nil {
			return fault.FromGit(err)
		}
	}
	return nil
}

func isSet(c *call, key string) bool {
	_, err := c.repo.Git(c.ctx, "config", "--local", "--get-all", key)
	return err == nil
}

// cleanLabel validates a label for this clone, by which people recognize it. "" removes
// the label.
func cleanLabel(label string) (string, error) {
	if label == "" {
		return "", nil
	}
	clean, err := lockfile.CleanLabel(label)
	if err != nil {
		return "", fault.Input("`label` %q cannot be used: %v", label, err).
			WithHint(fmt.Sprintf("a label is one line of at most %d characters, as in laptop; everybody who can read the "+
				"repository sees it", lockfile.MaxLabel))
	}
	return clean, nil
}

// checkRemote rejects what git would not accept as a remote's name, or would take for an
// option.
func checkRemote(name string) error {
	if !strings.HasPrefix(name, "-") && !strings.ContainsAny(name, " ~^:?*[\\=\x7f") && !strings.ContainsFunc(name,
		unicode.IsControl) {
		return nil
	}
	return fault.Input("%q cannot be a remote's name", name).
		WithHint("agent-locks fleet on --remote takes a name that `git remote` lists; git remote add makes one")
}

// refName matches the permitted names of a ref: full names without characters that need
// quoting in a shell or have a special meaning to git.
var refName = regexp.MustCompile(`^refs(/[A-Za-z0-9_][A-Za-z0-9_.-]*){2,}$`)

// checkRef rejects what is not a full ref name.
func checkRef(ref string) error {
	if refName.MatchString(ref) && !strings.Contains(ref, "..") && !strings.Contains(ref, ".lock/") &&
		!strings.HasSuffix(ref, ".lock") && !strings.Contains(ref, "./") && !strings.HasSuffix(ref, ".") {
		return nil
	}
	return fault.Input("%s %q is not a ref's full name", fleetRefKey, ref).
		WithHint("set it with git config, as in refs/agents-locks/fleet or, on a host that accepts only branches, " +
			"refs/heads/agent-locks")
}

// checkShare rejects unknown values.
func checkShare(name, value string) error {
	if value == shareClaims || value == shareAll {
		return nil
	}
	return fault.Input("%s %q is unknown", name, value).
		WithHint("share claims, or all: tasks and notes as well; agent-locks fleet on --share sets it")
}

// isBranch reports whether a ref is a branch or a tag, which people may use.
func isBranch(ref string) bool {
	return strings.HasPrefix(ref, "refs/heads/") || strings.HasPrefix(ref, "refs/tags/")
}

package guard

import (
	"fmt"
	"os"
	"path/filepath"
)

// Uninstall takes our hook out and puts back the one that was there before,
// byte for byte and with its mode: it is the same file. Where ours is not
// there, nothing happens. Errors: *Refusal, where nothing was changed.
func Uninstall(p Place) (Change, error) {
	c := Change{Action: "absent", Hook: p.Hook()}
	sibling := filepath.Join(p.Dir, Sibling)
	if err := p.links("the guard was not installed through it; if the hook that it leads to calls agent-locks, take that out there"); err != nil {
		return c, err
	}
	found, err := look(c.Hook)
	if err != nil {
		return c, err
	}
	kept, err := look(sibling)
	if err != nil {
		return c, err
	}
	switch {
	case found.ours && p.foreign():
		return c, refuse(fmt.Sprintf("remove %q by hand if none of them is to have it", c.Hook), "%s", p.setting())
	case found.ours && found.edited:
		return c, edited(c.Hook)
	case found.ours && kept.exists:
		c.Action = "restored"
		if err := os.Rename(sibling, c.Hook); err != nil {
			return c, cannot("put back", c.Hook, err)
		}
	case found.ours:
		c.Action = "removed"
		if err := os.Remove(c.Hook); err != nil {
			return c, cannot("remove", c.Hook, err)
		}
	case kept.exists:
		c.Chained = sibling
		c.Note = "the hook is not ours (any more), so it stays; what it was before our installation is still kept beside it"
	}
	return c, nil
}

package remote

import (
	"context"
	"strings"
)

// An Answer is what came of a push.
type Answer int

const (
	NoAnswer Answer = iota // the remote may have taken it, or not: look
	Swapped                // it was taken, and the ref was what it had to be
	Rejected               // it was not: the ref has moved, or the host forbids it
)

// Push makes the ref lead to a commit if it still leads to old ("": to none).
// The words are git's and the host's where it was not swapped.
func (r *Repository) Push(ctx context.Context, old, commit string) (Answer, string) {
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no",
		"--force-with-lease=" + r.Ref + ":" + old, r.Remote, commit + ":" + r.Ref}
	out, err := r.run(ctx, call{dir: r.Root, environ: r.network, args: append(r.flags(), args...)})
	answer, why := judge(out.stdout, r.Ref, err == nil)
	if answer == Swapped {
		return Swapped, ""
	}
	said := words(why + "\n" + out.stderr)
	if err != nil && !exited(err) {
		said = words(err.Error() + "\n" + said)
	}
	return answer, said
}

// judge reads what git push --porcelain prints of a ref: a flag, from:to and a
// summary, between tabs. "=" is not a success: git says it where the ref leads to
// that very commit already, whatever the lease says.
func judge(stdout, ref string, ok bool) (Answer, string) {
	for line := range strings.Lines(stdout) {
		flag, rest, found := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		fromTo, summary, _ := strings.Cut(rest, "\t")
		if _, to, _ := strings.Cut(fromTo, ":"); !found || to != ref {
			continue
		}
		switch flag {
		case " ", "*", "+":
			if ok {
				return Swapped, ""
			}
		case "!":
			return Rejected, summary
		}
		return NoAnswer, summary
	}
	return NoAnswer, ""
}

package remote

import (
	"context"
	"slices"
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
	answer, words, _ := r.push(ctx, old, commit)
	return answer, words
}

// TryPush is Push up to the point where the host would be told to change the ref.
// That it leads to the commit already will do.
func (r *Repository) TryPush(ctx context.Context, old, commit string) (Answer, string) {
	answer, words, err := r.push(ctx, old, commit, "--dry-run")
	if err == nil && answer == NoAnswer {
		return Swapped, ""
	}
	return answer, words
}

func (r *Repository) push(ctx context.Context, old, commit string, more ...string) (Answer, string, error) {
	args := slices.Concat([]string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"},
		more, []string{"--force-with-lease=" + r.Ref + ":" + old, r.Remote, commit + ":" + r.Ref})
	out, err := r.run(ctx, call{dir: r.Root, environ: r.network, args: append(r.flags(), args...)})
	answer, why := judge(out.stdout, r.Ref, err == nil)
	if answer == Swapped {
		return Swapped, "", nil
	}
	said := words(why + "\n" + out.stderr)
	if err != nil && !exited(err) {
		said = words(err.Error() + "\n" + said)
	}
	return answer, said, err
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

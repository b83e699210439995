package remote

import (
	"context"
	"slices"
	"strings"
)

// An Answer is the result of a push.
type Answer int

const (
	NoAnswer Answer = iota // the remote may have accepted it or not: look
	Swapped                // accepted, and the ref was as expected
	Rejected               // not accepted: the ref has moved, or the host forbids it
)

// Push makes the ref point to commit if it still points to old, "" meaning that it does
// not exist. If it was not swapped, Push also returns what git and the host said.
func (r *Repository) Push(ctx context.Context, old, commit string) (Answer, string) {
	answer, words, _ := r.push(ctx, old, commit)
	return answer, words
}

// TryPush is like Push, but stops before the host is told to change the ref. It also
// succeeds if the ref points to the commit already.
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

// judge parses the output of git push --porcelain for the ref: a flag, from:to and a
// summary, separated by tabs. The flag "=" does not count as success: git prints it if
// the ref already points to that very commit, whatever the lease says.
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

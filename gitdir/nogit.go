package gitdir

const installGit = "install git, and see that it is on PATH"

// read stands in for git where no git program is installed.
func (r *Repo) read(environ []string) error {
	return &Error{Kind: ErrGitFailed, Message: "no git program on PATH", Hint: installGit}
}

package guard

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// A Status is whether git runs the guard from a place.
type Status struct {
	Runs   bool
	Edited bool   // our hook was edited since its installation, so nobody knows whether it runs
	Why    string // not, or why that is not known; "" where it runs
}

// StatusOf looks at the hook in a place. lookPath finds a program as the hook's
// shell does.
func StatusOf(p Place, lookPath func(string) (string, error)) Status {
	not := func(format string, args ...any) Status { return Status{Why: fmt.Sprintf(format, args...)} }
	if p.none() {
		return Status{Why: p.setting()}
	}
	found, err := through(p.Hook())
	switch {
	case err != nil:
		return Status{Why: err.Error()}
	case !found.exists:
		return not("there is no hook at %q", p.Hook())
	case found.edited: // ahead of whatever a new installation would mend, which it refuses here
		return Status{Edited: true, Why: fmt.Sprintf("%q was edited since it was installed, so what it does is not known", p.Hook())}
	case runtime.GOOS != "windows" && found.mode&0o111 == 0:
		return not("%q is not executable, so git passes it over", p.Hook())
	}
	if !found.ours {
		if callsGuard(found.text) || p.delegated(found.text) {
			return Status{Runs: true}
		}
		return not("the hook at %q is not ours and does not call agent-locks", p.Hook())
	}
	if _, err := lookPath("agent-locks"); err == nil {
		return Status{Runs: true}
	}
	program := Program(found.text)
	if _, err := exec.LookPath(program); err != nil || !filepath.IsAbs(program) {
		return not("agent-locks is neither on PATH nor at %q any more", program)
	}
	return Status{Runs: true}
}

// Installed reports whether somebody wanted the guard to run: there is a hook
// of it where git looks, or where git looks unless it is told otherwise.
func Installed(p Place, commonDir string) bool {
	for _, dir := range []string{p.Dir, filepath.Join(commonDir, "hooks")} {
		found, err := through(filepath.Join(dir, hookName))
		if err == nil && (found.ours || callsGuard(found.text) || p.delegated(found.text)) {
			return true
		}
	}
	return false
}

// through reads a hook as git runs it: where a symbolic link leads.
func through(path string) (file, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return look(path)
}

// What finds a call of the guard in a hook that somebody wrote, or in a
// tool's settings.
const (
	calls   = `(?m)^[^#\n]*agent-locks\S*\s+guard\s+check`
	listsID = `(?m)^[^#\n]*\bid:\s*['"]?agent-locks-guard\b`
)

func callsGuard(text string) bool { return regexp.MustCompile(calls).MatchString(text) }

// delegated reports whether a hook that a tool wrote runs the guard by way of
// the tool's own settings.
func (p Place) delegated(text string) bool {
	settings, want := "", calls
	switch {
	case strings.Contains(text, `/h"`): // husky, in .husky/_
		settings = filepath.Join(filepath.Dir(p.Dir), hookName)
	case strings.Contains(text, "pre-commit.com"):
		settings, want = filepath.Join(p.worktree, ".pre-commit-config.yaml"), listsID
	case strings.Contains(text, "lefthook"):
		settings = filepath.Join(p.worktree, "lefthook.yml")
	default:
		return false
	}
	said, err := os.ReadFile(settings)
	return err == nil && regexp.MustCompile(want).Match(said)
}

// Program is the path that one of our hooks has recorded; "" where it has none.
func Program(text string) string {
	m := regexp.MustCompile(`(?m)\|\| agent_locks='(.*)'$`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], `'\''`, "'")
}

// NotRunBy are the ways to make commits for which git runs no pre-commit hook.
func NotRunBy() []string {
	return []string{"rebase", "am", "cherry-pick without conflicts", "revert without conflicts", "merge without conflicts", "commit --no-verify"}
}

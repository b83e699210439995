package gitdir

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever the spelling, the config says here what it says to git.
func TestConfigReadsAsGitReadsIt(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":               "",
		"plain":               "[core]\n\tignorecase = true\n\tbare = false\n",
		"cases and comments":  "# c\n[CORE]\n\tIgnoreCase = YES ; c\n",
		"CRLF":                "[core]\r\n\tignorecase = on\r\n",
		"false words":         "[core]\n\tignorecase = off\n\tbare = 0\n",
		"numbers":             "[core]\n\tignorecase = 1k\n\tbare = 2\n",
		"key without a value": "[core]\n\tignorecase\n",
		"empty value":         "[core]\n\tignorecase =\n\tbare = true\n",
		"the last one wins":   "[core]\nignorecase = true\n[x]\ny = 1\n[core]\nignorecase = false\nbare = true\n",
		"a subsection":        "[core \"x\"]\n\tignorecase = true\n",
		"spaces in a value":   "[core]\n\tworktree = ../a  b  # c\n\tsharedRepository = group\n",
		"quoted":              "[core]\n\tworktree = \"../a # b \"\n",
		"byte order mark":     "\xef\xbb\xbf[core]\n\tignorecase = true\n",
		"dotted section":      "[branch.x]\n\tremote = o\n[core]\n\tignorecase = true\n",
		"on the header line":  "[core] ignorecase = true\n",
		"not UTF-8":           "[user]\n\tname = caf\xe9\n[core]\n\tignorecase = true\n",
		"odd escape":          "[x \"a\\nb\"]\n\tk = v\n[core]\n\tignorecase = true\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := t.TempDir()
			path := filepath.Join(common, "config")
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			ask := func(args ...string) string {
				cmd := exec.Command("git", append([]string{"config", "--file", path}, args...)...)
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
				out, _ := cmd.Output() // exit 1: not set
				return trimNewline(string(out))
			}
			want := config{
				worktree:   ask("--get", "core.worktree"),
				shared:     ask("--get", "core.sharedRepository"),
				ignoreCase: ask("--type=bool", "--get", "core.ignorecase") == "true",
				bare:       ask("--type=bool", "--get", "core.bare") == "true",
			}
			list := func(path string) ([]byte, error) {
				return exec.Command("git", "config", "--file", path, "--list", "-z").Output()
			}
			if got, err := readConfig(common, list); err != nil || got != want {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			// Without git: the same, or an error; never something else.
			if got, err := readConfig(common, nil); err == nil && got != want {
				t.Errorf("without git: %+v; want %+v", got, want)
			}
		})
	}
}

func TestConfigWorktreeCountsWhereEnabled(t *testing.T) {
	t.Parallel()
	for enabled, want := range map[string]config{
		"": {ignoreCase: true},
		"[extensions]\n\tworktreeConfig = true\n": {worktree: "/w", perWorktree: true},
	} {
		common := t.TempDir()
		for name, text := range map[string]string{
			"config":          "[core]\n\tignorecase = true\n" + enabled,
			"config.worktree": "[core]\n\tignorecase = false\n\tworktree = /w\n",
		} {
			if err := os.WriteFile(filepath.Join(common, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := readConfig(common, nil); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", enabled, got, err, want)
		}
	}
}

func TestUnreadableConfigIsAnError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no config":          "[core\n",
		"a key without text": "[core]\n\tignorecase\n",
	} {
		common := t.TempDir()
		path := filepath.Join(common, "config")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readConfig(common, nil); err == nil || !strings.Contains(err.Error(), "config") {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
	}
	common := t.TempDir()
	if err := os.Mkdir(filepath.Join(common, "config"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := readConfig(common, nil); err == nil {
		t.Error("a directory named config: no error")
	}
}

// git itself is the authority on which variables locate a repository.
func TestScrubbedVariablesAreGitsOwn(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(out)) {
		want := !strings.HasPrefix(name, "GIT_CONFIG")
		if got := locates(name + "=x"); got != want {
			t.Errorf("locates(%s) = %v, want %v", name, got, want)
		}
	}
	for _, entry := range []string{"PATH=/bin", "GIT_DIRECTORY=x", "GIT_SSH=x", "GIT_CEILING_DIRECTORIES=/", ""} {
		if locates(entry) {
			t.Errorf("locates(%q)", entry)
		}
	}
}

func TestParseTrustsOnlyWholeAnswers(t *testing.T) {
	t.Parallel()
	const id = "103dca098ec72cd4e752f52661731d64459dab8a"
	for out, want := range map[string]bool{
		".git\n.git\n/r\n\n" + id + "\nrefs/heads/main\n": true,
		".git\n.git\n/r\na /\n" + id + "\nHEAD\n":         true,
		".git\n.git\n/r\n\n" + id + "\n":                  false, // a question without an answer
		"/a\nb\n/a\nb\n/a\nb\n\n" + id + "\nHEAD\n":       false, // newlines in names
		"/a\nb\n.git\n/r\n\n" + id + "\n":                 false, // both, and so six lines
		".git\n.git\n/r\n\nHEAD\nrefs/heads/main\n":       false,
		"": false,
	} {
		if _, got := parse(out); got != want {
			t.Errorf("parse(%q) = %v, want %v", out, got, want)
		}
	}
}

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A transcript is a block of the pages that shows commands and what they print:
//
//	<!-- before: app$ agent-locks claim src -t Setup -->
//	```console
//	app$ agent-locks status
//	...
//	```
//
// The word before the $ is the worktree that the command runs in. What stands in
// the comment above is run as well, but not shown.
type transcript struct {
	page    string
	line    int
	before  []string
	entries []entry
}

type entry struct{ dir, command, output string }

var promptLine = regexp.MustCompile(`^([\w-]+)\$ (.*)$`)

// Each command of the pages is run as it stands there, and prints what it is
// said to print, except for times, ids of commits and the width of columns.
func TestPagesShowWhatHappens(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, name := range gittest.Some(1, append([]string{"README.md"}, pages...)) {
		for _, script := range gittest.Some(2, transcripts(t, name)) {
			ran++
			t.Run(script.page, func(t *testing.T) {
				t.Parallel()
				script.play(t)
			})
		}
	}
	if ran == 0 {
		t.Error("no page has a transcript")
	}
}

// The commands that the README has a newcomer type work for somebody who has used a
// client here.
func TestReadmeCommandsWork(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)\n```sh\n(.*?)```")
	script := transcript{page: "README.md", before: []string{"app$ mkdir ../.claude"}}
	for _, match := range block.FindAllStringSubmatch(page(t, "README.md"), -1) {
		for line := range strings.Lines(match[1]) {
			if strings.HasPrefix(line, "agent-locks ") {
				command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
				script.entries = append(script.entries, entry{"app", command + " >/dev/null && echo worked", "worked"})
			}
		}
	}
	if len(script.entries) < 2 {
		t.Fatalf("only %q were read", script.entries)
	}
	script.play(t)
}

// A command that a page mentions in passing exists, and takes these flags.
func TestPagesMentionCommandsThatExist(t *testing.T) {
	t.Parallel()
	mention := regexp.MustCompile("`(agent-locks [^`]+)`|(?m)^(agent-locks [^\n]*)$")
	for _, name := range []string{"README.md", "docs/clients.md", "docs/guard-and-hooks.md"} {
		found := mention.FindAllStringSubmatch(page(t, name), -1)
		if len(found) == 0 {
			t.Errorf("%s mentions no command", name)
		}
		for _, match := range gittest.Some(2, found) {
			command, _, _ := strings.Cut(match[1]+match[2], "#")
			command = strings.NewReplacer("<", "", ">", "", "...", "", "[", "", "]", "").Replace(command)
			command, _, _ = strings.Cut(command, " -- ")
			if out, err := exec.Command("sh", "-c", command+" --help").CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", name, match[0], err, out)
			}
		}
	}
}

func transcripts(t *testing.T, name string) (found []transcript) {
	setup := regexp.MustCompile(`^<!-- before: (.*) -->$`)
	var before []string
	inside := false
	for i, line := range strings.Split(page(t, name), "\n") {
		switch match := setup.FindStringSubmatch(line); {
		case match != nil:
			before = append(before, match[1])
		case line == "```console":
			found = append(found, transcript{page: name, line: i + 1, before: before})
			before, inside = nil, true
		case inside && line == "```":
			inside = false
		case inside:
			entries := &found[len(found)-1].entries
			if prompt := promptLine.FindStringSubmatch(line); prompt != nil {
				*entries = append(*entries, entry{dir: prompt[1], command: prompt[2]})
			} else if len(*entries) > 0 {
				(*entries)[len(*entries)-1].output += line + "\n"
			}
		}
	}
	return found
}

func (s transcript) play(t *testing.T) {
	home := t.TempDir()
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "AGENT_LOCKS_") || strings.HasPrefix(kv, "CLAUDE")
	})
	environ = append(environ, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME="+home, "TERM=dumb",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	run := func(dir, command string) string {
		shell := exec.Command("sh", "-c", command)
		shell.Dir, shell.Env = filepath.Join(home, dir), environ
		out, err := shell.CombinedOutput()
		if shell.ProcessState == nil {
			t.Fatalf("%s: %v", command, err)
		}
		return string(out)
	}
	made := map[string]bool{"app": true}
	run(".", `mkdir -p app/src/api app/src/web && cd app && git init -q && git symbolic-ref HEAD refs/heads/main &&
		echo 'export {}' | tee src/api/login.ts src/web/page.ts >README.md && git add . && git commit -q -m first`)
	in := func(dir string) string {
		if !made[dir] {
			run("app", "git worktree add -q -b "+dir+" ../"+dir)
			made[dir] = true
		}
		return dir
	}
	for _, hidden := range s.before {
		prompt := promptLine.FindStringSubmatch(hidden)
		if prompt == nil {
			t.Fatalf("%s:%d: %q has no prompt", s.page, s.line, hidden)
		}
		run(in(prompt[1]), prompt[2])
	}
	for _, e := range s.entries {
		got := steady(strings.ReplaceAll(run(in(e.dir), e.command), home, "/home/me/src"))
		if want := steady(e.output); got != want {
			t.Errorf("%s:%d: %s$ %s\nprints\n%s\nthe page says\n%s", s.page, s.line, e.dir, e.command, got, want)
		}
	}
}

// steady returns an output without what differs from run to run.
func steady(text string) string {
	for _, r := range []struct{ pattern, with string }{
		{`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d`, "STAMP"},
		{`\b(\d+[smhd]|just now|now)( ago)?\b`, "AGE"},
		{`@[a-z0-9]{8}\b|\([a-z0-9]{8}\)|\b[a-z0-9]{8}\.STAMP|\b[a-z0-9]{8}, "`, "CLONE"},
		{`\b[0-9a-f]{7,40}\b`, "COMMIT"},
		{`[ \t]+`, " "},
		{`(?m) $`, ""},
		{`\n\n+`, "\n"},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	return strings.TrimSpace(text)
}

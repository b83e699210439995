//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A trap is a place where repositories name programs in whatever setting git
// knows for it. Each leaves a mark when it is run.
type trap struct {
	*site
	dir   string
	marks string
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	x := &trap{site: &site{t: t, env: skillEnv()}, dir: dir, marks: filepath.Join(dir, "marks")}
	for _, name := range []string{"marks", "home"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	x.env = append(x.env, "HOME="+filepath.Join(dir, "home"), "CLAUDE_PROJECT_DIR=")
	return x
}

func (x *trap) put(name, text string, mode fs.FileMode) {
	x.t.Helper()
	path := filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		x.t.Fatal(err)
	}
}

// program is one that leaves a mark of that name.
func (x *trap) program(name string) string {
	x.put("bin/"+name, "#!/bin/sh\ntouch '"+x.marks+"/"+name+"'\n[ "+name+" != clean ] || cat\n", 0o755)
	return filepath.Join(x.dir, "bin", name)
}

// arm writes all those settings into the config of a git directory, and hooks
// beside it. Its content filters are called filter and filter.p.
func (x *trap) arm(gitDir, filter string) {
	x.t.Helper()
	var config strings.Builder // hundreds of git config would take seconds
	setting := func(key, value string) {
		section, rest, _ := strings.Cut(key, ".")
		dot := strings.LastIndex(rest, ".")
		if dot < 0 {
			fmt.Fprintf(&config, "[%s]\n\t%s = %q\n", section, rest, value)
		} else {
			fmt.Fprintf(&config, "[%s %q]\n\t%s = %q\n", section, rest[:dot], rest[dot+1:], value)
		}
	}
	set := func(key, name string) {
		value := x.program(name)
		if strings.HasPrefix(key, "alias.") {
			value = "!" + value
		}
		setting(key, value)
	}
	for _, key := range []string{
		"core.fsmonitor", "core.sshCommand", "core.editor", "core.pager", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
		"diff.external", "diff.x.command", "diff.x.textconv", "merge.x.driver", "gpg.program", "gpg.ssh.program", "gpg.x509.program",
		"gpg.ssh.defaultKeyCommand", "credential.helper", "uploadpack.packObjectsHook", "sequence.editor", "interactive.diffFilter",
		"remote.origin.uploadpack", "remote.origin.receivepack", "submodule.m.update", "tar.x.command", "trailer.x.command",
		"browser.x.cmd", "difftool.x.cmd", "mergetool.x.cmd", "man.x.cmd", "guitool.x.cmd", "sendemail.tocmd", "web.browser",
	} {
		set(key, key)
	}
	set("filter."+filter+".clean", "clean")
	set("filter."+filter+".smudge", "smudge")
	set("filter."+filter+".p.process", "process") // a name with a dot in it
	for _, command := range []string{"status", "diff", "log", "config", "rev-parse", "cat-file", "symbolic-ref", "version", "hook", "rev-list", "worktree"} {
		set("alias."+command, "alias."+command)
		set("pager."+command, "pager."+command)
	}
	for _, s := range [][2]string{
		{"core.hooksPath", filepath.Join(gitDir, "armed")}, {"log.showSignature", "true"}, {"diff.x.binary", "true"}, {"diff.x.cachetextconv", "true"},
		{"filter." + filter + ".required", "true"}, {"filter." + filter + ".p.required", "true"}, {"diff.submodule", "log"}, {"status.submoduleSummary", "true"},
		{"submodule.recurse", "true"}, {"protocol.allow", "always"}, {"protocol.ext.allow", "always"},
		{"remote.origin.url", "ext::" + x.program("fetch")}, {"remote.origin.promisor", "true"}, {"remote.origin.partialclonefilter", "tree:0"},
		{"extensions.partialClone", "origin"}, {"core.repositoryformatversion", "1"}, {"gc.auto", "1"}, {"core.untrackedCache", "true"},
	} {
		setting(s[0], s[1])
	}
	x.add(filepath.Join(gitDir, "config"), config.String())
	for _, hook := range []string{"pre-commit", "post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite", "fsmonitor-watchman"} {
		for _, dir := range []string{"armed", "hooks"} {
			path := filepath.Join(gitDir, dir, hook)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				x.t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("#!/bin/sh\nexec "+x.program("hook-"+hook)+"\n"), 0o755); err != nil {
				x.t.Fatal(err)
			}
		}
	}
}

// add adds text to the end of a file.
func (x *trap) add(path, text string) {
	x.t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		x.t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		x.t.Fatal(err)
	}
}

// marked are the marks that were left since the last time.
func (x *trap) marked() []string {
	x.t.Helper()
	entries, err := os.ReadDir(x.marks)
	if err != nil {
		x.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if err := os.Remove(filepath.Join(x.marks, e.Name())); err != nil {
			x.t.Fatal(err)
		}
	}
	return names
}

const trapLock = "2026-07-17T18-45-12-trap"

// lockText is a lock that says of a file whatever the trap's author wants.
func lockText(scope, head string) string {
	return "---\nid: " + trapLock + "\nagent_id: them\nparent_agent_id: null\nstatus: active\ncreated: 2026-07-17T18-45-12\nupdated: 2026-07-17T18-45-12\nscope:\n  - " +
		scope + "\nworktree_name: .\nhead: " + head + "\nbranch: main\nlease_minutes: 43200000\n---\n\n# Trap\n\n- [ ] task\n"
}

// commands are one run, or several, of every command; FILE is a file of the
// repository and BASE what is put before the arguments.
func commands(file string) map[string][][]string {
	return map[string][][]string{
		"check":      {{"check", "a", file}},
		"claim":      {{"claim", "--title", "t", "--scope", "a"}, {"claim", "--title", "u", "--scope", "b", "--if-free"}},
		"completion": {{"completion", "bash"}},
		"demo":       {{"version"}}, // it works in a repository of its own
		"doctor":     {{"doctor"}, {"doctor", "--fix"}},
		"drift":      {{"drift"}, {"drift", trapLock}},
		"forecast":   {{"forecast"}, {"forecast", "--all", "a"}, {"forecast", "--against", "HEAD"}},
		"finish":     {{"finish", trapLock, "--force"}},
		"guard":      {{"guard", "check"}, {"guard", "check", "--stdin"}, {"guard", "status"}, {"guard", "install"}, {"guard", "uninstall"}},
		"heartbeat":  {{"heartbeat", trapLock}},
		"hook":       {{"hook", "claude", "session-start"}, {"hook", "claude", "pre-tool-use"}, {"hook", "claude", "post-tool-use"}, {"hook", "claude", "session-end"}},
		"list":       {{"list", "--status", "all"}},
		"log":        {{"log"}},
		"prune":      {{"prune", "--older-than", "1d"}},
		"reap":       {{"reap", "--dry-run"}},
		"reopen":     {{"reopen", trapLock, "--reason", "r"}},
		"serve":      {{"serve"}},
		"setup":      {{"setup", "claude", "--print"}},
		"show":       {{"show", trapLock}},
		"status":     {{"status"}},
		"update":     {{"update", trapLock, "--note", "n"}},
		"version":    {{"version"}},
		"wait":       {{"wait", "free", "--timeout", "1"}},
	}
}

// everything runs each command and each tool where somebody stands, with
// base as its base directory if it is not empty, and returns what each said.
func (x *trap) everything(cwd, base, file string) map[string]string {
	x.t.Helper()
	said := map[string]string{}
	all := commands(filepath.Base(file))
	help, _ := x.run(cwd, "agent-locks", "--help")
	for _, m := range regexp.MustCompile(`(?m)^  ([a-z]+) {2,}[a-z]`).FindAllStringSubmatch(between(help, "Commands:", "Flags:"), -1) {
		if all[m[1]] == nil {
			x.t.Errorf("the command %s is not tried", m[1])
		}
	}
	event, err := json.Marshal(map[string]any{"session_id": "0b9d2c1e-aaaa", "cwd": cwd, "tool_name": "Edit", "tool_input": map[string]string{"file_path": file}})
	if err != nil {
		x.t.Fatal(err)
	}
	finish := all["finish"]
	delete(all, "finish")
	for _, command := range append(slices.Sorted(maps.Keys(all)), "") {
		runs := all[command]
		if command == "" {
			runs = finish // which leaves nothing to ask about
		}
		for _, args := range runs {
			stdin := string(event)
			switch {
			case args[0] == "serve":
				stdin = x.toolCalls(base)
			case slices.Contains(args, "--stdin"):
				stdin = filepath.Base(file) + "\x00"
			}
			if args[0] != "serve" && base != "" && args[0] != "hook" {
				args = append([]string{"--base-dir", base}, args...)
			}
			said[strings.Join(args, " ")], _ = x.fed(cwd, stdin, args...)
		}
	}
	return said
}

// fed runs agent-locks with something on its standard input.
func (x *trap) fed(cwd, stdin string, args ...string) (out string, code int) {
	x.t.Helper()
	cmd := exec.Command("agent-locks", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = cwd, x.env, strings.NewReader(stdin)
	said, _ := cmd.CombinedOutput() // some refuse, which is their answer
	if cmd.ProcessState == nil {
		x.t.Fatalf("agent-locks %q did not start", args)
	}
	return string(said), cmd.ProcessState.ExitCode()
}

func between(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return text
}

// toolCalls are a session that calls each tool once.
func (x *trap) toolCalls(base string) string {
	x.t.Helper()
	list, _ := x.fed(x.dir, initialize+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n", "serve")
	names := slices.Compact(regexp.MustCompile(`"name":"lock_[a-z_]+"`).FindAllString(list, -1))
	if len(names) < 10 {
		x.t.Fatalf("tools: %q", names)
	}
	var lines strings.Builder
	lines.WriteString(initialize + "\n")
	for i, name := range names {
		arguments := map[string]any{}
		if base != "" {
			arguments["base_dir"] = base
		}
		switch {
		case strings.Contains(name, "create"):
			arguments["title"], arguments["scope"] = "t", "c"
		case strings.Contains(name, "check") || strings.Contains(name, "wait"):
			arguments["scope"] = "free"
		case strings.Contains(name, "query") || strings.Contains(name, "history") || strings.Contains(name, "reap"):
		default:
			arguments["lock_id"] = trapLock
		}
		if strings.Contains(name, "wait") {
			arguments["timeout_seconds"] = 1
		}
		if strings.Contains(name, "update") {
			arguments["note"] = "n"
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			x.t.Fatal(err)
		}
		fmt.Fprintf(&lines, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s,"arguments":%s}}`+"\n", 10+i, name, text)
	}
	return lines.String()
}

// plant makes a repository in a directory that is armed and has something to
// lose: files that differ from HEAD, a commit with a signature, locks.
func (x *trap) plant(dir, gitDir string) {
	x.t.Helper()
	at := filepath.Join(x.dir, dir)
	git := filepath.Join(at, gitDir)
	for _, file := range []string{"file", "file.p", "other"} {
		x.put(filepath.Join(dir, file), "one\n", 0o644)
	}
	if gitDir == "." {
		x.git(x.dir, "init", "-q", "--bare", "-b", "main", at)
	} else {
		x.git(x.dir, "init", "-q", "-b", "main", at)
	}
	run := func(args ...string) string {
		return x.git(at, append([]string{"--git-dir=" + git, "--work-tree=" + at}, args...)...)
	}
	run("add", "file", "file.p", "other")
	run("commit", "-q", "-m", "one")
	header, message, _ := strings.Cut(run("cat-file", "commit", "HEAD"), "\n\n")
	x.put("object", header+"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n"+message+"\n", 0o644)
	run("update-ref", "HEAD", run("hash-object", "-t", "commit", "-w", filepath.Join(x.dir, "object")))
	filter := filepath.Base(dir) // a submodule's is another one
	x.put(filepath.Join(dir, ".gitattributes"), "* filter="+filter+" diff=x merge=x\n*.p filter="+filter+".p\n", 0o644)
	for _, file := range []string{"file", "file.p"} { // of the same size, so that git must read them
		x.put(filepath.Join(dir, file), "two\n", 0o644)
	}
	x.put(filepath.Join(dir, gitDir, "refs", "keep"), "", 0o644)
	x.put(filepath.Join(dir, gitDir, "agents-locks", trapLock+".md"), lockText("nothing", strings.Repeat("1", 40)), 0o644)
	x.arm(git, filter)
}

// tree is a directory's files with their contents, as one text.
func (x *trap) tree(dir string) string {
	x.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %x\n", path, text)
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	return b.String()
}

func (x *trap) oldest(at string) string { return x.plumb(at, "rev-list", "--max-parents=0", "HEAD") }

// plumb runs a git that obeys none of the settings.
func (x *trap) plumb(at string, args ...string) string {
	x.t.Helper()
	config := filepath.Join(at, ".git", "config")
	armed, err := os.ReadFile(config)
	if err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[core]\n\tbare = false\n"), 0o644); err != nil {
		x.t.Fatal(err)
	}
	out := x.git(at, append([]string{"-c", "core.hooksPath=/dev/null"}, args...)...)
	if err := os.WriteFile(config, armed, 0o644); err != nil {
		x.t.Fatal(err)
	}
	return out
}

func (x *trap) lock(at, head string) {
	x.t.Helper()
	x.plumb(at, "commit", "-q", "--allow-empty", "-m", "later")
	path := filepath.Join(at, ".git", "agents-locks", trapLock+".md")
	if err := os.WriteFile(path, []byte(lockText("nothing", head)), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// merging leaves a merge of two histories under way.
func (x *trap) merging(at string) {
	x.t.Helper()
	other := x.plumb(at, "commit-tree", "-p", "HEAD", "-m", "other", x.plumb(at, "mktree"))
	if err := os.WriteFile(filepath.Join(at, ".git", "MERGE_HEAD"), []byte(other+"\n"), 0o644); err != nil {
		x.t.Fatal(err)
	}
}

// nest adds a submodule that is armed as well.
func (x *trap) nest(at string) {
	x.t.Helper()
	rel, err := filepath.Rel(x.dir, filepath.Join(at, "m"))
	if err != nil {
		x.t.Fatal(err)
	}
	x.plant(rel, ".git")
	x.plumb(at, "-c", "advice.addEmbeddedRepo=false", "add", "m")
	x.plumb(at, "commit", "-q", "-m", "nested")
}

// lose removes the tree of HEAD, which a partial clone would fetch, and makes
// git need it.
func (x *trap) lose(at string) {
	x.t.Helper()
	tree := x.plumb(at, "rev-parse", "HEAD^{tree}")
	if err := os.Remove(filepath.Join(at, ".git", "objects", tree[:2], tree[2:])); err != nil {
		x.t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(at, ".git", "index")); err != nil {
		x.t.Fatal(err)
	}
}

package guard

import (
	"os/exec"
	"strings"
	"testing"
)

func TestABlockComesOutAsItWentIn(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"", "x", "x\n", "#!/bin/sh", "#!/bin/sh\n", "#!/bin/sh\n\n", "#!/bin/sh\nx", "#!/bin/sh\r\nx\r\n", "#!/usr/bin/env bash\n# \xff\nx\n",
		"\ufeff#!/bin/sh\nx\n", "\n#!/bin/sh\n", "#!/bin/sh\r", strings.Repeat("x\n", 1<<20),
	} {
		for _, b := range []block{{kind: added, program: "/usr/bin/agent-locks"}, {kind: added, program: "/it's/agent\\nlocks"}} {
			with := insert(script, b)
			p := split(with)
			if !p.found || p.edited || p.late || p.kind != added || p.program() != b.program {
				t.Errorf("%.40q: found %v, edited %v, late %v, kind %q, program %q", script, p.found, p.edited, p.late, p.kind, p.program())
			}
			if got := p.rest(); got != script {
				t.Errorf("%.40q came out as %.40q", script, got)
			}
			if p.with(b) != with {
				t.Errorf("%.40q: put in again, it differs: %q", script, p.with(b))
			}
			if twice := p.with(block{kind: added, program: "/other"}); split(twice).rest() != script || split(twice).program() != "/other" {
				t.Errorf("%.40q: another program's block is %q", script, twice)
			}
		}
	}
}

func TestABlockKnowsItself(t *testing.T) {
	t.Parallel()
	for _, b := range []block{{kind: whole, program: "/usr/bin/agent-locks"}, {kind: chain, program: "/it's", before: "pre-commit.legacy"}} {
		text := b.script()
		if p := split(text); !p.found || p.edited || p.late || !p.empty() || p.kind != b.kind || b.before != "" && p.before() != b.before {
			t.Errorf("%+v:\n%s", p, text)
		}
		for _, change := range []string{
			strings.Replace(text, "exit $code", "exit 0", 1), strings.ReplaceAll(text, "\n", "\n\n"), strings.ReplaceAll(text, "\n", "\r\n"),
			strings.Replace(text, blockEnd, "", 1), text + text, strings.Replace(text, "("+string(b.kind), "(added", 1),
		} {
			if p := split(change); !p.found || !p.edited {
				t.Errorf("found %v, edited %v after a change:\n%s", p.found, p.edited, change)
			}
		}
		for _, shell := range []string{"sh", "bash", "dash", "busybox", "ksh", "mksh", "zsh", "yash"} {
			args := []string{"-n", "-c", text}
			if shell == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			if path, err := exec.LookPath(shell); err == nil {
				if out, err := exec.Command(path, args...).CombinedOutput(); err != nil {
					t.Errorf("%s: %v: %s\n%s", shell, err, out, text)
				}
			}
		}
	}
	// What is added below ours runs, and is the user's; but not below an exec.
	if p := split(block{kind: whole}.script() + "echo more\n"); p.edited || p.empty() || p.rest() != shebang+"echo more\n" {
		t.Errorf("with a line below: %+v", p)
	}
	if p := split(block{kind: chain, before: hookName}.script() + "echo more\n"); !p.edited {
		t.Errorf("with a line that never runs: %+v", p)
	}
	if p := split(strings.Replace(block{kind: whole}.script(), shebang, shebang+"exit 0\n", 1)); p.edited || !p.late {
		t.Errorf("with a line above: %+v", p)
	}
	for _, foreign := range []string{"", "#!/bin/sh\n", "#!/bin/sh\nagent-locks guard check\n"} {
		if split(foreign).found {
			t.Errorf("taken for ours: %q", foreign)
		}
	}
}

func TestWhatTakesABlock(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"":                                           true,
		"echo $0\n":                                  true,
		"#!/bin/sh\n. \"${0%/*}/h\"\n":               true,
		"#!/bin/sh -e\r\necho $0\r\n":                true,
		"#! /usr/bin/env bash\necho $0":              true,
		"#!/usr/bin/env -S A=b bash -e\necho":        true,
		"#!/bin/busybox sh\necho":                    true,
		"#!/bin/zsh\necho $0\n":                      true,
		"#!/bin/bash\nrun \"${BASH_SOURCE[0]}\".d/*": true,
		"#!/bin/sh\ncd \"$(dirname \"$0\")\"; exec \"$(dirname \"$0\")/x\" \"$@\"\n": true,
		"#!/bin/sh\nexec \"$0.d/x\"\n":                    true,
		"#!/bin/sh\n# tail \"$0\"\n":                      true,
		"#!/usr/bin/env python3\nimport sys\n":            false,
		"#!/usr/bin/env node\n":                           false,
		"#!/usr/bin/fish\n":                               false,
		"#!/usr/bin/env nix-shell\n#!nix-shell -i bash\n": false,
		"#!\n":                                   false,
		"\x7fELF\x00\x00$0":                      false,
		"#!/bin/sh\ntail -n +3 \"$0\" | tar x\n": false,
		"#!/bin/sh\n':' //; exec \"$(command -v node)\" \"$0\" \"$@\"\n": false,
		"#!/bin/bash\nsed 1,5d ${BASH_SOURCE[0]}\n":                      false,
		"#!/bin/sh\nread x < $0\n":                                       false,
		"me=$0; sed -n 4p \"$me\"\n":                                     false,
		"[ $LINENO -eq 2 ] || exit 1\n":                                  false,
		"me=$(readlink -f \"$0\"); sed -n 3p \"$me\"\n":                  false,
		"cat \"$(dirname \"$0\")/$(basename \"$0\")\"\n":                 false,
		"cat \"$(dirname \"$0\")/pre-commit\"\n":                         false,
		"cd \"${0%/*}\" && sed -n 3p pre-commit\n":                       false,
		"cat \"$(dirname \"$0\")\"/pre-c*\n":                             false,
		"cat \"$(dirname \"$0\")\"/*\n":                                  false,
		"for f in \"$(dirname \"$0\")\"/*.sh; do . \"$f\"; done\n":       true,
		"echo \"$0\" | xargs sed -n 3p\n":                                false,
		"me=$(echo $0); sed -n 3p $me\n":                                 false,
		"echo \"$(sed -n 3p \"$0\")\"\n":                                 false,
		"x() { caller; }; x\n":                                           false,
		"tr '\\0' '\\n' < /proc/$$/cmdline\n":                            false,
		"git diff | awk -F',' '{ if (length($0) > 80) exit 1 }'\n":       true,
		"echo \"usage: $0 [-x]\" >&2\n":                                  true,
		"[ \"$0\" = x ] || case \"$0\" in *y) ;; esac\n":                 true,
		"if [[ \"${BASH_SOURCE[0]}\" == \"${0}\" ]]; then main; fi\n":    true,
		". \"$(dirname \"$(readlink -f \"$0\")\")/lib.sh\"\n":            true,
		"echo \"$(basename \"$0\"): no\"\n":                              true,
		"for f in \"$(dirname \"$0\")/$(basename \"$0\").d\"/*; do :\n":  true,
	} {
		if got := takesBlock(text); got != want {
			t.Errorf("takesBlock(%q) = %v", text, got)
		}
	}
}

func TestWhatFindsItselfAmongTheHooks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"sed -n 3p \"$(git rev-parse --git-path hooks)/pre-commit\"\n":         true,
		"sed -n 3p $(git rev-parse --git-path hooks/pre-commit)\n":             true,
		"d=$(git rev-parse --git-path hooks); cat $d/*\n":                      true,
		"sed -n 3p \"$(git rev-parse --git-dir)/hooks/pre-commit\"\n":          true,
		"sed -n 3p .git/hooks/pre-commit\n":                                    true,
		"sed -n 3p \"$GIT_DIR\"/hooks/pre-commit\n":                            true,
		"sed -n 3p \"${GIT_DIR}/hooks/$name\"\n":                               true,
		"cat .git/hooks/pre-*\n":                                               true,
		"cd .git/hooks; cat pre-commit\n":                                      true,
		"cd .git; cat hooks/pre-commit\n":                                      true,
		"cat $(git config core.hooksPath)/pre-commit\n":                        true,
		"open(os.path.join(d, 'hooks', 'pre-commit'))\n":                       true,
		"echo to skip this, remove .git/hooks/pre-commit\n":                    false,
		"[[ $_ != $0 ]] || exit 1\n":                                           true,
		"#!/usr/bin/perl\nwhile (<STDIN>) { print $_ }\n":                      false,
		"# see .git/hooks/pre-commit\necho running the pre-commit hooks\n":     false,
		"run-parts .git/hooks/pre-commit.d\n":                                  false,
		". \"$(git rev-parse --git-dir)/hooks/lib.sh\"\n":                      false,
		"exec \"$(git rev-parse --show-toplevel)/scripts/hooks/pre-commit\"\n": false,
		"exec .githooks/pre-commit; exec .husky/pre-commit\n":                  false,
		"echo \"hooks: https://example.invalid/hooks/\"\n":                     false,
	} {
		if got := findsItself(file{path: "/r/.git/hooks/pre-commit", text: text}); got != want {
			t.Errorf("findsItself(%q) = %v", text, got)
		}
	}
	if !findsItself(file{path: "/r/.githooks/pre-commit", text: "cat .githooks/pre-commit\n"}) {
		t.Error("not found in a directory of another name")
	}
}

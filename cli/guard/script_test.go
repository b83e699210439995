package guard

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestScriptKnowsItself(t *testing.T) {
	t.Parallel()
	for _, s := range []Script{
		{Program: "/usr/bin/agent-locks"},
		{Program: "/it's/agent locks", Chain: []string{`"$AGENT_LOCKS_CHAINED"`}},
	} {
		text := s.Text()
		if ours, edited := Ours(text); !ours || edited {
			t.Errorf("ours %v, edited %v:\n%s", ours, edited, text)
		}
		if got := Program(text); got != s.Program {
			t.Errorf("program %q, want %q", got, s.Program)
		}
		for _, change := range []string{text + "echo more\n", strings.Replace(text, "exit $status", "exit 0", 1), "\ufeff" + text, strings.ReplaceAll(text, "\n", "\n\n")} {
			if ours, edited := Ours(change); !ours || !edited {
				t.Errorf("ours %v, edited %v after a change:\n%s", ours, edited, change)
			}
		}
		if sh, err := exec.LookPath("sh"); err == nil {
			if out, err := exec.Command(sh, "-n", "-c", text).CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, out, text)
			}
		}
	}
	for _, foreign := range []string{"", "#!/bin/sh\n", "#!/bin/sh\nagent-locks guard check\n"} {
		if ours, _ := Ours(foreign); ours {
			t.Errorf("taken for ours: %q", foreign)
		}
	}
}

func TestChain(t *testing.T) {
	t.Parallel()
	run := []string{`"$AGENT_LOCKS_CHAINED"`}
	source := func(words ...string) []string {
		return append(words, "-c", `'. "$AGENT_LOCKS_CHAINED"'`, `"$0"`)
	}
	for text, want := range map[string][]string{
		"":                                       run,
		"#!/bin/sh\necho\n":                      run,
		"#!/bin/sh\n. \"${0%/*}/h\"\n":           source("'/bin/sh'"),
		"echo $0\n":                              source("'/bin/sh'"),
		"#!/bin/sh -e\r\necho $0\r\n":            source("'/bin/sh'", "'-e'"),
		"#! /usr/bin/env bash\necho $0":          source("'/usr/bin/env'", "'bash'"),
		"#!/usr/bin/env -S A=b bash -e\necho $0": source("'/usr/bin/env'", "'-S A=b bash -e'"),
		"#!/bin/bash\n[[ $0 = \"${BASH_SOURCE[0]}\" ]] && main": run,
		"#!/usr/bin/env python3\nimport sys; print('$0')\n":     run,
		"#!/usr/bin/perl\nprint $0;\n":                          run,
		"#!/bin/zsh\necho $0\n":                                 run,
		"\x7fELF\x00\x00$0":                                     run,
		"#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"":          source("'/usr/bin/env'", "'sh'"),
	} {
		if got := chain(text); !slices.Equal(got, want) {
			t.Errorf("chain(%q) = %q, want %q", text, got, want)
		}
	}
}

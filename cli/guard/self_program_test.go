package guard

import "testing"

// Each word by which a program may find its place is one, and what only looks
// like one is none.
func TestWordsByWhichAProgramSeesItsPlace(t *testing.T) {
	t.Parallel()
	for first, lines := range map[string]struct{ sees, blind []string }{
		"#!/usr/bin/env python3\n": {
			sees: []string{"open(__file__)", "x = __spec__", "__import__('x')", "import __main__", "import sys; sys.argv[0]",
				"sys . path", "from sys import path", "import importlib", "import runpy", "import pkgutil", "import zipimport",
				"import inspect", "import traceback", "f.f_code", "try: pass\nexcept ImportError: pass",
				"except ModuleNotFoundError: pass", "try:\n    import x\n", "if 1: import x", "open('/proc/self/cmdline')"},
			blind: []string{"import os\nos.system('make')", "import sys\nsys.exit(0)", "sys.argv[1:]"},
		},
		"#!/usr/bin/perl\n": {
			sees:  []string{"open F, $0", "print ${main::0}", "use English; $PROGRAM_NAME", "__FILE__", "use FindBin", "caller"},
			blind: []string{"exit 0", "print $ARGV[0]", "$x{10}"},
		},
		"#!/usr/bin/env node\n": {
			sees: []string{"__dirname", "__filename", "process.argv[1]", "import.meta.url", "module.paths", "createRequire",
				"new Error().stack", "require('./x')", "await import('x')", "import x from 'x'", "read('../x')"},
			blind: []string{"const fs = require('fs')", "import fs from 'node:fs'", "process.exit(0)"},
		},
		"#!/bin/bash\n": {
			sees:  []string{"cat $0", "cat ${BASH_SOURCE[0]}", "echo $LINENO", "ps -o args", "ps -p $$", "cat /proc/$$/cmdline", "caller"},
			blind: []string{"make", "# $0", "ps -e"},
		},
	} {
		for _, line := range lines.sees {
			if word, known := seesItsPlace(first + line + "\n"); word == "" || !known {
				t.Errorf("%s%s: %q, %v", first, line, word, known)
			}
		}
		for _, line := range lines.blind {
			if word, known := seesItsPlace(first + line + "\n"); word != "" || !known {
				t.Errorf("%s%s: %q, %v", first, line, word, known)
			}
		}
	}
	for _, text := range []string{"#!/usr/bin/lua\n", "#!/bin/sh\n\x00", "#!/usr/bin/python3 -m x\n"} {
		if word, known := seesItsPlace(text); known {
			t.Errorf("%q: %q", text, word)
		}
	}
}

#!/usr/bin/env node
// Starts the program that npm installed for this system, and is as good as that
// program: the same streams, signals and exit status.
'use strict';

const fs = require('fs');

const windows = process.platform === 'win32';
const name = `@agent-locks/${process.platform}-${process.arch}`;

function fail(message, hint) {
  process.stderr.write(`agent-locks: ${message}\n${hint}\n`);
  process.exit(1);
}

function find() {
  const { optionalDependencies: builds } = require('../package.json');
  if (!(name in builds)) {
    fail(`there is no build for "${process.platform}-${process.arch}"`,
      'build it from source, with Go: go install github.com/agent-locks/agent-locks@latest');
  }
  try {
    return require.resolve(`${name}/bin/agent-locks${windows ? '.exe' : ''}`);
  } catch {
    fail(`the package "${name}", which has the program, is not installed`,
      'install again, on this system and with optional dependencies: npm install --include=optional agent-locks');
  }
}

// become replaces this process by the program, where Node can (22.15 and later).
function become(program, args) {
  if (windows || !process.execve) return;
  try {
    fs.accessSync(program, fs.constants.X_OK);
  } catch {
    return; // execve would end us without a word that helps
  }
  process.execve(program, [program, ...args], process.env);
}

function start(program, args) {
  let child;
  // A terminal sends all but SIGTERM to the program as well. So may others, to the
  // process group; there the program takes two in a row for one.
  const terminal = [0, 1, 2].some(require('tty').isatty);
  // Before the start: a signal right after it would end us and leave the program.
  for (const signal of windows ? ['SIGINT', 'SIGHUP', 'SIGTERM'] : ['SIGINT', 'SIGHUP', 'SIGTERM', 'SIGQUIT']) {
    process.on(signal, () => {
      if (!terminal || signal === 'SIGTERM') child.kill(signal);
    });
  }
  child = require('child_process').spawn(program, args, { stdio: 'inherit' });
  child.on('error', (err) => fail(`cannot start "${program}": ${err.message}`, 'install agent-locks again'));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

const program = find();
const args = process.argv.slice(2);
become(program, args);
start(program, args);

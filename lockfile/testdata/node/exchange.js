// Reads {"read": [file, ...], "write": [{data, content}, ...]} on stdin and
// answers {"read": [{matter, yaml4}, ...], "written": [file, ...]}.
'use strict';

const matter = require('gray-matter');
const yaml4 = require('js-yaml');

// JSON has no dates and no infinity: whatever is no text, list or null is named.
function typed(v) {
  if (v === null || typeof v === 'string') return v;
  if (Array.isArray(v)) return v.map(typed);
  if (Object.prototype.toString.call(v) === '[object Object]') {
    return Object.fromEntries(Object.entries(v).map(([k, w]) => [k, typed(w)]));
  }
  return { 'not a text': `${Object.prototype.toString.call(v)} ${v}` };
}

function attempt(f) {
  try { return typed(f()); } catch (e) { return { fails: String(e) }; }
}

const asked = JSON.parse(require('fs').readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify({
  read: asked.read.map(file => ({
    matter: attempt(() => matter(file, {}).data),
    yaml4: attempt(() => yaml4.load(matter(file, {}).matter)),
  })),
  written: asked.write.map(({ data, content }) => matter.stringify(content, data)),
}));

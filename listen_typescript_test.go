package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What a user of the TypeScript SDK writes: a session over HTTP that claims, waits
// with reports of its progress, cancels, and ends.
const typescriptClient = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token] = process.argv.slice(2);
const connect = async () => {
  const client = new Client({ name: 'typescript', version: '0' });
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: 'Bearer ' + token } } });
  await client.connect(transport);
  return [client, transport];
};
const [client, transport] = await connect();
const call = async (name, args, options) => {
  const r = await client.callTool({ name, arguments: args }, undefined, options);
  return [!!r.isError, r.content[0].text];
};
const say = (what, value) => console.log(what + ' ' + JSON.stringify(value));

say('tools', (await client.listTools()).tools.some((t) => t.name === 'lock_create'));
const [, made] = await call('lock_create', { title: 'Mine', scope: ['ts/**'], agent_id: 'ts' });
const id = JSON.parse(made).id;
say('claimed', id !== undefined);
say('refused', (await call('lock_create', { title: 'Other', scope: ['ts/x'], agent_id: 'other', if_free: true }))[0]);

let reports = 0;
const waiting = call('lock_create', { title: 'Next', scope: ['ts/x'], agent_id: 'next', wait_seconds: 50 }, { onprogress: () => { reports++; } });
while (reports === 0) await new Promise((done) => setTimeout(done, 20));

const abort = new AbortController();
const given = call('lock_create', { title: 'Cancelled', scope: ['ts/x'], agent_id: 'gone', wait_seconds: 50 }, { signal: abort.signal });
given.catch(() => {});
await new Promise((done) => setTimeout(done, 300));
abort.abort('enough');
say('cancelled', await given.then(() => false, () => true));

await call('lock_finish', { lock_id: id, agent_id: 'ts' });
const [failed, text] = await waiting;
say('waited', !failed && JSON.parse(text).id !== undefined);
await new Promise((done) => setTimeout(done, 300));
await call('lock_finish', { lock_id: JSON.parse(text).id, agent_id: 'next' });
await new Promise((done) => setTimeout(done, 300));
say('left', JSON.parse((await call('lock_query', {}))[1]).length);
await transport.terminateSession();
await client.close();

try {
  await new Client({ name: 'typescript', version: '0' }).connect(new StreamableHTTPClientTransport(new URL(url)));
  say('without', 'a session');
} catch (e) {
  say('without', /401|[Uu]nauthorized|token/.test(String(e)));
}
`

func TestListenerServesTheTypeScriptSDK(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is installed from npm")
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, "@modelcontextprotocol/sdk@1")
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install the SDK: %v: %s", err, out)
	}
	script := filepath.Join(dir, "client.mjs")
	if err := os.WriteFile(script, []byte(typescriptClient), 0o666); err != nil {
		t.Fatal(err)
	}
	l := listening(t)
	out, err := exec.CommandContext(ctx, "node", script, l.url, testToken).CombinedOutput()
	const want = "tools true\nclaimed true\nrefused true\ncancelled true\nwaited true\nleft 0\nwithout true\n"
	if err != nil || string(out) != want {
		t.Errorf("%v:\n%s\n%s", err, out, l.log())
	}
	if strings.Contains(l.shell("list", "--json", "--status", "all"), "Cancelled") {
		t.Error("what was cancelled was granted")
	}
}

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedFolder, removeFolders } from '../../integration/process/temporary-folders.js';
import { running } from '../../support/running.js';
import { eventually } from '../../support/eventually.js';
import { fencedBlocks } from '../../support/documents/markdown.js';
import { runInShell, ROOT, StartedCommand } from '../../support/programs/shell.js';
import { WebhookReceiver } from '../../world/receiver.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const page = ['configuration', 'backup'].map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8')).join('\n');
const original = closedFolder();
const backup = join(closedFolder(), 'backup');
const copy = closedFolder();

/** The code block of the docs that contains this text, with the folders of this test. */
function block(words: string): string {
  const found = fencedBlocks(page).find(({ language, code }) => language === 'bash' && code.includes(words));
  if (!found) throw new Error(`the docs have no block with ${words}`);
  return found.code
    .replaceAll('/var/lib/namewatch-all', original)
    .replaceAll('/var/backups/namewatch-data', backup)
    .replaceAll('/var/lib/namewatch-restored', copy);
}

const receiver = running(() => WebhookReceiver.startTrusted());
let settings: Record<string, string>;
beforeAll(() => {
  const quiet = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'warn', LOG_FORMAT: 'pretty', PORT: '0' };
  settings = { ...quiet, ...receiver.settings, DATA_DIR: original };
});
afterAll(() => removeFolders());

async function call({ address }: StartedCommand, path: string, body?: object): Promise<Record<string, unknown>> {
  const key = readFileSync(join(original, 'first-key'), 'utf8').trim();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  return (await (await fetch(`${address}${path}`, init)).json()) as Record<string, unknown>;
}

async function stateOfDeliveries(service: StartedCommand, channel: string): Promise<unknown[]> {
  const { data } = await call(service, `/v1/notifications/${channel}/deliveries`);
  return (data as { state: unknown }[]).map(({ state }) => state);
}

describe('a backup of a running service', () => {
  let channel: string;

  it('is made and restored by the commands in docs/backup.md while a delivery is pending', async () => {
    const service = await StartedCommand.by('node bin/namewatch.mjs up', { ...settings, SENDING: 'off' }, /^curl /);
    channel = String((await call(service, '/v1/notifications', { type: 'webhook', target: receiver.url() }))['id']);
    await call(service, '/v1/watchlist', { domain: 'backup--available.test', notify_current: true });
    await eventually(
      () => stateOfDeliveries(service, channel),
      (states) => states.length > 0,
    );
    expect(await runInShell(block('namewatch backup'))).toContain(`Backup in ${backup}`);
    expect(await service.stop()).toBe(0);
    expect(await runInShell(block('namewatch restore'))).toContain('SENDING=off');
    for (const file of ['pg/PG_VERSION', 'master-key', 'first-key']) expect(existsSync(join(copy, file))).toBe(true);
  });

  it('sends nothing, and logs that sending is off, when started with SENDING=off', async () => {
    const command = block('SENDING=off DATA_DIR').replace('PORT=3001', 'PORT=0');
    const restored = await StartedCommand.by(`env ${command}`, settings, /^curl /);
    expect(restored.lines.join('\n')).toContain('sending is off');
    const channels = await runInShell('npx namewatch channel list', { DATA_DIR: copy });
    expect(channels).toContain(channel);
    await call(restored, '/v1/watchlist', { domain: 'later--available.test', notify_current: true });
    await eventually(
      () => stateOfDeliveries(restored, channel),
      (states) => states.length === 2,
    );
    expect(await stateOfDeliveries(restored, channel)).toEqual(['pending', 'pending']);
    expect(receiver.received.all).toEqual([]);
    expect(await restored.stop()).toBe(0);
  });

  it('sends the pending deliveries when started without SENDING=off', async () => {
    const restored = await StartedCommand.by('node bin/namewatch.mjs up', { ...settings, DATA_DIR: copy }, /^curl /);
    expect(await receiver.received.waitFor(2, 30_000)).toHaveLength(2);
    expect(await restored.stop()).toBe(0);
  });
});

describe('a new master key', () => {
  it('replaces the previous master key through the command in docs/configuration.md', async () => {
    const former = readFileSync(join(copy, 'master-key'), 'utf8').trim();
    const keys = { MASTER_KEY: Buffer.alloc(32, 9).toString('base64'), MASTER_KEY_PREVIOUS: former };
    expect(page).toContain('`npx namewatch secrets rotate`');
    const printed = await runInShell('npx namewatch secrets rotate', { ...settings, ...keys, DATA_DIR: copy });
    expect(printed).toContain('MASTER_KEY_PREVIOUS can be dropped');
  });
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { EXAMPLE_EVENTS } from '../../../src/notifications/events/event-examples.js';
import { openFolder, removeFolders } from '../../integration/process/temporary-folders.js';
import { running } from '../../support/running.js';
import { freshDatabase } from '../../support/database/database.js';
import { eventually } from '../../support/eventually.js';
import { type Block, fencedBlocks, relativeLinks, tableRows } from '../../support/documents/markdown.js';
import { REAL_NPX, runInShell, ROOT, StartedCommand } from '../../support/programs/shell.js';
import { testRedis } from '../../support/servers/test-redis.js';
import { WebhookReceiver } from '../../world/receiver.js';

jest.setTimeout(180_000); // whole processes start, also on a busy machine

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const README = read('README.md');
const blocks = ['README.md', 'docs/command-line.md', 'docs/scaling.md', 'docs/compose.md'].flatMap((page) =>
  fencedBlocks(read(page)),
);
const used = new Set<Block>();

const isOutput = ({ language }: Block) => ['text', 'jsonl'].includes(language);

/** The block to run that holds these words, from now on taken to be tried. */
function block(words: string): Block {
  const found = blocks.find((one) => !isOutput(one) && one.code.includes(words));
  if (!found) throw new Error(`no page has a block with ${words}`);
  used.add(found);
  return found;
}
/** The output of a command in the README. */
function outputOf(command: Block): string[] {
  const output = blocks[blocks.indexOf(command) + 1];
  if (!output || !isOutput(output)) throw new Error('its output is not shown');
  return output.code.split('\n');
}

/** The result of the ten lines for the example of each type, where it is more than the type and the name. */
const SAID_OF: Readonly<Record<string, RegExp>> = {
  'watchlist.available': /: lapsing\.test is available \(dropped\)$/,
  'watchlist.status_changed': /: lapsing\.test is pending_delete \(deletion_started\)$/,
  'watchlist.phase_changed': /: lapsing\.test is pending_delete \(phase_changed\)$/,
  'watchlist.summary': /: nc_\w+$/,
  'channel.disabled': /: nc_\w+$/,
  'channel.test': /: nc_\w+$/,
};

const QUIET = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LOG_LEVEL: 'silent', LOG_FORMAT: 'pretty', PORT: '0' };
const folder = openFolder();
const dataDir = join(folder, 'data');
const settings = { ...QUIET, DATA_DIR: dataDir };

const receiver = running(() => WebhookReceiver.startTrusted());
let service: StartedCommand;
beforeAll(async () => {
  service = await StartedCommand.by(block('npx namewatch up').code, { ...settings, ...receiver.settings }, /^curl /);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  removeFolders();
});

/** The README's address and folder are those of a first start; here they are others. */
const here = (text: string) =>
  text.replaceAll('http://127.0.0.1:3000', service.address).replaceAll('.data/', `${dataDir}/`);
const firstKey = () => readFileSync(join(dataDir, 'first-key'), 'utf8').trim();

async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${firstKey()}`, 'content-type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  return (await (await fetch(`${service.address}${path}`, init)).json()) as Record<string, unknown>;
}

/** The common shape of two answers whenever they are given: their members in order, and the types of these. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.entries(value).map(([name, member]) => [name, isTime(name) ? 'time' : shapeOf(member)]);
}
const isTime = (name: string) => name.endsWith('_at'); // null before the first check

describe('the start and test commands of the README', () => {
  it('start the service with exactly the output that the README shows', () => {
    // The README shows what a terminal shows; elsewhere the key itself is left out.
    const shown = outputOf(block('npm start')).map((line) => here(line).replace(/nw_… \(kept in (.*)\)/, 'in $1'));
    expect(service.lines.filter((line) => line !== '' && !line.startsWith('>'))).toEqual(shown);
  });

  it('exist as package scripts, and "npm test" is shown with 0 failures', () => {
    const test = block('npm test');
    expect(test.code).toBe('npm ci && npm test');
    expect(outputOf(test).at(-1)).toMatch(/^[1-9]\d* passed, 0 failed$/);
    expect(packageScripts()).toMatchObject({ start: expect.any(String), test: expect.any(String) });
  });

  it('print a curl command that works when pasted into a shell', async () => {
    const [curl = ''] = service.lines.slice(-1);
    expect(JSON.parse(await runInShell(curl))).toMatchObject({ domain: 'available.test', available: true });
  });
});

describe('the six API calls in the README', () => {
  it('work when pasted, and give answers with the fields that the README shows', async () => {
    const calls = block('/v1/domains/check?');
    expect(calls.code.match(/^curl /gm)).toHaveLength(6);
    const answers = (await runInShell(here(calls.code), settings)).trim().split('\n');
    const shapes = (lines: string[]) => lines.map((line) => shapeOf(JSON.parse(line)));
    expect(shapes(answers)).toEqual(shapes(outputOf(calls)));
    expect(await call('/v1/watchlist')).toMatchObject({ data: [] });
  });

  /** One shows that what is shown is compared at all; the others run with all cases. */
  const mistakes: readonly [what: string, right: string, wrong: string][] = [
    ['a field', '"interval_minutes"', '"interval"'],
    ['a path', '/v1/domains/check?domain', '/v1/domain/check?domain'],
    ['a header', 'Authorization: Bearer', 'Authorisation: Bearer'],
    ['a quote', `"target": "https`, `"target": https`],
    ['a key', 'first-key', 'firstkey'],
  ];
  it.each(process.env['ALL_CASES'] === '1' ? mistakes : mistakes.slice(0, 1))(
    'fail when pasted if %s is wrong',
    async (_, right, wrong) => {
      const { code } = block('/v1/domains/check?');
      expect(code).toContain(right);
      await expect(runInShell(here(code.replaceAll(right, wrong)), settings)).rejects.toThrow();
    },
  );
});

describe('the ten lines of webhook code in the README', () => {
  it('accept every message that the service signed, and refuse a forged one', async () => {
    const { code } = block("from 'standardwebhooks'");
    expect(code.split('\n')).toHaveLength(10);
    const opened = await call('/v1/notifications', { type: 'webhook', target: receiver.url() });
    await call('/v1/watchlist', { domain: 'ten-lines--available.test', notify_current: true });
    // The calls pasted before may have left names whose events come first.
    const ours = () => receiver.received.all.find(({ body }) => body.includes('ten-lines--'));
    const message = await eventually(
      () => Promise.resolve(ours()),
      (found) => found !== undefined,
    );
    const { body = Buffer.from(''), headers = {} } = message ?? {};

    /** The result of the ten lines for each message; throws as they do. */
    const receive = async (messages: readonly { bytes: string; theirs: object }[]) => {
      const script = `${code}
        for (const { bytes, theirs } of JSON.parse(process.env.MESSAGES)) {
          let answer;
          try { answer = receive(bytes, theirs) } catch (error) { answer = 'refused: ' + error.message }
          console.log(JSON.stringify(answer));
        }`;
      const env = { WEBHOOK_SECRET: String(opened['secret']), MESSAGES: JSON.stringify(messages) };
      const printed = await runInShell('node --input-type=module -e "$SCRIPT"', { ...env, SCRIPT: script });
      return printed
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string);
    };
    await call(`/v1/notifications/${String(opened['id'])}/test`, {});
    const test = await eventually(
      () => Promise.resolve(receiver.received.all.find((one) => one.body.includes('"channel.test"'))),
      (found) => found !== undefined,
    );
    const examples = Object.values(EXAMPLE_EVENTS).map(({ id, body: bytes }) => {
      const signature = new Webhook(String(opened['secret'])).sign(id, new Date(), bytes);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      return { bytes, theirs: { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } };
    });
    const [first, second, forged, ...others] = await receive([
      { bytes: body.toString(), theirs: headers },
      { bytes: String(test?.body), theirs: test?.headers ?? {} },
      { bytes: body.toString().replace('ten-lines', 'two-lines'), theirs: headers },
      ...examples,
    ]);
    expect(first).toBe('watchlist.available: ten-lines--available.test is available (discovered)');
    expect(second).toBe(`channel.test: ${String(opened['id'])}`);
    expect(forged).toMatch(/^refused: .*No matching signature/);
    const types = Object.values(EXAMPLE_EVENTS).map(({ type }) => type);
    expect(others).toHaveLength(types.length);
    for (const [i, type] of types.entries()) expect(others[i]).toMatch(SAID_OF[type] ?? /^[a-z_.]+: lapsing\.test$/);
  });
});

describe('the command-line examples in the docs', () => {
  it('print the expected results when pasted into a shell', async () => {
    const printed = await runInShell(block('npx namewatch check').code, settings);
    expect(printed).toMatch(/^registered\.test is registered, expires 20/);
    for (const check of ['settings', 'database', 'queue', 'registries', 'mail'])
      expect(printed).toMatch(new RegExp(`^ok {2,}${check} `, 'm'));
    expect(printed).toMatch(/^Key nw_\w+$/m);
    expect(printed).toMatch(/^key_\w+ {2}ci {2}domains:read {2}live {2}issued by cli$/m);
    expect(printed).toMatch(/^Account +acc_\w+ \(default\)$/m);
    expect(printed).toMatch(/^Key {5}nw_\w+$/m);
  });
});

describe('the documented setup for several machines', () => {
  it('runs one process for each role on the same database and queue', async () => {
    const lines = block('ROLE=api').code.split('\n');
    const [exports, commands] = [/^export /, /^ROLE=/].map((kind) => lines.filter((line) => kind.test(line)));
    expect([exports?.length, commands?.length]).toEqual([4, 3]);
    const database = await freshDatabase();
    const script = (exports ?? [])
      .join('\n')
      .replace(/postgres:\/\/\S+/, database)
      .replace(/redis:\/\/\S+/, redis());
    const made = await runInShell(`${REAL_NPX}${script}\nnode -p 'JSON.stringify(process.env)'`);
    const { DATABASE_URL, REDIS_URL, MASTER_KEY, BOOTSTRAP_API_KEY: key = '' } = JSON.parse(made) as NodeJS.ProcessEnv;
    const common = { ...QUIET, DATABASE_URL, REDIS_URL, MASTER_KEY, BOOTSTRAP_API_KEY: key } as Record<string, string>;

    const roles = await Promise.all(
      (commands ?? []).map((command) => {
        const [, role = '', start = ''] = /^ROLE=(\w+) DATA_DIR=\w+ PORT=\d+ (.*)$/.exec(command) ?? [];
        return StartedCommand.by(start, { ...common, ROLE: role, DATA_DIR: join(folder, role) }, /^Namewatch ready/);
      }),
    );
    for (const [at, { address }] of roles.entries()) {
      expect((await fetch(`${address}/livez`)).status).toBe(200);
      expect((await fetch(`${address}/v1/watchlist`)).status).toBe(at === 0 ? 401 : 404); // the others serve no API
    }
    const watchlist = `${roles[0]?.address ?? ''}/v1/watchlist`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ domain: 'expiring.test' });
    expect((await fetch(watchlist, { method: 'POST', headers, body })).status).toBe(201);
    const listed = async () => (await fetch(watchlist, { headers })).text();
    await eventually(listed, (text) => text.includes('"status":"expiring"'));
    expect(await Promise.all(roles.map((role) => role.stop()))).toEqual([0, 0, 0]);
  });

  it('consists of three commands for Docker Compose and six values to fill in .env.example', () => {
    const { code } = block('docker compose');
    expect(code.split('\n')).toEqual([
      'install -m 600 .env.example .env',
      'docker compose up -d --build',
      expect.stringMatching(/^docker compose exec api namewatch doctor +#/),
    ]);
    const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
    expect(example.match(/^[A-Z_]+=$/gm)).toHaveLength(6); // that the two fit together, compose.test.ts shows
  });
});

describe('the README', () => {
  it('shows no command that these tests leave out', () => {
    const tried = new Set([...used].map(({ code }) => code));
    const left = fencedBlocks(README).filter((one) => !isOutput(one) && !tried.has(one.code));
    expect(left.map(({ line, code }) => `${line}: ${code}`)).toEqual([]);
  });

  it('has fewer than 122 lines, and all its relative links lead to existing files', () => {
    expect(README.split('\n').length).toBeLessThan(122);
    for (const document of ['README.md', 'docs/configuration.md'])
      for (const link of relativeLinks(readFileSync(join(ROOT, document), 'utf8')))
        expect([link, existsSync(join(ROOT, document, '..', link))]).toEqual([link, true]);
  });

  it('refers to a table in docs/watching.md of five statuses, all known to the API', async () => {
    const { components } = (await call('/openapi.json')) as { components: { schemas: Record<string, object> } };
    const [, section = ''] = read('docs/watching.md').split(/^## (?=Status and phase)/m);
    const documented = tableRows(section.split(/^## /m, 1).join('')).map(
      ([cell = '']) => /^`([a-z_]+)`$/.exec(cell)?.[1],
    );
    expect(components.schemas['Check']).toHaveProperty(
      'properties.status.enum',
      expect.arrayContaining(documented.filter((status) => status !== undefined)),
    );
    expect(new Set(documented.filter((status) => status !== undefined)).size).toBe(5);
  });
});

function packageScripts(): unknown {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: unknown }).scripts;
}

/** The run's Redis; empty, and thereby not set, where there is none. */
function redis(): string {
  return process.env['TEST_REDIS_URL'] ? testRedis() : '';
}

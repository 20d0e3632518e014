import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultyPostgres } from '../../faults/cluster/postgres.js';
import { createApplication } from '../../../src/app/bootstrap.js';
import { migrate } from '../../../src/app/migrate.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { readConfig } from '../../../src/config/config.js';
import { heldConnection, holdAt, type Step } from '../../support/database/held-step.js';
import { runInProcess } from '../../support/programs/command-line.js';
import { runInShell } from '../../support/programs/shell.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

jest.setTimeout(180_000); // whole processes and PostgreSQL start, also on a busy machine

const NDJSON = 'application/x-ndjson';
const key = generateApiKey().text;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-killed-writes-'));
chmodSync(folder, 0o755); // PostgreSQL's user walks through it

let postgres: FaultyPostgres;
let settings: Record<string, string>;
let service: ServiceProcess;
/** Another process of the installation, which is never killed. */
let survivor: NestFastifyApplication;
beforeAll(async () => {
  await runInShell('node bin/build.mjs');
  postgres = await FaultyPostgres.start(folder);
  const MASTER_KEY = randomBytes(32).toString('base64');
  const offline = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', UI: 'off', LOG_LEVEL: 'silent' };
  settings = { DATABASE_URL: postgres.url, MASTER_KEY, BOOTSTRAP_API_KEY: key, ROLE: 'api', ...offline };
  const config = readConfig(settings);
  await migrate(config);
  survivor = await createApplication(config);
  service = await startServiceProcess(settings);
});
afterAll(async () => {
  await service.kill('SIGKILL');
  await survivor.close();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  for (const table of ['watch_entries', 'entry_counts']) await postgres.query(`delete from ${table}`);
});

const query = (text: string) => postgres.query(text);
const range = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}.test`);
const KEPT = range('kept', 60);
const GONE = range('gone', 10);
const ADDED = range('added', 350);
const toFile = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
const withNote = (note: string) => (domain: string) => ({ domain, note });
const WANTED = [...KEPT, ...ADDED].toSorted();

const call = (method: string, path: string, type: string, body: string) =>
  fetch(`${service.address}${path}`, {
    method,
    body,
    headers: { authorization: `Bearer ${key}`, 'content-type': type, accept: `${NDJSON}, application/json` },
  });
const SYNC = '/v1/watchlist/import?mode=sync&scope_tag=file&max_removals=20';

/** The changes that the service has confirmed: `+` added, `~` changed, `-` removed; and its last answer. */
interface Told {
  readonly acts: readonly string[];
  readonly last: Readonly<Record<string, unknown>>;
}
const SIGNS: Readonly<Record<string, string>> = { created: '+', changed: '~', removed: '-' };

async function upload(path: string, body: string, method = 'POST', type = NDJSON): Promise<Told> {
  const acts: string[] = [];
  let last: Record<string, unknown> = {};
  try {
    const text = (await call(method, path, type, body)).body?.pipeThrough(new TextDecoderStream());
    let rest = '';
    for await (const chunk of text ?? []) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of [...lines].filter((one) => one !== '')) {
        last = JSON.parse(line) as Record<string, unknown>;
        const sign = SIGNS[String(last['outcome'])];
        if (sign) acts.push(`${sign} ${String(last['domain'])}`);
      }
      if (rest.endsWith('}')) last = JSON.parse(rest) as Record<string, unknown>; // a problem instead of a stream
    }
  } catch {
    // the process is gone: what it has said by then counts
  }
  return { acts, last };
}

async function apply(): Promise<Told> {
  const file = join(folder, 'list.yaml');
  const rows = [...KEPT, ...ADDED].map((domain) => ({ domain, note: 'new' }));
  writeFileSync(file, JSON.stringify({ version: 1, tag: 'file', names: rows })); // JSON is YAML
  const words = ['apply', file, '--prune', '--max-removals', '20'];
  const { code, out, err } = await runInProcess(words, {
    PATH: process.env.PATH ?? '',
    DATA_DIR: folder,
    NAMEWATCH_URL: service.address,
    NAMEWATCH_KEY: key,
  });
  const acts = out.split('\n').flatMap((line) => /^[+~-] \S+/.exec(line) ?? []);
  return { acts, last: { code, err } };
}

/** As the dashboard changes several entries: one request for each. */
async function changeEach(): Promise<Told> {
  const acts: string[] = [];
  const rows = await postgres.query<{ id: string; domain: string }>('select id, domain from watch_entries');
  for (const { id, domain } of rows.filter((row) => KEPT.includes(row.domain)))
    try {
      const answer = await call('PATCH', `/v1/watchlist/${id}`, 'application/json', '{"note":"new"}');
      if (answer.status === 200) acts.push(`~ ${domain}`);
    } catch {
      // as in a page whose service is away: the others are tried all the same
    }
  return { acts, last: {} };
}

/** As the dashboard changes all that match; the answer says how many are done, not which. */
const changeMany = () => upload('/v1/watchlist?domain=kept', '{"note":"new"}', 'PATCH', 'application/json');

const before = () => upload(SYNC, toFile([...KEPT, ...GONE].map(withNote('old'))));
const entries = async () =>
  new Map(
    (await postgres.query<{ domain: string; note: string | null }>('select domain, note from watch_entries')).map(
      ({ domain, note }) => [domain, note],
    ),
  );
const ends = async () => {
  const rows = await postgres.query<{ after: string }>(
    `select state_after as after from audit_records where action in ('watchlist.imported', 'watchlist.changed_many') order by xid, seq`,
  );
  return rows.map(({ after }) => JSON.parse(after) as Record<string, unknown>);
};

const insertOf = (domain: string): Step => ({
  table: 'watch_entries',
  act: 'insert',
  condition: `new.domain = '${domain}'`,
});
const noteOf = (domain: string): Step => ({
  table: 'watch_entries',
  act: 'update',
  condition: `new.domain = '${domain}' and new.note is distinct from old.note`,
});
const deleteOf = (domain: string): Step => ({
  table: 'watch_entries',
  act: 'delete',
  condition: `old.domain = '${domain}'`,
});
const record = (action: string): Step => ({
  table: 'audit_records',
  act: 'insert',
  condition: `new.action = 'watchlist.${action}'`,
});

const sync = () => upload(SYNC, toFile([...KEPT, ...ADDED].map(withNote('new'))));
const importAll = () => upload('/v1/watchlist/import', toFile([...KEPT, ...ADDED].map(withNote('new'))));
type Victim = 'the connection to PostgreSQL' | 'PostgreSQL' | 'the process';
interface HeldStep {
  readonly operation: string;
  readonly at: string;
  readonly run: () => Promise<Told>;
  readonly step: Step;
  /** The victim on each change; every victim at every step, which takes minutes, by `.ci/run --all`. */
  readonly victim?: Victim;
}
const STEPS: readonly HeldStep[] = [
  {
    operation: 'an import',
    at: 'its audit record',
    run: importAll,
    step: record('imported'),
    victim: 'the connection to PostgreSQL',
  },
  {
    operation: 'an import',
    at: 'its first batch',
    run: importAll,
    step: insertOf('added0.test'),
    victim: 'PostgreSQL',
  },
  {
    operation: 'an import',
    at: 'a later batch',
    run: importAll,
    step: insertOf('added220.test'),
    victim: 'the process',
  },
  { operation: 'a sync', at: 'a change', run: sync, step: noteOf('kept55.test') },
  { operation: 'a sync', at: 'an addition', run: sync, step: insertOf('added220.test'), victim: 'the process' },
  { operation: 'a sync', at: 'a removal', run: sync, step: deleteOf('gone5.test') },
  { operation: 'apply', at: 'an addition', run: apply, step: insertOf('added220.test') },
  { operation: 'apply', at: 'a removal', run: apply, step: deleteOf('gone5.test'), victim: 'PostgreSQL' },
  { operation: 'a change of many', at: 'one of its entries', run: changeMany, step: noteOf('kept30.test') },
  { operation: 'a change of many', at: 'its audit record', run: changeMany, step: record('changed_many') },
  {
    operation: 'a bulk change',
    at: 'one of its entries',
    run: changeEach,
    step: noteOf('kept30.test'),
    victim: 'the connection to PostgreSQL',
  },
];

const KILLS: readonly { victim: Victim; kill: (connection: number) => Promise<unknown> }[] = [
  {
    victim: 'the connection to PostgreSQL',
    kill: (connection) => query(`select pg_terminate_backend(${connection})`),
  },
  {
    victim: 'PostgreSQL',
    kill: async () => {
      await query('checkpoint'); // so that it does not forget that the step was reached
      await postgres.crash();
    },
  },
  {
    victim: 'the process',
    kill: async (connection) => {
      await service.kill('SIGKILL');
      await query(`select pg_terminate_backend(${connection})`); // its transaction ends when PostgreSQL notices
    },
  },
];

const stepsFor = (victim: Victim) => STEPS.filter((held) => process.env['ALL_CASES'] === '1' || held.victim === victim);

describe.each(KILLS)('when $victim is killed', ({ victim, kill }) => {
  it.each(stepsFor(victim))('$operation loses no confirmed change, interrupted at $at', async ({ run, step }) => {
    await before();
    const initial = await entries();
    expect(initial.size).toBe(KEPT.length + GONE.length);
    const recorded = (await ends()).length;
    await holdAt(query, step);
    const [told] = await Promise.all([run(), heldConnection(query).then(kill)]);
    if (victim === 'the process') service = await startServiceProcess(settings);

    const left = await entries();
    const isDone = (act: string) => {
      const [sign, domain = ''] = act.split(' ');
      if (sign === '~') return left.get(domain) === 'new';
      return left.has(domain) === (sign === '+');
    };
    expect(told.acts.filter((act) => !isDone(act))).toEqual([]);

    const written = {
      created: ADDED.filter((domain) => left.has(domain)).length,
      changed: KEPT.filter((domain) => left.get(domain) === 'new').length,
      removed: GONE.filter((domain) => !left.has(domain)).length,
    };
    if (typeof told.last['written'] === 'number')
      expect(told.last['written']).toBe(written.created + written.changed + written.removed);

    if (run !== changeEach) {
      const records = (await ends()).slice(recorded);
      const sum = (name: string) => records.reduce((all, record) => all + Number(record[name] ?? 0), 0);
      expect({ created: sum('created'), changed: sum('changed'), removed: sum('removed') }).toEqual(written);
    }

    await run();
    const wanted =
      run === changeEach || run === changeMany ? [...KEPT, ...GONE] : run === importAll ? [...WANTED, ...GONE] : WANTED;
    expect([...(await entries()).keys()].toSorted()).toEqual(wanted.toSorted());
    expect(await query('select entries from entry_counts')).toEqual([{ entries: wanted.length }]);
    const notes = await entries();
    if (run !== importAll) expect(KEPT.filter((domain) => notes.get(domain) !== 'new')).toEqual([]);
  });
});

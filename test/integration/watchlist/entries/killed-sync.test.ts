import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ServiceProcess } from '../../../../faults/cluster/service-process.js';
import { generateApiKey } from '../../../../src/auth/index.js';
import { freshDatabase } from '../../../support/database/database.js';
import { unlimitedPlans } from '../../../support/builders/plans-file.js';
import { ownEnvironment } from '../../../support/programs/own-environment.js';
import { runInShell } from '../../../support/programs/shell.js';

jest.setTimeout(120_000); // whole processes start, also on a busy machine

const NAMES = 1_500;
const key = generateApiKey().text;
const folder = mkdtempSync(join(tmpdir(), 'namewatch-sync-'));
let database: pg.Client;
let service: ServiceProcess;

beforeAll(async () => {
  await runInShell('node bin/build.mjs');
  const url = await freshDatabase();
  database = new pg.Client(url);
  await database.connect();
  const own = { DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('base64'), BOOTSTRAP_API_KEY: key };
  const offline = { RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', PLANS_FILE: unlimitedPlans(), LOG_LEVEL: 'error' };
  const settings = { ...ownEnvironment(), ...own, ...offline };
  service = new ServiceProcess('api', 'api', { settings, folder, preloads: [] });
  service.start();
  await service.whenReady();
});
afterAll(async () => {
  await service.stop();
  await database.end();
  rmSync(folder, { recursive: true, force: true });
});

const sync = () =>
  fetch(`${service.address ?? ''}/v1/watchlist/import?mode=sync&scope_tag=file`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', accept: 'application/x-ndjson' },
    },
    body: Array.from({ length: NAMES }, (_, n) => `{"domain":"n${n}.test"}\n`).join(''),
  });
const count = async () =>
  Number((await database.query<{ n: string }>('select count(*) as n from watch_entries')).rows[0]?.n);

it('a sync whose process is killed between two transactions is finished by a repetition', async () => {
  const { body } = await sync();
  const reader = body?.getReader();
  await reader?.read(); // the first transaction is committed
  expect(await service.killAt('work.committed', 30_000)).toBe(true);
  await reader?.cancel().catch(() => undefined);
  const written = await count();
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThan(NAMES);
  await service.whenReady();
  const summary = (await (await sync()).text()).trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(summary)).toMatchObject({ total: NAMES, created: NAMES - written, existing: written, failed: 0 });
  expect(await count()).toBe(NAMES);
});

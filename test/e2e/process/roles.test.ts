import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { generateApiKey } from '../../../src/auth/index.js';
import { freshDatabase } from '../../support/database/database.js';
import { eventually } from '../../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../../support/servers/service-process.js';

const STARTING = 180_000;
/** Each starts a process more; the harness of faults kills and freezes workers on each change. */
const inAllCases = process.env['ALL_CASES'] === '1' ? it : it.skip;

/** One image, many processes: any number of each role on one database. README's commands do the same on Redis. */
describe('processes of different roles', () => {
  const key = generateApiKey().text;
  let shared: Record<string, string>;
  let api: ServiceProcess;
  let others: ServiceProcess[];

  beforeAll(async () => {
    shared = {
      DATABASE_URL: await freshDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64'),
      BOOTSTRAP_API_KEY: key,
      RDAP_BOOTSTRAP_URL: 'off',
      DNS_SERVERS: 'off',
      LEASE_SECONDS: '3',
    };
    // All at once on an empty database: one migrates and opens the account, the others find it done.
    const start = (ROLE: string) => startServiceProcess({ ...shared, ROLE });
    [api, ...others] = (await Promise.all(['api', 'worker', 'scheduler'].map(start))) as [ServiceProcess];
  }, STARTING);
  afterAll(async () => {
    await Promise.all([api, ...others].map((process) => process.kill('SIGINT')));
  }, STARTING);

  const call = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${api.address}${path}`, { ...init, headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const watch = (domain: string) => call('/v1/watchlist', { method: 'POST', body: JSON.stringify({ domain }) });
  const expiring = async () => {
    const { body } = await call('/v1/watchlist?status=expiring');
    return (body['data'] as { domain: string }[]).map(({ domain }) => domain);
  };

  it('each say that they are alive and ready', async () => {
    for (const { address } of [api, ...others]) {
      expect((await fetch(`${address}/livez`)).status).toBe(200);
      await eventually(
        () => fetch(`${address}/readyz`),
        ({ status }) => status === 200,
      );
    }
  });

  it('serve the API in one of them only', async () => {
    const answers = await Promise.all(others.map(({ address }) => fetch(`${address}/v1/watchlist`)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });

  it('watch a name together', async () => {
    expect((await watch('expiring.test')).status).toBe(201);
    expect(await eventually(expiring, (names) => names.length === 1)).toEqual(['expiring.test']);
  });

  inAllCases(
    'go on when one is killed in the middle of its work',
    async () => {
      const [worker, ...rest] = others as [ServiceProcess, ...ServiceProcess[]];
      await worker.kill('SIGKILL');
      expect((await watch('killed--expiring.test')).status).toBe(201);
      others = [await startServiceProcess({ ...shared, ROLE: 'worker' }), ...rest];
      await eventually(expiring, (names) => names.includes('killed--expiring.test'), 30_000);
    },
    STARTING,
  );

  it('exit with code 0 on SIGTERM', async () => {
    const [worker, ...rest] = others as [ServiceProcess, ...ServiceProcess[]];
    others = rest;
    expect(await worker.kill('SIGTERM')).toBe(0);
  });
});

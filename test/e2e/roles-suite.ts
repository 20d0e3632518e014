import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { getPriority } from 'node:os';
import pg from 'pg';
import { generateApiKey } from '../../src/auth/index.js';
import { freshDatabase } from '../support/database/database.js';
import { eventually } from '../support/eventually.js';
import { type ServiceProcess, startServiceProcess } from '../support/servers/service-process.js';

const STARTING = 180_000;

/** A running service without a worker, and what a sentence may do to one that it starts. */
interface Workerless {
  readonly startWorker: (
    settings?: Readonly<Record<string, string>>,
    ...rest: [onLine?: (line: string) => void, words?: readonly string[]]
  ) => Promise<ServiceProcess>;
  readonly watch: (domain: string) => Promise<unknown>;
  /** As if what is due had been due for a while. */
  readonly makeOverdue: () => Promise<void>;
  /** Resolves when the name was checked. */
  readonly checked: (domain: string) => Promise<unknown>;
}

/** A sentence about a worker at a standstill, which is provoked in another way for each queue. */
export type Standstill = readonly [sentence: string, work: (service: Workerless) => Promise<void>];

/** One image, many processes: any number of each role on one database. */
export function rolesSuite(
  queue: string,
  settings: () => Readonly<Record<string, string>>,
  [sentence, work]: Standstill,
): void {
  describe(`processes of different roles, with the queue on ${queue}`, () => {
    const key = generateApiKey().text;
    let shared: Record<string, string>;
    let api: ServiceProcess;
    let others: ServiceProcess[];

    beforeAll(async () => {
      shared = {
        DATABASE_URL: await freshDatabase(),
        MASTER_KEY: randomBytes(32).toString('base64'),
        ...{ BOOTSTRAP_API_KEY: key, RDAP_BOOTSTRAP_URL: 'off', DNS_SERVERS: 'off', LEASE_SECONDS: '3' },
        ...settings(),
      };
      // All at once on an empty database: one migrates and opens the account, the others find it done.
      const start = (ROLE: string) => startServiceProcess({ ...shared, ROLE });
      [api, ...others] = (await Promise.all(['api', 'worker', 'scheduler', 'scheduler'].map(start))) as [
        ServiceProcess,
      ];
    }, STARTING);
    afterAll(async () => {
      await Promise.all([api, ...others].map((process) => process.kill('SIGTERM')));
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
        expect((await fetch(`${address}/readyz`)).status).toBe(200);
      }
    });

    it('serve the API in one of them only', async () => {
      const answers = await Promise.all(others.map(({ address }) => fetch(`${address}/v1/watchlist`)));
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    });

    it('leave the processor to the one that serves the API', () => {
      expect(getPriority(api.pid)).toBe(getPriority());
      for (const { pid } of others) expect(getPriority(pid)).toBeGreaterThanOrEqual(10);
    });

    it('watch a name together', async () => {
      expect((await watch('expiring.test')).status).toBe(201);
      expect(await eventually(expiring, (names) => names.length === 1)).toEqual(['expiring.test']);
    });

    it(
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

    it(
      sentence,
      () =>
        work({
          watch,
          startWorker: async (own = {}, ...rest) => {
            const worker = await startServiceProcess(
              { ...shared, ROLE: 'worker', DRAIN_SECONDS: '1', ...own },
              ...rest,
            );
            others.push(worker);
            return worker;
          },
          makeOverdue: async () => {
            const database = new pg.Client(shared['DATABASE_URL']);
            await database.connect();
            await database.query(`update watched_names set next_check_at = now() - interval '2 minutes'`);
            await database.end();
          },
          checked: (domain) => eventually(expiring, (names) => names.includes(domain), 30_000),
        }),
      STARTING,
    );
  });
}

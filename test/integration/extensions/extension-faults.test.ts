import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';
import { AccountAuthenticator, BackgroundTask, defineExtension, EventSubscriber, Public } from '../../../src/kit.js';
import { startForTests, until } from '../../../src/testing.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { freshDatabase } from '../../support/database/database.js';
import { running } from '../../support/running.js';
import { step } from '../platform/migration-steps.js';

const NEVER = new Promise<never>(() => undefined);

/** The code of the extension in the test under way. */
let faulty: () => Promise<unknown> = () => Promise.resolve();
const lines: string[] = [];
/** The work that has ended, in order. */
const ended: string[] = [];

class FaultySubscriber extends EventSubscriber<'watchlist.status_changed'> {
  readonly filters = ['watchlist.status_changed'] as const;
  async handle(): Promise<void> {
    await faulty();
  }
}

class FaultyTask extends BackgroundTask {
  readonly name = 'work';
  readonly intervalSeconds = 100_000;
  override readonly limitSeconds = 1;
  readonly signals: AbortSignal[] = [];

  async run(signal: AbortSignal): Promise<void> {
    this.signals.push(signal);
    await faulty();
  }

  onModuleDestroy(): void {
    ended.push('extension');
  }
}

class FaultyAuthenticator extends AccountAuthenticator {
  async identify(): Promise<null> {
    await faulty();
    return null;
  }
}

@Controller('v1/x/faulty')
class FaultyController {
  @Get()
  @Public()
  async show(): Promise<string> {
    await faulty();
    return 'well';
  }
}

const extension = defineExtension({
  name: 'faulty',
  compatibility: '*',
  subscribers: [FaultySubscriber],
  tasks: [FaultyTask],
  authenticators: [FaultyAuthenticator],
  controllers: [FaultyController],
  migrations: [step('Rows', 'create table faulty_rows (id text primary key)')],
});

const namewatch = running(async () => {
  const settings = { DATABASE_URL: await freshDatabase(), LEASE_SECONDS: '2' };
  const started = await startForTests({ extensions: [extension], settings });
  const keep = (...parts: unknown[]) => void lines.push(parts.map(textOf).join(' '));
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
  return started;
});
afterAll(() => void Logger.overrideLogger(false));
beforeEach(() => {
  faulty = () => Promise.resolve();
  lines.length = 0;
});

function textOf(part: unknown): string {
  const { err } = Object(part) as { readonly err?: Error };
  return err
    ? [err, err.cause].map((each) => (each instanceof Error ? each.message : '')).join(': ')
    : typeof part === 'string'
      ? part
      : '';
}

async function countOf(metric: string, port: string): Promise<number> {
  const { text } = await namewatch.get(Metrics).expose();
  const found = new RegExp(`^${metric}\\{extension="faulty",port="${port}"\\} (\\d+)`, 'm').exec(text);
  return Number(found?.[1] ?? 0);
}

const failures = (port: string) => countOf('namewatch_extension_failures_total', port);

describe('a task of an extension', () => {
  it('is named in the error and counted when it throws, and may run again', async () => {
    faulty = () => Promise.reject(new Error('no post office'));
    await expect(namewatch.runTask(FaultyTask)).rejects.toThrow(
      'the extension faulty failed in FaultyTask.run: no post office',
    );
    expect(await failures('task')).toBe(1);
    faulty = () => Promise.resolve();
    await namewatch.runTask(FaultyTask);
    expect(await countOf('namewatch_extension_seconds_count', 'task')).toBe(2);
  });

  it('is aborted when it exceeds its time limit, and may run again', async () => {
    faulty = () => NEVER;
    await expect(namewatch.runTask(FaultyTask)).rejects.toThrow(/FaultyTask\.run: no answer within 1000 ms$/);
    expect(namewatch.get(FaultyTask).signals.at(-1)).toMatchObject({ aborted: true });
    faulty = () => Promise.resolve();
    await namewatch.runTask(FaultyTask);
  });
});

describe('a subscriber of an extension', () => {
  it('is logged when it hangs for four seconds; the change is rolled back and retried', async () => {
    const { registry, client, clock } = namewatch;
    const statusOf = async (name: string) => {
      const { body } = await client.get<{ data: { domain: string; status: string }[] }>('/v1/watchlist');
      return body.data.find(({ domain }) => domain === name)?.status;
    };
    registry.register('slow.test');
    await client.post('/v1/watchlist', { domain: 'slow.test' });
    await until(async () => (await statusOf('slow.test')) === 'registered');

    const late = Promise.withResolvers<void>();
    let write: Promise<unknown> = Promise.resolve();
    const entities = namewatch.get(EntityManager);
    faulty = () => {
      faulty = () => late.promise; // the change may be repeated before the assertions on its first failure
      const context = entities.getContext();
      write = late.promise.then(() => context.execute(`insert into faulty_rows values ('late')`));
      write.catch(() => undefined);
      return NEVER;
    };
    registry.release('slow.test');
    clock.advance({ days: 1 });
    const sentence = 'the extension faulty failed in FaultySubscriber.handle: no answer within 4000 ms';
    await until(() => lines.some((line) => line.includes(sentence)));
    expect(lines.filter((line) => line.includes('FaultySubscriber.handle')).length).toBe(1);
    expect(await statusOf('slow.test')).toBe('registered');
    expect(await failures('subscriber')).toBe(1);

    late.resolve(); // nothing that it writes now may reach a transaction of others
    await expect(write).rejects.toThrow();
    await until(async () => (await statusOf('slow.test')) === 'available');
    expect(await entities.fork().execute('select from faulty_rows')).toEqual([]);
  }, 60_000);
});

describe('a controller and an authenticator of an extension', () => {
  it('fail their request when they throw, and the log says why', async () => {
    faulty = () => Promise.reject(new Error('no vault'));
    expect(await namewatch.client.withKey(null).get('/v1/x/faulty')).toMatchObject({
      status: 500,
      body: { code: 'internal_error' },
    });
    expect(lines).toContainEqual(expect.stringContaining('no vault'));
    const token = createHash('sha256').update('someone').digest('hex');
    expect(await namewatch.client.withKey(token).get('/v1/me')).toMatchObject({ status: 503 });
    expect(lines).toContainEqual(expect.stringContaining('the authenticator of the extension faulty failed'));
  });
});

describe('a service that stops', () => {
  it('waits for a running task before it closes the extension, and unlocks the task', async () => {
    const begun = Promise.withResolvers<void>();
    faulty = async () => {
      begun.resolve();
      const signal = namewatch.get(FaultyTask).signals.at(-1);
      if (signal) await once(signal, 'abort');
      ended.push('run');
    };
    const run = namewatch.runTask(FaultyTask);
    await begun.promise;
    const database = new pg.Client(namewatch.databaseUrl);
    await database.connect();
    await namewatch.close();
    await run;
    expect(ended).toEqual(['run', 'extension']);
    const { rows } = await database.query('select lease, began_at from extension_tasks');
    expect(rows).toEqual([{ lease: null, began_at: null }]);
    await database.end();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { once } from 'node:events';
import pg from 'pg';
import { readConfig } from '../../../src/config/config.js';
import { ExtensionCalls } from '../../../src/extensions/extension-calls.js';
import { type ExtensionTask, ExtensionTasks } from '../../../src/extensions/extension-tasks.js';
import { TaskLease } from '../../../src/extensions/task-lease.js';
import { SystemClock } from '../../../src/kernel/clock.js';
import { TimeUnits } from '../../../src/kernel/time-units.js';
import { BackgroundTask } from '../../../src/kit.js';
import { RepairAfterPutBack } from '../../../src/platform/database/put-back-repair.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { Metrics } from '../../../src/platform/metrics/metrics.js';
import { until } from '../../../src/testing.js';
import { TcpProxy } from '../../world/proxy.js';
import { serviceDatabase } from '../../support/servers/test-service.js';

const DAY_SECONDS = 86_400;

let url: string;
let database: pg.Client;
let proxy: TcpProxy;
const lines: string[] = [];
beforeAll(async () => {
  url = await serviceDatabase();
  database = new pg.Client(url);
  await database.connect();
  const { hostname: host, port } = new URL(url);
  proxy = await TcpProxy.start({ host, port: Number(port) });
  const keep = (line: unknown) => void lines.push(String(line));
  Logger.overrideLogger({ log: keep, warn: keep, error: keep });
});
beforeEach(async () => {
  lines.length = 0;
  await query('delete from extension_tasks');
});
afterEach(async () => {
  proxy.heal();
  for (const each of started.splice(0)) await each.close();
});
afterAll(async () => {
  Logger.overrideLogger(false);
  await proxy.close();
  await database.end();
});

const query = async (text: string) => (await database.query<Record<string, unknown>>(text)).rows;
const row = async () => (await query('select * from extension_tasks'))[0];
/** As a process leaves it that was killed while it ran the task. */
const leaveRunOfDeadProcess = (isRepeat = false) =>
  query(`insert into extension_tasks (extension, task, began_at, leased_until, lease, is_repeat)
    values ('acme', 'work', now() - interval '3 seconds', now() - interval '1 second', 'dead', ${isRepeat})`);

class Work extends BackgroundTask {
  override readonly name: string = 'work';
  override readonly intervalSeconds: number = DAY_SECONDS;
  override readonly limitSeconds: number = 20;
  override readonly isExclusive: boolean = true;
  readonly beganAt: number[] = [];
  signal: AbortSignal | undefined;
  /** The work of a run. */
  work: (signal: AbortSignal) => Promise<unknown> = () => Promise.resolve();

  constructor(members: Partial<Work> = {}) {
    super();
    Object.assign(this, members);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.beganAt.push(performance.now());
    this.signal = signal;
    await this.work(signal);
  }
}

const untilStopped = (signal: AbortSignal) => once(signal, 'abort');

interface Running {
  readonly tasks: ExtensionTasks;
  readonly metrics: Metrics;
  readonly repair: RepairAfterPutBack;
  close(): Promise<void>;
}
const started: Running[] = [];

const configure = (settings: Readonly<Record<string, string>> = {}) =>
  readConfig({
    DATABASE_URL: url,
    MASTER_KEY: Buffer.alloc(32).toString('base64'),
    METRICS_PORT: '9464',
    LEASE_SECONDS: '2',
    DRAIN_SECONDS: '1',
    ...settings,
  });

/** The tasks of one process of the installation, which run by themselves from now on. */
function startProcess(task: Work, settings: Readonly<Record<string, string>> = {}): Running {
  const config = configure(settings);
  const sql = new SqlClient(config);
  const metrics = new Metrics(config);
  const own: readonly ExtensionTask[] = [{ extension: 'acme', task }];
  const repair = new RepairAfterPutBack(sql, new SystemClock(), config, TimeUnits.fromScale(1));
  const tasks = new ExtensionTasks(own, config, sql, new ExtensionCalls(metrics), metrics, repair);
  tasks.onApplicationBootstrap();
  const close = async () => {
    await tasks.onModuleDestroy();
    await sql.onApplicationShutdown();
  };
  const process = { tasks, metrics, repair, close };
  started.push(process);
  return process;
}

/** Its first run need not be waited for. */
async function startRun(task: Work, settings = {}): Promise<Running & { run: Promise<unknown> }> {
  const process = startProcess(task, settings);
  const run = process.tasks.runNow(Work).catch((error: unknown) => error);
  await until(() => task.beganAt.length > 0);
  return { ...process, run };
}

async function failuresOf({ metrics }: Running): Promise<string> {
  const { text } = await metrics.expose();
  return /^namewatch_extension_failures_total\{.*\} \d+/m.exec(text)?.[0] ?? 'none';
}

describe('the runs of an extension’s task', () => {
  it('start one interval apart, without skipping an interval', async () => {
    const task = new Work({ intervalSeconds: 0.4 });
    startProcess(task);
    await until(() => task.beganAt.length > 5);
    const gaps = task.beganAt.slice(1).map((at, position) => at - (task.beganAt[position] ?? 0));
    const median = gaps.sort((one, other) => one - other)[2] ?? 0;
    expect(median).toBeGreaterThan(395);
    expect(median).toBeLessThan(700);
  });

  it('follow each other, never two at once, when they take longer than the interval', async () => {
    let underWay = 0;
    let most = 0;
    const finished: (() => void)[] = [];
    const work = async () => {
      most = Math.max(most, (underWay += 1));
      await new Promise<void>((resolve) => finished.push(resolve));
      underWay -= 1;
    };
    const [one, other] = [0, 1].map(() => new Work({ intervalSeconds: 0.05, work }));
    for (const task of [one, other]) startProcess(task as Work);
    for (let run = 1; run <= 4; run += 1) {
      await until(() => finished.length > 0);
      finished.pop()?.();
    }
    expect(most).toBe(1);
    await until(() => finished.length > 0);
    finished.pop()?.();
  });

  it('keep their interval across processes by the clock of the database', async () => {
    const task = new Work({ intervalSeconds: 10 });
    const sql = new SqlClient(configure());
    const leased = { extension: 'acme', name: task.name, intervalSeconds: 10 };
    const claim = () => TaskLease.claim(sql, leased, { leaseSeconds: 2, isForced: false }, () => undefined);
    const lease = await claim();
    expect(lease).not.toBeNull();
    await lease?.release('succeeded');
    expect(await claim()).toBeNull();
    await query(`update extension_tasks set began_at = now() - interval '7 seconds'`);
    expect(await claim()).toBeNull();
    const wait = await TaskLease.readWait(sql, leased);
    expect(wait).toBeGreaterThan(2);
    expect(wait).toBeLessThanOrEqual(3);
    await query(`update extension_tasks set began_at = now() - interval '11 seconds'`);
    expect(await TaskLease.readWait(sql, leased)).toBe(0);
    await (await claim())?.release('failed');
    // A longer interval before a deployment does not put the first run after it off.
    expect(await TaskLease.readWait(sql, { ...leased, intervalSeconds: 5 })).toBeLessThanOrEqual(5);
    await sql.onApplicationShutdown();
  });

  it('happen in every process when the task is not exclusive', async () => {
    const [one, other] = [0, 1].map(() => new Work({ intervalSeconds: 0.1, isExclusive: false, work: untilStopped }));
    startProcess(one as Work);
    startProcess(other as Work);
    await until(() => one?.beganAt.length === 1 && other?.beganAt.length === 1);
    expect(await row()).toBeUndefined();
  });

  it('happen in worker processes, not in processes with ROLE=api', async () => {
    const elsewhere = new Work({ intervalSeconds: 0.05 });
    startProcess(elsewhere, { ROLE: 'api' });
    const here = new Work({ intervalSeconds: 0.05 });
    startProcess(here, { ROLE: 'worker' });
    await until(() => here.beganAt.length > 3);
    expect(elsewhere.beganAt).toEqual([]);
  });

  it('appear in the metrics as a count of failures and the age of the last success', async () => {
    await query(`insert into extension_tasks (extension, task, succeeded_at) values ('gone', 'work', now())`);
    const failing = await startRun(new Work({ work: () => Promise.reject(new Error('no post office')) }));
    expect(await failing.run).toMatchObject({ message: expect.stringContaining('Work.run: no post office') });
    expect(await failuresOf(failing)).toBe('namewatch_extension_failures_total{extension="acme",port="task"} 1');
    expect((await failing.metrics.expose()).text).not.toMatch(/^namewatch_extension_task_age_seconds\{/m);
    const succeeding = await startRun(new Work());
    await succeeding.run;
    const { text } = await succeeding.metrics.expose();
    expect(text.match(/^namewatch_extension_task_age_seconds\{.*\}/gm)).toEqual([
      'namewatch_extension_task_age_seconds{extension="acme",task="work"}',
    ]);
  });
});

describe('a task run of a killed process', () => {
  it('is repeated by another process when its time-limited lock ends, before the next interval', async () => {
    await leaveRunOfDeadProcess();
    await query(`update extension_tasks set leased_until = now() + interval '1 second'`);
    const tasks = [new Work(), new Work()];
    for (const task of tasks) startSoon(task);
    const runs = () => tasks.reduce((count, { beganAt }) => count + beganAt.length, 0);
    await until(() => runs() > 0);
    await until(async () => (await row())?.['lease'] === null);
    expect(runs()).toBe(1);
    expect(lines).toContain('acme.work runs again: the process that ran it did not end it');
  });

  it('is repeated early only once; after that, it waits for its interval', async () => {
    await leaveRunOfDeadProcess(true);
    const sql = new SqlClient(configure());
    const leased = { extension: 'acme', name: 'work', intervalSeconds: 60 };
    const claim = () => TaskLease.claim(sql, leased, { leaseSeconds: 2, isForced: false }, () => undefined);
    expect(await claim()).toBeNull();
    expect(await TaskLease.readWait(sql, leased)).toBeGreaterThan(50);
    await query(`update extension_tasks set began_at = now() - interval '61 seconds'`);
    const lease = await claim();
    expect(lease).not.toBeNull();
    await lease?.release('succeeded');
    expect(await row()).toMatchObject({ is_repeat: false, lease: null });
    await sql.onApplicationShutdown();
  });
});

/** Starts a process whose first look at the task comes at once. */
function startSoon(task: Work): Running {
  const random = Math.random;
  Math.random = () => 0;
  try {
    return startProcess(task);
  } finally {
    Math.random = random;
  }
}

describe('a process that stops', () => {
  it('signals a running task to stop, waits for its end, and frees it for other processes', async () => {
    const task = new Work({ work: untilStopped });
    const stopped = await startRun(task);
    const next = new Work();
    startSoon(next); // looks while the task is leased
    stopped.tasks.stop();
    expect(task.signal?.reason).toMatchObject({ message: 'the process stops' });
    await stopped.tasks.onModuleDestroy();
    expect(await row()).toMatchObject({ lease: null, leased_until: null });
    await until(() => next.beganAt.length === 1);
    expect(await failuresOf(stopped)).toBe('none');
  });

  it('does not count a run that throws because of the stop as a failure', async () => {
    const work = async (signal: AbortSignal) => {
      await untilStopped(signal);
      signal.throwIfAborted();
    };
    const stopped = await startRun(new Work({ work }));
    await stopped.tasks.onModuleDestroy();
    await stopped.run;
    expect(await failuresOf(stopped)).toBe('none');
    expect(lines).toContain('acme.work was stopped: the process stops');
    expect(await row()).toMatchObject({ began_at: null, succeeded_at: null });
  });

  it('waits at most DRAIN_SECONDS for a run that ignores the signal, and keeps the task locked', async () => {
    const end = Promise.withResolvers<void>();
    const stopped = await startRun(new Work({ work: () => end.promise }));
    await stopped.tasks.onModuleDestroy();
    expect(lines).toContain('acme.work had the signal to stop 0.5 s ago, and still runs');
    expect(await row()).toMatchObject({ leased_until: expect.any(Date) });
    end.resolve();
    await stopped.run;
  });

  it('starts no new run', async () => {
    const task = new Work({ intervalSeconds: 0.05 });
    const process = startProcess(task);
    process.tasks.stop();
    const other = new Work({ intervalSeconds: 0.05 });
    startProcess(other);
    await until(() => other.beganAt.length > 3);
    expect(task.beganAt).toEqual([]);
  });
});

describe('while the database is unavailable', () => {
  const throughProxy = () => {
    const address = new URL(url);
    address.port = String(proxy.port);
    return { DATABASE_URL: address.href };
  };
  const isFailing = () => lines.some((line) => line.startsWith('the lease of acme.work could not be renewed'));

  it('a task run goes on as long as its time-limited lock lasts', async () => {
    const end = Promise.withResolvers<void>();
    const task = new Work({ work: () => end.promise });
    const { run } = await startRun(task, { LEASE_SECONDS: '3', ...throughProxy() });
    proxy.cut();
    await until(isFailing);
    expect(task.signal?.aborted).toBe(false);
    proxy.heal();
    const leasedUntil = async () => Number((await row())?.['leased_until']);
    const before = await leasedUntil();
    await until(async () => (await leasedUntil()) > before);
    expect(task.signal?.aborted).toBe(false);
    end.resolve();
    expect(await run).toBeUndefined();
    expect((await row())?.['succeeded_at']).toBeInstanceOf(Date);
  });

  it('a task run is told to stop when its time-limited lock ends', async () => {
    const task = new Work({ work: untilStopped });
    const { run } = await startRun(task, throughProxy());
    proxy.silence();
    await until(() => task.signal?.aborted);
    expect(task.signal?.reason).toMatchObject({ message: 'the lease was lost: it was not renewed in time' });
    expect(lines).toContain('acme.work stops, its lease was lost: it was not renewed in time');
    proxy.heal();
    expect(await run).toBeUndefined();
  });

  it('a task runs again if the end of its run could not be stored', async () => {
    const task = new Work();
    task.work = () => Promise.resolve(task.beganAt.length === 1 && proxy.cut());
    const { run } = await startRun(task, throughProxy());
    await run;
    expect(lines).toContainEqual(
      expect.stringMatching(/^acme\.work ended, and runs again: that could not be noted \(/),
    );
    proxy.heal();
    startSoon(task);
    await until(() => task.beganAt.length === 2);
  });

  it('a task starts once the outage is over, without a log line for each failed try', async () => {
    proxy.cut();
    const task = new Work({ intervalSeconds: 0.2 });
    startProcess(task, throughProxy());
    await until(() => lines.some((line) => line.includes('PostgreSQL')));
    proxy.heal();
    await until(() => task.beganAt.length === 1);
    expect(lines.filter((line) => line.startsWith('acme.work'))).toEqual([]);
  });
});

describe("after the database's clock was set back", () => {
  it('a task does not wait until the clock has caught up', async () => {
    await query(`insert into extension_tasks (extension, task, began_at, leased_until, lease, is_repeat)
      values ('acme', 'work', now() + interval '1 hour', now() + interval '1 hour', 'dead', false)`);
    await startProcess(new Work()).repair.run();
    const [left] =
      await query(`select began_at <= now() as began, leased_until <= now() + interval '2 seconds' as leased
      from extension_tasks`);
    expect(left).toEqual({ began: true, leased: true });
  });
});

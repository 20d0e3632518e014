import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, startChild } from '../child.js';
import { median, rounded } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { readUsage } from './usage.js';

const LAUNCHER = join(import.meta.dirname, '../../../bin/namewatch.mjs');
const NAMES = 300;
const REST_SECONDS = 10;
const IDLE_SECONDS = 60;

interface Run {
  /** MiB. */
  readonly fresh: number;
  readonly used: number;
  /** Percent of a core. */
  readonly idle: number;
  readonly readySeconds: number;
}

/** One process with everything, its PostgreSQL included; `--seconds 1800 --rounds 1` uses it for half an hour. */
export const suite: Suite = {
  name: 'footprint',
  about: `what the service in one process takes of a machine, PostgreSQL included, fresh and after use with ${NAMES} names`,
  limitSeconds: 9_000,
  measure,
};

async function measure(plan: RunOptions): Promise<Figure[]> {
  const runs: Run[] = [];
  for (let round = 0; round < plan.rounds; round += 1) runs.push(await measureRun(plan.seconds));
  const figure = (what: string, unit: string, part: keyof Run): Figure => {
    const ours = rounded(median(runs.map((run) => run[part])));
    return { what, unit, ours, baseline: null, ratio: null, besides: {} };
  };
  return [
    figure('memory of all processes, fresh', 'MiB', 'fresh'),
    figure(`memory of all processes, ${NAMES} names and ${plan.seconds} s later`, 'MiB', 'used'),
    figure(`processor time, idle with ${NAMES} names`, '% of a core', 'idle'),
    figure('first start', 's', 'readySeconds'),
  ];
}

async function measureRun(useSeconds: number): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'namewatch-bench-'));
  const began = performance.now();
  const service = await startChild([LAUNCHER, 'up'], {
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    SANDBOX: 'true',
    RDAP_BOOTSTRAP_URL: 'off',
    LOG_LEVEL: 'warn',
  });
  try {
    const readySeconds = (performance.now() - began) / 1_000;
    await pause(REST_SECONDS * 1_000);
    const fresh = readUsage(service.pid).mebibytes;
    await useService(service, readFileSync(join(folder, 'data/first-key'), 'utf8').trim(), useSeconds);
    await pause(REST_SECONDS * 1_000);
    const before = readUsage(service.pid);
    await pause(IDLE_SECONDS * 1_000);
    const after = readUsage(service.pid);
    const idle = (100 * (after.processorSeconds - before.processorSeconds)) / IDLE_SECONDS;
    return { fresh, used: after.mebibytes, idle, readySeconds };
  } finally {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As somebody does who keeps the dashboard open: a page and a check every second, the API document once. */
async function useService({ address }: Child, key: string, seconds: number): Promise<void> {
  const request = async (path: string, body?: object) => {
    const answer = await fetch(`${address}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  };
  const until = performance.now() + seconds * 1_000;
  const statuses = ['registered', 'expiring', 'available', 'lifecycle-3600s'];
  for (let index = 0; index < NAMES; index += 1) {
    const domain = `n${index}--${statuses[index % statuses.length]}.test`;
    await request('/v1/watchlist', { domain, interval_minutes: 5 });
    await pause(150); // within the requests that an account has a minute
  }
  await request('/openapi.json');
  while (performance.now() < until) {
    await request('/v1/watchlist?per_page=50&expand=lifecycle');
    await request('/v1/domains/check?domain=available.test');
    await pause(1_000);
  }
}

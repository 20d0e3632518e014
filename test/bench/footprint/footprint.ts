import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, startService } from '../child.js';
import { closeAll, temporaryFolder } from '../cleanup.js';
import { median, rounded } from '../comparison.js';
import type { Figure, RunOptions, Suite } from '../suite.js';
import { readUsage } from './usage.js';

const NAMES = 300;
const START_SECONDS = 10;
/** After it V8 has given the garbage of the start, or of the use, back to the system. */
const REST_SECONDS = 180;
const IDLE_SECONDS = 60;

interface AtRest {
  readonly mebibytes: number;
  readonly percentOfCore: number;
}

interface Run {
  readonly readySeconds: number;
  readonly startMebibytes: number;
  readonly fresh: AtRest;
  readonly used: AtRest;
}

/** One process with everything, its PostgreSQL included; `--seconds 1800 --rounds 1` uses it for half an hour. */
export const suite: Suite = {
  name: 'footprint',
  about: `what the service in one process takes of a machine, PostgreSQL included, at rest, without names and with ${NAMES} that are checked hourly`,
  limitSeconds: 9_000,
  measure,
};

async function measure(plan: RunOptions): Promise<Figure[]> {
  const runs: Run[] = [];
  for (let round = 0; round < plan.rounds; round += 1) runs.push(await measureRun(plan.seconds));
  const figure = (what: string, unit: string, read: (run: Run) => number): Figure => {
    const ours = rounded(median(runs.map(read)));
    return { what, unit, ours, baseline: null, ratio: null, besides: {} };
  };
  return [
    figure('first start', 's', (run) => run.readySeconds),
    figure(`memory of all processes, ${START_SECONDS} s after the start`, 'MiB', (run) => run.startMebibytes),
    figure('memory at rest, no names', 'MiB', (run) => run.fresh.mebibytes),
    figure('processor at rest, no names', '% of a core', (run) => run.fresh.percentOfCore),
    figure(`memory at rest, ${NAMES} names, used for ${plan.seconds} s`, 'MiB', (run) => run.used.mebibytes),
    figure(`processor at rest, ${NAMES} names`, '% of a core', (run) => run.used.percentOfCore),
  ];
}

async function measureRun(useSeconds: number): Promise<Run> {
  const folder = temporaryFolder();
  const began = performance.now();
  const service = await startService({
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    SANDBOX: 'true',
    RDAP_BOOTSTRAP_URL: 'off',
    LOG_LEVEL: 'warn',
  });
  const readySeconds = (performance.now() - began) / 1_000;
  await pause(START_SECONDS * 1_000);
  const startMebibytes = readUsage(service.pid).mebibytes;
  const fresh = await measureAtRest(service.pid);
  await useService(service, readFileSync(join(folder, 'data/first-key'), 'utf8').trim(), useSeconds);
  const used = await measureAtRest(service.pid);
  await closeAll();
  return { readySeconds, startMebibytes, fresh, used };
}

async function measureAtRest(pid: number): Promise<AtRest> {
  await pause(REST_SECONDS * 1_000);
  const before = readUsage(pid);
  await pause(IDLE_SECONDS * 1_000);
  const { mebibytes, processorSeconds } = readUsage(pid);
  return { mebibytes, percentOfCore: (100 * (processorSeconds - before.processorSeconds)) / IDLE_SECONDS };
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
    await request('/v1/watchlist', { domain, interval_minutes: 60 });
    await pause(150); // within the requests that an account has a minute
  }
  await request('/openapi.json');
  while (performance.now() < until) {
    await request('/v1/watchlist?per_page=50&expand=lifecycle');
    await request('/v1/domains/check?domain=available.test');
    await pause(1_000);
  }
}

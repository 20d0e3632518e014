import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { ApiClient } from './clients/api-client.js';
import { Cluster } from './cluster/cluster.js';
import { LEASE_SECONDS } from './cluster/settings.js';
import { acceptedEvents } from './invariants/deliveries-finish.js';
import { awaitRunning } from './run-seed.js';
import { type InjectedFault, injectFaults } from './scenario/fault-injector.js';
import { SeededRandom } from './scenario/seeded-random.js';
import { DAYS, findGrowth, highest, type Sample } from './soak-samples.js';
import type { LifecycleState } from './world/registry-state.js';
import { TLDS } from './world/registries.js';

/**
 * `npm run -s soak [-- --minutes 25 --names 100000 --seed 1 --other ../before]`: a simulated
 * month under faults, and whether anything grows. See docs/faults.md.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '25' },
    names: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    other: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const size = Number(values.names);
const random = new SeededRandom(values.seed);

const TIME_SCALE = Math.round((DAYS * 24 * 60) / minutes);
/** Most names are looked up once a simulated month, which is all that one machine can, and those that change each day. */
const [MONTHLY, DAILY] = [43_200, 1_440];
const CHANGING = 200;
const RETENTION_DAYS = '3';
const SAMPLE_MS = 5_000;
const PATIENCE_MS = 120_000;
const FAULT_PAUSE_MS = { least: 3_000, most: 9_000 };
const NEXT: Readonly<Record<LifecycleState, LifecycleState>> = {
  registered: 'expiring',
  expiring: 'pending_delete',
  pending_delete: 'available',
  available: 'registered',
};

interface Followed {
  readonly name: string;
  state: LifecycleState;
  changes: number;
  firstSeq: number;
}

interface AddedEntry {
  readonly id: string;
  readonly domain: string;
}

const plan = {
  entries: 0,
  channels: 0,
  requests_per_minute: 0,
  intervals: [DAILY, MONTHLY],
  default_interval: MONTHLY,
  history_days: Number(RETENTION_DAYS),
};
const settings = {
  TIME_SCALE: String(TIME_SCALE),
  EVENT_RETENTION_DAYS: RETENTION_DAYS,
  AUDIT_RETENTION_DAYS: RETENTION_DAYS,
  LOG_LEVEL: 'warn',
};
const cluster = await Cluster.open(
  { queue: 'redis', mutant: null, settings, plan, otherVersion: values.other },
  random,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void cluster.close(false).finally(() => process.exit(1)));
process.once('uncaughtException', (error) => {
  console.error(error);
  void cluster.close(true).finally(() => process.exit(1));
});
const { postgres, redis, registries, receivers, processes } = cluster;
await cluster.start();
const redisClient = new Redis(redis?.url ?? '', { maxRetriesPerRequest: null, retryStrategy: () => 500 });
redisClient.on('error', () => undefined); // it is killed again and again
const client = new ApiClient(
  cluster.key,
  processes.filter(({ role }) => role === 'api'),
  random.fork('client'),
);
/** The first of each role meets all faults; the others are never killed, so that what they keep can be seen. */
const victims = processes.filter(({ name }) => name.endsWith('-1'));
const survivors = processes.filter(({ name }) => name.endsWith('-2'));

const followed: Followed[] = Array.from({ length: CHANGING }, (_, i) => {
  const name = `changing-${i}.${TLDS[i % TLDS.length] ?? ''}`;
  return { name, state: 'registered', changes: 0, firstSeq: 0 };
});
const steady = Array.from({ length: size - CHANGING }, (_, i) => `steady-${i}.${TLDS[i % 2] ?? ''}`);
for (const name of [...steady, ...followed.map((one) => one.name)]) registries.setState(name, 'registered');

const channel = await client.call(
  { method: 'POST', path: '/v1/notifications', body: { type: 'webhook', target: receivers.url('moody-1') } },
  20_000,
);
receivers.setSecret('moody-1', String(channel?.body['secret']));
for (const { name } of followed)
  await client.call({ method: 'POST', path: '/v1/watchlist', body: { domain: name, interval_minutes: DAILY } }, 20_000);
await importNames(steady);
await awaitFirstChecks();
for (const one of followed) one.firstSeq = await lastSeq(one.name);

const began = Date.now();
const stop = new AbortController();
const samples: Sample[] = [];
const faults: InjectedFault[] = [];
const added: AddedEntry[] = [];
const removed: AddedEntry[] = [];
/** Ids of events about a status; retention deletes the events themselves. */
const published = new Set<string>();
let additions = 0;
const toDay = (at: number) => ((at - began) / 60_000 / minutes) * DAYS;
console.log(`${size} names were checked; ${DAYS} days begin, ${minutes} minutes, TIME_SCALE ${TIME_SCALE}`);
setTimeout(() => stop.abort(), minutes * 60_000);

const context = {
  ...cluster,
  processes: victims,
  postgres,
  redis,
  leaseSeconds: LEASE_SECONDS,
  scenario: { holdNames: () => pause(LEASE_SECONDS * 1_000), release: () => undefined },
};
await Promise.all([
  injectFaults(
    context,
    random.fork('faults'),
    stop.signal,
    (fault) => {
      const hasHappened = !fault.isMissed && !fault.what.startsWith('an incident failed');
      if (hasHappened) faults.push(fault);
      else console.log(`no fault: ${fault.what}`);
    },
    FAULT_PAUSE_MS,
  ),
  repeat(SAMPLE_MS, takeSample),
  repeat(1_000, changeNames),
  repeat(500, addAndRemove),
]);

receivers.stopFailing();
const unfinished = await awaitRunning(cluster, 60_000);
await awaitShown();
await noteEvents();
const problems = [...unfinished, ...(await findLoss()), ...findGrowth(samples), ...findIdleness()];
report();
redisClient.disconnect();
await cluster.close(problems.length > 0);
if (problems.length > 0) console.log(`logs are in ${cluster.folder}`);
console.log(`\n${problems.length === 0 ? 1 : 0} passed, ${problems.length} failed`);
process.exit(problems.length > 0 ? 1 : 0);

async function importNames(names: readonly string[]): Promise<void> {
  const [api] = survivors.filter(({ role }) => role === 'api');
  const answer = await fetch(`${api?.address}/v1/watchlist/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cluster.key}`, 'content-type': 'text/csv' },
    body: `domain,interval_minutes\n${names.map((name) => `${name},${MONTHLY}`).join('\n')}\n`,
  });
  const body = (await answer.json()) as { created?: number };
  if (body.created !== names.length) throw new Error(`the import failed: ${JSON.stringify(body)}`);
}

async function awaitFirstChecks(): Promise<void> {
  const unchecked = 'select count(*)::int as value from watch_entries where not has_confirmed_facts';
  while ((await postgres.queryNumber(unchecked)) > 0) await pause(2_000);
}

function lastSeq(domain: string): Promise<number> {
  return postgres.queryNumber(
    `select max(h.change_seq) as value from watch_history h join watch_entries e on e.id = h.entry_id where e.domain = $1`,
    [domain],
  );
}

function countPending(): Promise<number> {
  return postgres.queryNumber(`select count(*)::int as value from deliveries where state = 'pending'`);
}

async function repeat(intervalMs: number, work: () => Promise<void>): Promise<void> {
  while (!stop.signal.aborted) {
    await work();
    await pause(intervalMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

/** A name changes only after its last change is shown, so that none may be skipped. */
async function changeNames(): Promise<void> {
  const shown = await shownStates();
  for (const one of followed) {
    if (shown.get(one.name) !== one.state || stop.signal.aborted || random.nextBoolean(0.7)) continue;
    one.state = NEXT[one.state];
    one.changes += 1;
    registries.setState(one.name, one.state);
  }
}

async function shownStates(): Promise<Map<string, string>> {
  const rows = await postgres.query<{ domain: string; status: string }>(
    'select domain, status from watch_entries where domain = any($1)',
    [followed.map(({ name }) => name)],
  );
  return new Map(rows.map(({ domain, status }) => [domain, status]));
}

/** Of what was acknowledged half is removed again. */
async function addAndRemove(): Promise<void> {
  const domain = `added-${(additions += 1)}.alpha`;
  registries.setState(domain, 'registered');
  const answer = await client.call({ method: 'POST', path: '/v1/watchlist', body: { domain } }, 60_000);
  if (answer?.status === 201) added.push({ id: String(answer.body['id']), domain });
  const oldest = added.length > 200 ? added.shift() : undefined;
  if (!oldest) return;
  const gone = await client.call({ method: 'DELETE', path: `/v1/watchlist/${oldest.id}` }, 60_000);
  if (gone !== null && [204, 404].includes(gone.status)) removed.push(oldest);
}

async function takeSample(): Promise<void> {
  const values: Record<string, number> = {};
  for (const { name, pid } of survivors) {
    if (pid === null) continue;
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      values[`memory of ${name}, MB`] = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
      values[`handles of ${name}`] = readdirSync(`/proc/${pid}/fd`).length;
      values[`threads of ${name}`] = Number(/Threads:\s+(\d+)/.exec(status)?.[1]);
    } catch {
      // it ends
    }
  }
  values['memory of Redis, MB'] = await redisMemory();
  values['connections to PostgreSQL'] = await postgres.queryNumber(
    `select count(*)::int as value from pg_stat_activity where datname = current_database()`,
  );
  const tables = await postgres.query<{ name: string; bytes: string; dead: string }>(
    `select relname as name, pg_total_relation_size(relid) as bytes, n_dead_tup as dead from pg_stat_user_tables`,
  );
  for (const { name, bytes } of tables) values[`table ${name}, MB`] = Number(bytes) / 2 ** 20;
  values['tables and indexes, MB'] = tables.reduce((sum, { bytes }) => sum + Number(bytes), 0) / 2 ** 20;
  values['dead rows'] = tables.reduce((sum, { dead }) => sum + Number(dead), 0);
  await noteEvents();
  values['log of PostgreSQL, MB'] = folderBytes(join(cluster.folder, 'pg/pg_wal')) / 2 ** 20;
  const late = await postgres.queryNumber(
    'select coalesce(max(extract(epoch from now() - next_check_at)), 0)::float8 as value from watched_names',
  );
  values['most overdue check, s'] = Math.max(0, late);
  samples.push({ day: toDay(Date.now()), values });
}

/** Of changes of records a channel that names no types is sent only those of names of one's own. */
async function noteEvents(): Promise<void> {
  const events = await postgres.query<{ id: string }>(
    `select id from events where type in ('watchlist.status_changed', 'watchlist.available')`,
  );
  for (const { id } of events) published.add(id);
}

async function redisMemory(): Promise<number> {
  const info = await Promise.race([redisClient.info('memory'), pause(1_000, '')]).catch(() => '');
  return Number(/used_memory:(\d+)/.exec(info)?.[1] ?? NaN) / 2 ** 20;
}

function folderBytes(folder: string): number {
  return readdirSync(folder)
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })) // it may have been recycled meanwhile
    .reduce((sum, file) => sum + (file?.size ?? 0), 0);
}

/** Waits as long as deliveries become fewer: how fast depends on the machine. */
async function awaitShown(): Promise<void> {
  for (let fewest = Infinity, since = Date.now(); Date.now() - since < PATIENCE_MS;) {
    const shown = await shownStates();
    const pending = await countPending();
    if (pending === 0 && followed.every(({ name, state }) => shown.get(name) === state)) return;
    if (pending < fewest) [fewest, since] = [pending, Date.now()];
    await pause(1_000);
  }
}

/**
 * Confirmed changes that are missing, entries that never were, states shown wrong, and changes that nobody was told.
 */
async function findLoss(): Promise<string[]> {
  const found: string[] = [];
  const shown = await shownStates();
  for (const { name, state, changes, firstSeq } of followed) {
    const seen = (await lastSeq(name)) - firstSeq;
    if (shown.get(name) !== state) found.push(`${name} shows ${shown.get(name)}, and is ${state}`);
    if (seen !== changes) found.push(`${name} changed ${changes} times, and has ${seen} changes`);
  }
  const rows = await postgres.query<{ id: string }>('select id from watch_entries');
  const there = new Set(rows.map(({ id }) => id));
  for (const { id, domain } of added) if (!there.has(id)) found.push(`${domain} was confirmed, and is lost`);
  for (const { id, domain } of removed) if (there.has(id)) found.push(`${domain} was removed, and is there`);
  const pending = await countPending();
  if (pending > 0) found.push(`${pending} deliveries wait`);
  const told = new Set(acceptedEvents({ arrivals: receivers.arrivals, mailed: [] }).map(({ event }) => event));
  const untold = [...published].filter((id) => !told.has(id));
  if (untold.length > 0) found.push(`${untold.length} events reached no receiver, such as ${untold[0]}`);
  if (published.size < countChanges()) found.push(`${countChanges()} changes are only ${published.size} events`);
  return [...found, ...client.unexpectedResponses];
}

/** A month in which hardly anything happened shows nothing. */
function findIdleness(): string[] {
  const least = { 'confirmed writes': 50, changes: CHANGING, faults: 2 * minutes };
  const counted: typeof least = { 'confirmed writes': added.length, changes: countChanges(), faults: faults.length };
  return Object.entries(least).flatMap(([what, atLeast]) => {
    const count = counted[what as keyof typeof least];
    return count < atLeast ? [`only ${count} ${what}`] : [];
  });
}

function countChanges(): number {
  return followed.reduce((sum, one) => sum + one.changes, 0);
}

function report(): void {
  const kinds = new Set(faults.map(({ what }) => what.replace(/\d+ ms|\d+ s\b|-?\d+/g, '…')));
  const starts = victims.map(({ name, starts: count }) => `${name} ${count}`).join(', ');
  console.log(`starts: ${starts}${values.other === undefined ? '' : ', every second one of the other version'}`);
  console.log(
    `${faults.length} faults of ${kinds.size} kinds; ${countChanges()} changes; ${published.size} events; ${receivers.arrivals.length} webhooks`,
  );
  console.log(`confirmed writes: ${added.length + 2 * removed.length}`);
  const names = [...new Set(samples.flatMap((one) => Object.keys(one.values)))].sort();
  for (const name of names) {
    const quarters = ([0, 1, 2, 3] as const).map((n) => highest(samples, name, [n * 7.5, n * 7.5 + 7.5]).toFixed(1));
    console.log(`  ${name.padEnd(40)} ${quarters.join(' ')}`);
  }
  for (const problem of problems) console.log(`  FAILED ${problem}`);
}

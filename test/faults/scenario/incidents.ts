import { setTimeout as pause } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.js';
import type { ServiceProcess, Role } from '../cluster/service-process.js';
import type { FaultyPostgres } from '../cluster/postgres.js';
import type { FaultyRedis } from '../cluster/redis.js';
import type { Scenario } from './scenario.js';

/** The targets of incidents. */
export interface IncidentContext {
  readonly processes: readonly ServiceProcess[];
  readonly postgres: FaultyPostgres;
  /** null: the queue is in PostgreSQL. */
  readonly redis: FaultyRedis | null;
  /** How long a lease lasts. */
  readonly leaseSeconds: number;
  readonly scenario: Pick<Scenario, 'holdNames' | 'release'>;
}

/** A done incident, and how long it lasts. */
export interface IncidentOutcome {
  readonly what: string;
  readonly durationMs?: number;
  /** Resolves when it is over, if its duration is not known in advance. */
  readonly over?: Promise<void>;
  /** It was required and did not happen in time. */
  readonly isMissed?: boolean;
}

/** Resolves when the next incident may start. */
export type Incident = (scene: IncidentContext, random: SeededRandom) => Promise<IncidentOutcome>;

/** The failpoints of each role; see preload/failpoints.ts. */
const POINTS: Readonly<Record<Role, readonly string[]>> = {
  api: ['entry.adding', 'entry.added', 'work.committed'],
  scheduler: ['check.claimed', 'job.enqueuing', 'job.enqueued'],
  worker: [
    'check.held',
    'check.looked-up',
    'check.recording',
    'check.recorded',
    'transition.lease-released',
    'transition.publishing',
    'transition.published',
    'work.committed',
    'delivery.claimed',
    'delivery.begun',
    'delivery.sent',
    'delivery.saved',
    'delivery.ended',
  ],
};
/** Where a worker holds leases on names whose check is not recorded. */
const POINTS_HOLDING_NAMES = ['check.held', 'check.looked-up', 'check.recording'];
/** Where a change is written and not yet committed with its events. */
const POINTS_PUBLISHING = ['transition.publishing', 'transition.published'];
/** These lie inside a transaction with rows locked, and between the registry's answer and its record. */
const FREEZE_POINTS = ['transition.published', 'delivery.saved', 'check.looked-up', 'delivery.begun'];
/** Workers hold most of what can be lost or duplicated. */
const ROLES: readonly Role[] = ['worker', 'worker', 'worker', 'scheduler', 'api'];

const POINT_TIMEOUT_MS = 3_000;
const OUTAGE_MS = { least: 1_000, most: 4_000 };
const SLOW_MS = { least: 3_000, most: 6_000 };
/** The delay of a statement. */
const STATEMENT_DELAY_MS = 100;
/** The delay of an answer of PostgreSQL, while a process starts. */
const ANSWER_DELAY_MS = { least: 200, most: 900 };
/** An hour ahead, an hour behind, a month ahead. */
const CLOCK_STEPS_SECONDS = [3_600, -3_600, 30 * 86_400];

/** How long a required incident is tried; on a busy machine a restart takes a while. */
const REQUIRED_TIMEOUT_MS = 60_000;
const SLACK_SECONDS = 2;
const MAX_FROZEN_SECONDS = 60;
/** Half of the five seconds in which every name is checked once. */
const GATHER_MS = 2_500;
const NOT_PASSED = ', which it did not reach in time';

/**
 * A worker is frozen between its lookups and their record until another worker has checked its names, which have changed
 * by then. Its results are outdated when it resumes, and its leases are gone.
 */
const freezeHoldingLookups: Incident = async ({ processes, leaseSeconds, scenario }, random) => {
  for (const until = Date.now() + REQUIRED_TIMEOUT_MS; Date.now() < until;) {
    const victim = await pickRunning(processes, 'worker', random);
    const names = await victim.freezeAt('check.recording', MAX_FROZEN_SECONDS, GATHER_MS + POINT_TIMEOUT_MS, GATHER_MS);
    if (!names) continue;
    const over = Promise.all([scenario.holdNames(names), pause((leaseSeconds + SLACK_SECONDS) * 1_000)]).then(() => {
      victim.resume();
      scenario.release();
    });
    return { what: `freeze ${victim.name} with ${names.length} lookup results until they are outdated`, over };
  }
  scenario.release();
  return { what: 'no worker held lookup results to be frozen with', isMissed: true };
};

/** A worker dies while it holds leases, which have to expire before another worker checks the names. */
const killHoldingNames: Incident = (scene, random) => killWorker(scene, random, POINTS_HOLDING_NAMES, 'holding names');

/** A worker dies while it publishes a change: change and events are committed together or not at all. */
const killPublishing: Incident = (scene, random) => killWorker(scene, random, POINTS_PUBLISHING, 'with a change');

async function killWorker(
  { processes }: IncidentContext,
  random: SeededRandom,
  points: readonly string[],
  doing: string,
): Promise<IncidentOutcome> {
  for (const until = Date.now() + REQUIRED_TIMEOUT_MS; Date.now() < until;) {
    const victim = await pickRunning(processes, 'worker', random);
    if (victim.address === null) continue; // it is still starting
    const point = random.pick(points);
    if (await victim.killAt(point, POINT_TIMEOUT_MS)) return { what: `kill ${victim.name} at ${point}, ${doing}` };
  }
  return { what: `no worker could be killed ${doing}`, isMissed: true };
}

const killAtPoint: Incident = async ({ processes }, random) => {
  const role = random.pick(ROLES.filter((one) => !isAnyFrozen(processes, one)));
  const point = random.pick(POINTS[role]);
  const victim = await pickRunning(processes, role, random);
  const died = await victim.killAt(point, POINT_TIMEOUT_MS);
  return { what: `kill ${victim.name} at ${point}${died ? '' : NOT_PASSED}` };
};

const killAnywhere: Incident = async ({ processes }, random) => {
  const role = random.pick(ROLES.filter((one) => !isAnyFrozen(processes, one)));
  const victim = await pickRunning(processes, role, random);
  victim.kill();
  await victim.waitForExit(POINT_TIMEOUT_MS);
  return { what: `kill ${victim.name}` };
};

/** Longer than a lease, so that another process has taken over its work when it resumes. */
const freeze: Incident = async ({ processes, leaseSeconds }, random) => {
  const roles = (['worker', 'scheduler'] as const).filter((role) => !isAnyFrozen(processes, role));
  const victim = await pickRunning(processes, roles.length > 0 ? random.pick(roles) : 'scheduler', random);
  const seconds = leaseSeconds + 2;
  victim.freeze(seconds);
  return { what: `freeze ${victim.name} for ${seconds} s`, durationMs: seconds * 1_000 };
};

const freezeAtPoint: Incident = async (scene, random) => {
  const { processes, leaseSeconds } = scene;
  if (isAnyFrozen(processes, 'worker')) return killAtPoint(scene, random);
  const victim = await pickRunning(processes, 'worker', random);
  const point = random.pick(FREEZE_POINTS);
  const seconds = leaseSeconds + 2;
  const frozenWith = await victim.freezeAt(point, seconds, POINT_TIMEOUT_MS);
  const what = `freeze ${victim.name} at ${point} for ${seconds} s`;
  return frozenWith ? { what, durationMs: seconds * 1_000 } : { what: what + NOT_PASSED };
};

const stepClock: Incident = async ({ processes }, random) => {
  const victim = await pickRunning(processes, random.pick(ROLES), random);
  const seconds = random.pick(CLOCK_STEPS_SECONDS);
  victim.send({ act: 'clock', point: null, seconds });
  return { what: `the clock of ${victim.name} is ${seconds} s ahead` };
};

const postgresFails: Incident = async ({ postgres }, random) => {
  const way = random.pick(['crash', 'away', 'silent', 'hangUp'] as const);
  const milliseconds = Math.round(random.between(OUTAGE_MS.least, OUTAGE_MS.most));
  await postgres[way](milliseconds);
  return { what: `PostgreSQL: ${way}${way === 'away' || way === 'silent' ? ` for ${milliseconds} ms` : ''}` };
};

const redisFails: Incident = async (scene, random) => {
  const { redis } = scene;
  if (!redis) return postgresFails(scene, random);
  const way = random.pick(['away', 'silent', 'full', 'flush', 'hangUp'] as const);
  const milliseconds = Math.round(random.between(OUTAGE_MS.least, OUTAGE_MS.most));
  await redis[way](milliseconds);
  return { what: `Redis: ${way}${way === 'flush' || way === 'hangUp' ? '' : ` for ${milliseconds} ms`}` };
};

const postgresIsSlow: Incident = async ({ postgres }, random) => {
  const milliseconds = Math.round(random.between(SLOW_MS.least, SLOW_MS.most));
  await postgres.slow(milliseconds, STATEMENT_DELAY_MS);
  return { what: `PostgreSQL: ${STATEMENT_DELAY_MS} ms a statement for ${milliseconds} ms` };
};

/** A process reads the database's time while its answers come late: its clock must not be behind for that. */
const startWithLateAnswers: Incident = async ({ processes, postgres }, random) => {
  const victim = await pickRunning(processes, 'worker', random);
  const delayMs = Math.round(random.between(ANSWER_DELAY_MS.least, ANSWER_DELAY_MS.most));
  const milliseconds = Math.round(random.between(SLOW_MS.least, SLOW_MS.most));
  victim.kill();
  await victim.waitForExit(POINT_TIMEOUT_MS);
  await postgres.answersLate(milliseconds, delayMs);
  return { what: `kill ${victim.name}, and PostgreSQL answers ${delayMs} ms later for ${milliseconds} ms` };
};

const redisPauses: Incident = async (scene, random) => {
  const { redis } = scene;
  if (!redis) return postgresIsSlow(scene, random);
  const milliseconds = Math.round(random.between(OUTAGE_MS.least, OUTAGE_MS.most));
  await redis.paused(milliseconds);
  return { what: `Redis: pauses for ${milliseconds} ms` };
};

const RANDOM_INCIDENTS: readonly Incident[] = [
  killAtPoint,
  killAtPoint,
  killAtPoint,
  killAtPoint,
  killAtPoint,
  killAnywhere,
  freeze,
  freezeAtPoint,
  stepClock,
  postgresFails,
  redisFails,
  redisFails,
  postgresIsSlow,
  redisPauses,
  startWithLateAnswers,
];

/** Every run starts with these. */
export const REQUIRED_INCIDENTS: readonly Incident[] = [killHoldingNames, killPublishing, freezeHoldingLookups];

const OTHER_KINDS = [...new Set(RANDOM_INCIDENTS)];
/** How many incidents have to come for each kind to come once. */
export const INCIDENT_KINDS = REQUIRED_INCIDENTS.length + OTHER_KINDS.length;

/** Then each other kind once, and from then on all of them by their weight, both shuffled by the seed. */
export function* incidents(random: SeededRandom): Generator<Incident, never> {
  yield* REQUIRED_INCIDENTS;
  yield* random.shuffle(OTHER_KINDS);
  for (;;) yield* random.shuffle(RANDOM_INCIDENTS);
}

/** With one of two frozen, stopping the other would stop all work of the role. */
function isAnyFrozen(processes: readonly ServiceProcess[], role: Role): boolean {
  return processes.some((instance) => instance.role === role && instance.isFrozen);
}

/** Prefers processes that are not frozen: a frozen one shall resume with what it holds. */
async function pickRunning(
  processes: readonly ServiceProcess[],
  role: Role,
  random: SeededRandom,
): Promise<ServiceProcess> {
  const twins = processes.filter((instance) => instance.role === role);
  const awake = twins.filter(({ isFrozen: isAsleep }) => !isAsleep);
  const chosen = random.pick(awake.length > 0 ? awake : twins);
  const up = [chosen, ...awake].find(({ address }) => address !== null);
  if (!up) await Promise.race([chosen.whenReady(), pause(POINT_TIMEOUT_MS)]);
  return up ?? chosen;
}

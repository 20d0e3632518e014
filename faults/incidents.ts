import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import type { Member, Role } from './member.js';
import type { OwnPostgres } from './own-postgres.js';
import type { OwnRedis } from './own-redis.js';

/** What can be done to a run. */
export interface Scene {
  readonly members: readonly Member[];
  readonly postgres: OwnPostgres;
  /** null: the queue lives in PostgreSQL. */
  readonly redis: OwnRedis | null;
  /** Of a lease. */
  readonly leaseSeconds: number;
}

/** What became of it, and for how long it goes on after that; milliseconds. */
export interface Outcome {
  readonly what: string;
  readonly lasts?: number;
}

/** One thing that goes wrong; resolves when the next one may. */
export type Incident = (scene: Scene, chance: Chance) => Promise<Outcome>;

/** Whose work passes which points; see inside/points.ts. */
const POINTS: Readonly<Record<Role, readonly string[]>> = {
  api: ['entry.adding', 'entry.added', 'work.committed'],
  scheduler: ['check.claimed', 'delivery.claimed', 'bell.ringing', 'bell.rung'],
  worker: [
    ...['check.held', 'check.looked', 'check.recording', 'check.recorded', 'move.lease-ended', 'move.made'],
    ...['move.told', 'work.committed', 'delivery.reclaimed', 'delivery.begun', 'delivery.sent', 'delivery.saved'],
    'delivery.ended',
  ],
};
/** In the middle of a transaction, with rows locked; and between the registry's answer and its record. */
const FREEZING_POINTS = ['move.told', 'delivery.saved', 'check.looked', 'delivery.begun'];
/** Most of what can be lost or doubled is in a worker's hands. */
const ROLES: readonly Role[] = ['worker', 'worker', 'worker', 'scheduler', 'api'];

/** Milliseconds. */
const UNTIL_PASSED = 4_000;
const OUTAGE = { least: 1_000, most: 4_000 };
/** Seconds: an hour to and fro, a month ahead. */
const STEPS = [3_600, -3_600, 30 * 86_400];

const SPARE = { act: 'spare', point: null, seconds: 0 } as const;

const killAtPoint: Incident = async ({ members }, chance) => {
  const role = chance.of(ROLES);
  const point = chance.of(POINTS[role]);
  const victim = await someoneUp(members, role, chance);
  victim.order({ act: 'kill', point, seconds: 0 });
  const died = await victim.death(UNTIL_PASSED);
  victim.order(SPARE);
  return { what: `kill ${victim.name} at ${point}${died ? '' : ', which it did not pass in time'}` };
};

const killAnywhere: Incident = async ({ members }, chance) => {
  const victim = await someoneUp(members, chance.of(ROLES), chance);
  victim.kill();
  await victim.death(UNTIL_PASSED);
  return { what: `kill ${victim.name}` };
};

/** For longer than a lease, so that it comes back to find its work in other hands. */
const freeze: Incident = async ({ members, leaseSeconds }, chance) => {
  const victim = await someoneUp(members, chance.of(['worker', 'scheduler'] as const), chance);
  const seconds = leaseSeconds + 2;
  victim.order({ act: 'freeze', point: null, seconds });
  return { what: `freeze ${victim.name} for ${seconds} s`, lasts: seconds * 1_000 };
};

const freezeAtPoint: Incident = async ({ members, leaseSeconds }, chance) => {
  const victim = await someoneUp(members, 'worker', chance);
  const point = chance.of(FREEZING_POINTS);
  const seconds = leaseSeconds + 2;
  victim.order({ act: 'freeze', point, seconds });
  setTimeout(() => victim.order(SPARE), UNTIL_PASSED);
  return { what: `freeze ${victim.name} at ${point} for ${seconds} s`, lasts: UNTIL_PASSED + seconds * 1_000 };
};

const stepClock: Incident = async ({ members }, chance) => {
  const victim = await someoneUp(members, chance.of(ROLES), chance);
  const seconds = chance.of(STEPS);
  victim.order({ act: 'clock', point: null, seconds });
  return { what: `the clock of ${victim.name} is ${seconds} s ahead` };
};

const postgresFails: Incident = async ({ postgres }, chance) => {
  const way = chance.of(['crash', 'away', 'silent', 'hangUp'] as const);
  const milliseconds = Math.round(chance.between(OUTAGE.least, OUTAGE.most));
  await postgres[way](milliseconds);
  return { what: `PostgreSQL: ${way}${way === 'away' || way === 'silent' ? ` for ${milliseconds} ms` : ''}` };
};

const redisFails: Incident = async (scene, chance) => {
  const { redis } = scene;
  if (!redis) return postgresFails(scene, chance);
  const way = chance.of(['away', 'silent', 'full', 'flush', 'hangUp'] as const);
  const milliseconds = Math.round(chance.between(OUTAGE.least, OUTAGE.most));
  await redis[way](milliseconds);
  return { what: `Redis: ${way}${way === 'flush' || way === 'hangUp' ? '' : ` for ${milliseconds} ms`}` };
};

const DECK: readonly Incident[] = [
  ...[killAtPoint, killAtPoint, killAtPoint, killAtPoint, killAtPoint, killAnywhere],
  ...[freeze, freezeAtPoint, stepClock, postgresFails, redisFails, redisFails],
];

/** In an order of the seed's; all have come once before any comes twice. */
export function* incidents(chance: Chance): Generator<Incident, never> {
  for (;;) yield* chance.shuffled(DECK);
}

async function someoneUp(members: readonly Member[], role: Role, chance: Chance): Promise<Member> {
  const chosen = chance.of(members.filter((member) => member.role === role));
  const twins = members.filter((member) => member.role === role && member.address !== null);
  if (chosen.address !== null) return chosen;
  if (twins[0]) return twins[0];
  await Promise.race([chosen.up(), pause(UNTIL_PASSED)]);
  return chosen;
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import type { Member, Role } from './member.js';
import type { OwnPostgres } from './own-postgres.js';
import type { OwnRedis } from './own-redis.js';
import type { Story } from './story.js';

/** What can be done to a run. */
export interface Scene {
  readonly members: readonly Member[];
  readonly postgres: OwnPostgres;
  /** null: the queue lives in PostgreSQL. */
  readonly redis: OwnRedis | null;
  /** Of a lease. */
  readonly leaseSeconds: number;
  readonly story: Pick<Story, 'sleepsOver' | 'wakes'>;
}

/** What became of it, and for how long it goes on after that; milliseconds. */
export interface Outcome {
  readonly what: string;
  readonly lasts?: number;
  /** Resolves when it is over, where nobody knows before how long it takes. */
  readonly over?: Promise<void>;
  /** It should have happened, and could not be made to. */
  readonly isMissed?: boolean;
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
/** Where a worker holds names, and has not recorded a look at them. */
const WITH_NAMES = ['check.held', 'check.looked', 'check.recording'];
/** In the middle of a transaction, with rows locked; and between the registry's answer and its record. */
const FREEZING_POINTS = ['move.told', 'delivery.saved', 'check.looked', 'delivery.begun'];
/** Most of what can be lost or doubled is in a worker's hands. */
const ROLES: readonly Role[] = ['worker', 'worker', 'worker', 'scheduler', 'api'];

/** Milliseconds. */
const UNTIL_PASSED = 3_000;
const OUTAGE = { least: 1_000, most: 4_000 };
/** Seconds: an hour to and fro, a month ahead. */
const STEPS = [3_600, -3_600, 30 * 86_400];

/** For so long it is tried to let something happen that has to; on a busy machine it takes a while to be up again. */
const HAS_TO_HAPPEN_WITHIN = 60_000;
/** Seconds, besides a lease; and at most. */
const SLACK = 2;
const MOST_ASLEEP = 60;
/** Milliseconds, of the five seconds in which every name is looked at once. */
const GATHER = 2_500;
const NOT_PASSED = ', which it did not pass in time';

/**
 * A worker stops between its looks and their record, until others took its names over and were told something else: what
 * it has in hand is out of date when it wakes up, and is not its to write any more.
 */
const freezeWithLooks: Incident = async ({ members, leaseSeconds, story }, chance) => {
  for (const until = Date.now() + HAS_TO_HAPPEN_WITHIN; Date.now() < until;) {
    const victim = await someoneUp(members, 'worker', chance);
    const names = await victim.freezeAt('check.recording', MOST_ASLEEP, GATHER + UNTIL_PASSED, GATHER);
    if (!names) continue;
    const over = Promise.all([story.sleepsOver(names), pause((leaseSeconds + SLACK) * 1_000)]).then(() => {
      victim.wake();
      story.wakes();
    });
    return { what: `freeze ${victim.name} with ${names.length} looks in hand until they are out of date`, over };
  }
  story.wakes();
  return { what: 'no worker had looks in hand to be frozen with', isMissed: true };
};

/** A worker dies with names in hand, which nobody else may look at before their leases end. */
const killWithNames: Incident = async ({ members }, chance) => {
  for (const until = Date.now() + HAS_TO_HAPPEN_WITHIN; Date.now() < until;) {
    const victim = await someoneUp(members, 'worker', chance);
    const point = chance.of(WITH_NAMES);
    if (await victim.killAt(point, UNTIL_PASSED))
      return { what: `kill ${victim.name} at ${point}, with names in hand` };
  }
  return { what: 'no worker had names in hand to die with', isMissed: true };
};

const killAtPoint: Incident = async ({ members }, chance) => {
  const role = chance.of(ROLES.filter((one) => !isLonely(members, one)));
  const point = chance.of(POINTS[role]);
  const victim = await someoneUp(members, role, chance);
  const died = await victim.killAt(point, UNTIL_PASSED);
  return { what: `kill ${victim.name} at ${point}${died ? '' : NOT_PASSED}` };
};

const killAnywhere: Incident = async ({ members }, chance) => {
  const role = chance.of(ROLES.filter((one) => !isLonely(members, one)));
  const victim = await someoneUp(members, role, chance);
  victim.kill();
  await victim.death(UNTIL_PASSED);
  return { what: `kill ${victim.name}` };
};

/** For longer than a lease, so that it comes back to find its work in other hands. */
const freeze: Incident = async ({ members, leaseSeconds }, chance) => {
  const roles = (['worker', 'scheduler'] as const).filter((role) => !isLonely(members, role));
  const victim = await someoneUp(members, roles.length > 0 ? chance.of(roles) : 'scheduler', chance);
  const seconds = leaseSeconds + 2;
  victim.freeze(seconds);
  return { what: `freeze ${victim.name} for ${seconds} s`, lasts: seconds * 1_000 };
};

const freezeAtPoint: Incident = async (scene, chance) => {
  const { members, leaseSeconds } = scene;
  if (isLonely(members, 'worker')) return killAtPoint(scene, chance);
  const victim = await someoneUp(members, 'worker', chance);
  const point = chance.of(FREEZING_POINTS);
  const seconds = leaseSeconds + 2;
  const frozenWith = await victim.freezeAt(point, seconds, UNTIL_PASSED);
  const what = `freeze ${victim.name} at ${point} for ${seconds} s`;
  return frozenWith ? { what, lasts: seconds * 1_000 } : { what: what + NOT_PASSED };
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

/** Without these a run proves little. */
export const OPENING: readonly Incident[] = [killWithNames, freezeWithLooks];

/** The rest in an order of the seed's; all have come once before any comes twice. */
export function* incidents(chance: Chance): Generator<Incident, never> {
  yield* OPENING;
  for (;;) yield* chance.shuffled(DECK);
}

/** Whether nothing would be done any more if one more of them slept or died. */
function isLonely(members: readonly Member[], role: Role): boolean {
  return members.some((member) => member.role === role && member.isAsleep);
}

/** Who sleeps is left alone while somebody else is awake: it shall wake up with what it has in hand. */
async function someoneUp(members: readonly Member[], role: Role, chance: Chance): Promise<Member> {
  const twins = members.filter((member) => member.role === role);
  const awake = twins.filter(({ isAsleep }) => !isAsleep);
  const chosen = chance.of(awake.length > 0 ? awake : twins);
  const up = [chosen, ...awake].find(({ address }) => address !== null);
  if (!up) await Promise.race([chosen.up(), pause(UNTIL_PASSED)]);
  return up ?? chosen;
}

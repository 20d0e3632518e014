import type { Model, Step } from './explorer.js';

/** In units of time. */
const LEASE = 2;

interface Lease {
  readonly token: number;
  readonly until: number;
}

/** A worker with its knowledge of its claim. It may be frozen or slow between any two steps, and die at any time. */
interface Worker {
  readonly phase: 'claiming' | 'claimed' | 'waiting' | 'working' | 'recording' | 'publishing';
  /** The number of its claim, which the database does not know. */
  readonly claim: number;
  readonly token: number;
  /** By its monotonic timer, before it sent the statement that gave or extended its lease. */
  readonly askedAt: number;
  /** By its monotonic timer: until then it works. */
  readonly sureUntil: number;
  /** By the database's clock: `now()` of its statement or transaction. */
  readonly began: number;
  /** The lease as its claim saw it. */
  readonly saw: Lease | null;
  /** How many results were recorded when it read the row to work on. */
  readonly read: number;
}

interface State {
  /** The monotonic timer, the same for all. The database's clock differs from it by `clock`. */
  readonly time: number;
  readonly clock: number;
  readonly isRepairDue: boolean;
  readonly lease: Lease | null;
  readonly isDue: boolean;
  readonly claims: number;
  readonly records: number;
  /** How many of them have their events. */
  readonly events: number;
  /** Whether the message of a delivery was sent since the last failure. */
  readonly isSent: boolean;
  readonly workers: readonly (Worker | null)[];
  /** The forbidden act of a step. */
  readonly wrong: string | null;
}

interface Moment {
  readonly state: State;
  readonly worker: Worker;
  readonly slot: number;
  /** By the database's clock. */
  readonly now: number;
}

/** The conditions of the statements in src. A mutant changes one of them. */
export interface LeaseRules {
  /** The claim's snapshot: the work is due, and its lease is over. */
  readonly seesFree: (moment: Omit<Moment, 'worker'>) => boolean;
  /** The claim's write, which waits for the rows that others have locked. */
  readonly takes: (moment: Moment) => boolean;
  readonly areClaimsExclusive: boolean;
  /** Whether a job has to extend its lease before it works. */
  readonly starts: boolean;
  readonly extends: (moment: Moment) => boolean;
  readonly records: (moment: Moment) => boolean;
  readonly newToken: (moment: Moment) => number;
  readonly leaseTime: number;
  /** From when a worker counts the time that its lease leaves. */
  readonly countsFrom: (worker: Worker, state: State) => number;
  /** The repair after the clock was put back; repeated while a statement from before may still write. */
  readonly repair: 'repeated' | 'once' | 'never';
  /** Whether the change and its events are one transaction. */
  readonly publishes: 'with the result' | 'after it';
  readonly marks: 'when it is sent' | 'before';
  /** Whether a result may ask for another attempt, which is due at once. */
  readonly retries: boolean;
}

const isOver = ({ lease }: State, now: number) => lease === null || lease.until <= now;
const isHolder = ({ state: { lease }, worker }: Moment) => lease?.token === worker.token;
const isStillLeased = ({ state: { lease }, now }: Moment) => lease !== null && lease.until > now;

/** `CLAIM`, `START` and `end` of src/watchlist/checks/leases.repository.ts; routine-updates.repository.ts ends the same way. */
export const CHECKS: LeaseRules = {
  seesFree: ({ state, now }) => state.isDue && isOver(state, now),
  takes: ({ state, worker }) => isOver(state, worker.began), // on conflict (domain) do update where until <= now()
  areClaimsExclusive: false,
  starts: true,
  extends: (moment) => isHolder(moment) && isStillLeased(moment),
  records: (moment) => isHolder(moment) && isStillLeased({ ...moment, now: moment.worker.began }),
  newToken: ({ worker }) => worker.claim,
  leaseTime: LEASE,
  countsFrom: ({ askedAt }) => askedAt,
  repair: 'repeated',
  publishes: 'with the result', // docs/decisions/0003
  marks: 'when it is sent',
  retries: false,
};

/** `CLAIM` of src/notifications/deliveries/claims.repository.ts; `lockClaimed` and `save` of deliveries.repository.ts. */
export const DELIVERIES: LeaseRules = {
  ...CHECKS,
  // `locked` reads the delivery again; `expired` locks the lease that the snapshot saw, which may be gone.
  takes: ({ state, worker }) =>
    state.isDue && (worker.saw === null || (state.lease !== null && isOver(state, worker.began))),
  areClaimsExclusive: true, // `runExclusive`
  starts: false,
  records: isHolder, // whatever the time: `lockClaimed` asks for the token only
  retries: true,
};

export interface LeaseBounds {
  readonly workers: number;
  readonly time: number;
  readonly claims: number;
  readonly records: number;
  /** The trouble, once, with the database's clock or the queue. */
  readonly trouble: 'none' | 'clock put back' | 'clock put forward' | 'jobs come twice';
}

/** Then two may work at the same time, and one of them in vain: it is refused. A clock that is put back has to meet a claim. */
const mayWorkTwice = ({ trouble }: LeaseBounds, { areClaimsExclusive }: LeaseRules) =>
  trouble === 'clock put forward' ||
  trouble === 'jobs come twice' ||
  (trouble === 'clock put back' && !areClaimsExclusive);

/**
 * Workers that claim one name or delivery, work on it, and record the result, with everything that may come between.
 *
 * Each step is one statement or transaction. Steps that change a lease or its name lock the row, so only values that
 * a statement read before it waited may be out of date (`claim reads`, `begins to record`). Left out: quotas,
 * batches, the limit of unfinished starts, releases, deliveries that are paused, disabled or sent again, digests and
 * the second token of a mail. So is a message that arrives late because it was on the wire when its sender was
 * frozen. A token is a number, as if random tokens never met.
 */
export function leaseModel(rules: LeaseRules, bounds: LeaseBounds): Model<State> {
  return {
    start: {
      time: 0,
      clock: 0,
      isRepairDue: false,
      lease: null,
      isDue: true,
      claims: 0,
      records: 0,
      events: 0,
      isSent: false,
      workers: Array.from({ length: bounds.workers }, () => null),
      wrong: null,
    },
    steps: (state) => [...surroundings(state), ...state.workers.flatMap((_, slot) => [...workerSteps(state, slot)])],
    invariants: {
      'a result is recorded by the last claim, once': ({ wrong }) => wrong !== 'late',
      'a result is recorded on what its worker read': ({ wrong }) => wrong !== 'outdated',
      'what is done is not claimed again': ({ wrong }) => wrong !== 'done',
      'what is done was sent': ({ isDue, isSent, workers }) =>
        !rules.retries || isDue || isSent || workers.some((one) => one?.phase === 'working'),
      'every result has its events': ({ records, events, workers }) =>
        records === events || workers.some((one) => one?.phase === 'publishing'),
      'one worker works': ({ workers, time }) => {
        if (mayWorkTwice(bounds, rules)) return true;
        const working = workers.filter((one) => one?.phase === 'working' && one.sureUntil > time);
        return new Set(working.map((one) => one?.claim)).size <= 1;
      },
      'a lease is over after its time, whoever died': ({ lease, time, clock, isRepairDue }) =>
        isRepairDue || lease === null || lease.until - (time + clock) <= LEASE,
    },
  };

  function* surroundings(state: State): Generator<Step<State>, void, void> {
    const { time, clock, isDue, records, lease, isRepairDue, workers } = state;
    if (time < bounds.time && !isRepairDue) yield ['time passes', { ...state, time: time + 1 }];
    if (!isDue && records < bounds.records && !rules.retries) yield ['it falls due', { ...state, isDue: true }];
    if (bounds.trouble === 'clock put forward' && clock === 0)
      yield ['the clock is put forward', { ...state, clock: LEASE }];
    if (bounds.trouble === 'clock put back' && clock === 0 && time > 0)
      yield ['the clock is put back', { ...state, clock: -time, isRepairDue: rules.repair !== 'never' }];
    if (!isRepairDue) return;
    // `limitLeases`, before much of a lease has passed
    const latest = time + clock + LEASE;
    const limited = lease && { ...lease, until: Math.min(lease.until, latest) };
    const isWritingLate = workers.some((one) => one?.phase === 'claiming' && one.began > time + clock);
    const isRepeated = rules.repair === 'repeated' && isWritingLate;
    yield ['leases are limited', { ...state, isRepairDue: isRepeated, lease: limited }];
  }

  function* workerSteps(state: State, slot: number): Generator<Step<State>, void, void> {
    const { time, clock, lease, claims, workers } = state;
    const now = time + clock;
    const worker = workers[slot] ?? null;
    const set = (to: Worker | null, changes: Partial<State> = {}): State => ({
      ...state,
      ...changes,
      workers: workers.map((one, n) => (n === slot ? to : one)),
    });
    if (!worker) {
      const isTurn = !rules.areClaimsExclusive || workers.every((one) => one?.phase !== 'claiming');
      if (!isTurn || claims >= bounds.claims || !rules.seesFree({ state, slot, now })) return;
      const times = { askedAt: time, sureUntil: 0, began: now };
      const claiming: Worker = { phase: 'claiming', claim: 0, token: 0, ...times, saw: lease, read: 0 };
      return yield [`worker ${slot + 1}'s claim reads`, set(claiming)];
    }
    const moment = { state, worker, slot, now };
    yield [`worker ${slot + 1} dies`, set(null)];
    switch (worker.phase) {
      case 'claiming': {
        if (!rules.takes(moment)) return yield [`worker ${slot + 1} gets nothing`, set(null)];
        const claim = claims + 1;
        const token = rules.newToken({ ...moment, worker: { ...worker, claim } });
        const phase = rules.starts ? 'claimed' : 'waiting';
        const wrong = !state.isDue && rules.retries ? 'done' : null;
        const claimed: Worker = { ...worker, phase, claim, token, saw: null, began: 0, read: state.records };
        const until = worker.began + rules.leaseTime;
        return yield [`worker ${slot + 1} claims`, set(claimed, { claims: claim, lease: { token, until }, wrong })];
      }
      case 'claimed': {
        const other = workers.indexOf(null); // a queue may bring a job twice
        if (other >= 0 && bounds.trouble === 'jobs come twice') {
          const both = workers.map((one, n) => (n === other ? worker : one));
          yield [`worker ${other + 1} gets the job too`, { ...state, workers: both }];
        }
        return yield start(moment);
      }
      case 'waiting': {
        const sureUntil = rules.countsFrom(worker, state) + LEASE;
        const changes = rules.marks === 'before' ? { isDue: false } : {};
        return yield [`worker ${slot + 1} works`, set({ ...worker, phase: 'working', askedAt: 0, sureUntil }, changes)];
      }
      case 'working':
        return yield [
          `worker ${slot + 1} begins to record`,
          set({ ...worker, phase: 'recording', began: now }, { isSent: rules.retries }),
        ];
      case 'recording': {
        if (!rules.records(moment)) return yield [`worker ${slot + 1} is refused`, set(null)];
        const wrong =
          worker.claim !== claims || lease === null ? 'late' : worker.read === state.records ? null : 'outdated';
        const isPublished = rules.publishes === 'with the result';
        const after = isPublished ? null : { ...worker, phase: 'publishing' as const };
        const counts = { records: state.records + 1, events: state.events + Number(isPublished) };
        yield [`worker ${slot + 1} records`, set(after, { ...counts, lease: null, wrong, isDue: false })];
        if (rules.retries)
          yield [`worker ${slot + 1} records a failure`, set(after, { ...counts, lease: null, wrong, isSent: false })];
        return;
      }
      case 'publishing':
        return yield [`worker ${slot + 1} publishes`, set(null, { events: state.events + 1 })];
    }

    function start(at: Moment): Step<State> {
      if (!rules.extends(at) || lease === null) return [`worker ${slot + 1} has lost its lease`, set(null)];
      const read = state.records;
      const asked: Worker = { ...at.worker, read, phase: 'waiting', askedAt: time, sureUntil: 0 };
      return [`worker ${slot + 1} starts`, set(asked, { lease: { ...lease, until: now + rules.leaseTime } })];
    }
  }
}

interface LeaseMutant {
  readonly rules: LeaseRules;
  /** Beside the small ones. */
  readonly bounds?: Partial<LeaseBounds>;
  readonly breaks: string;
  readonly steps: number;
}

/** Workers' clocks: the second one's is a lease ahead of the database's. */
const ownClock = ({ slot, now }: { readonly slot: number; readonly now: number }) => now + slot * LEASE;

/** Defects, the invariant that each has to break, and the length of the shortest way there. */
export const LEASE_MUTANTS: Readonly<Record<string, LeaseMutant>> = {
  'a check is recorded without its token': {
    rules: { ...CHECKS, records: (moment) => isStillLeased({ ...moment, now: moment.worker.began }) },
    breaks: 'a result is recorded by the last claim, once',
    steps: 10,
  },
  'a check is recorded without a lease': {
    rules: { ...CHECKS, records: () => true },
    breaks: 'a result is recorded by the last claim, once',
    steps: 10,
  },
  'a delivery is finished without its token': {
    rules: { ...DELIVERIES, records: () => true },
    breaks: 'a result is recorded by the last claim, once',
    steps: 9,
  },
  'a token names the worker, not its claim': {
    rules: { ...CHECKS, newToken: ({ slot }) => Math.min(slot, 1) },
    bounds: { workers: 3 },
    breaks: 'a result is recorded by the last claim, once',
    steps: 10,
  },
  'a check starts without the token of its lease': {
    rules: { ...CHECKS, extends: isStillLeased },
    breaks: 'one worker works',
    steps: 10,
  },
  'a claim takes over a lease that is not over': {
    rules: { ...CHECKS, takes: () => true },
    breaks: 'one worker works',
    steps: 8,
  },
  'claims of deliveries run side by side': {
    rules: { ...DELIVERIES, areClaimsExclusive: false },
    breaks: 'one worker works',
    steps: 6,
  },
  'a claim of deliveries does not read again what it has locked': {
    rules: { ...DELIVERIES, takes: ({ state, worker }) => isOver(state, worker.began) },
    breaks: 'what is done is not claimed again',
    steps: 9,
  },
  'leases are over by the clock of the worker': {
    rules: {
      ...DELIVERIES,
      seesFree: (moment) => moment.state.isDue && isOver(moment.state, ownClock(moment)),
      takes: (moment) => DELIVERIES.takes({ ...moment, worker: { ...moment.worker, began: ownClock(moment) } }),
    },
    breaks: 'one worker works',
    steps: 6,
  },
  'a check counts its lease from the answer': {
    rules: { ...CHECKS, countsFrom: (_, { time }) => time },
    breaks: 'one worker works',
    steps: 10,
  },
  'a delivery counts its lease from the answer': {
    rules: { ...DELIVERIES, countsFrom: (_, { time }) => time },
    breaks: 'one worker works',
    steps: 8,
  },
  'a change is committed before its events': {
    rules: { ...CHECKS, publishes: 'after it' },
    breaks: 'every result has its events',
    steps: 7,
  },
  'a delivery is marked before it is sent': {
    rules: { ...DELIVERIES, marks: 'before' },
    breaks: 'what is done was sent',
    steps: 4,
  },
  'a lease lasts too long': {
    rules: { ...CHECKS, leaseTime: 2 * LEASE },
    breaks: 'a lease is over after its time, whoever died',
    steps: 2,
  },
  'leases are not limited after the clock was put back': {
    rules: { ...CHECKS, repair: 'never' },
    bounds: { trouble: 'clock put back' },
    breaks: 'a lease is over after its time, whoever died',
    steps: 4,
  },
  'leases are limited once, beside a claim from before': {
    rules: { ...DELIVERIES, repair: 'once' },
    bounds: { trouble: 'clock put back' },
    breaks: 'a lease is over after its time, whoever died',
    steps: 5,
  },
};

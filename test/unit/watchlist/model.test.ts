import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deriveLifecycle } from '../../../src/domains/language.js';
import { HOUR, MINUTE } from '../../../src/kernel/clock.js';
import type { WatchlistEventData } from '../../../src/watchlist/domain/watch-events.js';
import { aFailure, anObservation, facts } from './builders.js';
import { InMemoryWatchlist } from './in-memory-watchlist.js';

/** Far enough apart for any confirmation, also of a name that flaps. */
const LONG = 40 * MINUTE;
const TRUTHS = ['registered', 'redemption', 'pendingDelete', 'available', 'hold', 'reserved'] as const;
type Truth = (typeof TRUTHS)[number];

/** Facts that anybody may know without reading the code: the registry's answer, and how often it came in a row. */
class Model {
  truth: Truth = 'registered';
  /** Checks in a row that said so, each long after the one before. */
  seen = 0;
  readonly ids = new Map<string, string>();
  readonly paused = new Set<string>();
}
type Step = fc.AsyncCommand<Model, InMemoryWatchlist>;

const step = (name: string, check: (model: Model) => boolean, run: Step['run']): Step => ({
  check,
  toString: () => name,
  run: async (model, world) => {
    await run(model, world);
    judge(world);
  },
});
const always = () => true;

const tick = (kind: 'check' | 'crash' | 'lost') =>
  step(kind, always, async (model, world) => {
    world.clock.advance(LONG);
    const result = anObservation(facts[model.truth], world.clock.now());
    if (kind === 'lost') return; // the worker died before it wrote
    if (kind === 'crash') return world.crashing(() => world.applyResult(result));
    await world.applyResult(result);
    model.seen += 1;
  });
const failure = step('failure', always, async (_, world) => {
  world.clock.advance(HOUR);
  await world.applyResult(aFailure(world.clock.now()));
});
const becomes = (truth: Truth) =>
  step(`becomes ${truth}`, always, (model) => {
    if (truth !== model.truth) model.seen = 0;
    model.truth = truth;
    return Promise.resolve();
  });
const add = (account: string) =>
  step(
    `add ${account}`,
    ({ ids }) => !ids.has(account),
    async ({ ids }, world) => void ids.set(account, await world.add(account)),
  );
const remove = (account: string, crashes: boolean) =>
  step(
    `remove ${account}${crashes ? ', crashing' : ''}`,
    ({ ids }) => ids.has(account),
    async ({ ids, paused }, world) => {
      const id = ids.get(account) ?? '';
      if (crashes) return world.crashing(() => world.remove(account, id));
      await world.remove(account, id);
      ids.delete(account);
      paused.delete(account);
    },
  );
const pause = (account: string, wanted: boolean) =>
  step(
    `${wanted ? 'pause' : 'resume'} ${account}`,
    ({ ids, paused }) => ids.has(account) && paused.has(account) !== wanted,
    async ({ ids, paused }, world) => {
      const publishedBefore = world.store.published.length;
      await world.pause(account, ids.get(account) ?? '', wanted);
      if (wanted) paused.add(account);
      else paused.delete(account);
      expect(world.store.published.length - publishedBefore).toBeLessThanOrEqual(1);
    },
  );

/** Holds after every step, whatever happened. */
function judge({ store }: InMemoryWatchlist): void {
  const published = Map.groupBy(store.published, ({ payload }) => (payload as WatchlistEventData).entry_id);
  for (const events of published.values()) {
    const moves = events.map(({ payload }) => payload as WatchlistEventData).filter(({ move }) => move !== null);
    expect(moves.map(({ change_seq }) => change_seq)).toEqual(moves.map((_, i) => i + 1));
    moves.slice(1).forEach((move, i) => {
      expect([move.previous_status, move.previous_phase]).toEqual([moves[i]?.status, moves[i]?.phase]);
    });
  }
  for (const { id, status, phase, changeSeq } of store.entries.values()) {
    const last = (published.get(id) ?? []).map(({ payload }) => payload as WatchlistEventData).at(-1);
    if (last) expect([last.status, last.phase, last.change_seq]).toEqual([status, phase, changeSeq]);
  }
}

/** Resumes all entries and checks often enough to confirm anything. */
async function quiesce(model: Model, world: InMemoryWatchlist): Promise<void> {
  for (const account of [...model.paused]) await pause(account, false).run(model, world);
  for (let n = 0; n < 3; n += 1) await tick('check').run(model, world);
}

const accounts = fc.constantFrom('acc_1', 'acc_2', 'acc_3');
const steps = fc.commands(
  [
    fc.constant(tick('check')),
    fc.constant(tick('check')),
    fc.constantFrom(tick('crash'), tick('lost'), failure),
    fc.constantFrom(...TRUTHS).map(becomes),
    accounts.map(add),
    fc.tuple(accounts, fc.boolean()).map(([account, crashes]) => remove(account, crashes)),
    fc.tuple(accounts, fc.boolean()).map(([account, wanted]) => pause(account, wanted)),
  ],
  { maxCommands: 40 },
);

/**
 * Whether the name is believed to be free. Two things have to be said twice in a row: that a name is free, and that a
 * free name is being deleted, since it would have to be registered between.
 */
class Belief {
  private free = false;
  private inARow = 0;

  dropsBy(word: Truth | 'error'): boolean {
    if (word === 'error') return false;
    const saysFree = word === 'available';
    const isDoubtful = this.free ? word === 'redemption' || word === 'pendingDelete' : saysFree;
    this.inARow = isDoubtful ? this.inARow + 1 : 0;
    if (this.inARow === 1) return false;
    const drops = saysFree && !this.free;
    this.free = saysFree;
    this.inARow = 0;
    return drops;
  }
}

describe('the entries of a name, after random events', () => {
  it('have published every change once and in order, and match the registry’s answer', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        const [model, world] = [new Model(), new InMemoryWatchlist()];
        await fc.asyncModelRun(() => ({ model, real: world }), commands);
        await quiesce(model, world);
        const expected = deriveLifecycle(facts[model.truth], 30, world.clock.now());
        for (const { status, phase } of world.store.entries.values()) expect({ status, phase }).toEqual(expected);
        expect([...world.store.entries.keys()].sort()).toEqual([...model.ids.values()].sort());
      }),
      { numRuns: 300 },
    );
  });

  it('publish that the name is available only if the registry said so twice in a row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...TRUTHS, 'error'), { maxLength: 30 }), async (said) => {
        const world = new InMemoryWatchlist();
        await world.add('acc_1');
        const belief = new Belief();
        for (const word of said) {
          world.clock.advance(LONG);
          const at = world.clock.now();
          const before = world.store.published.length;
          await world.applyResult(word === 'error' ? aFailure(at) : anObservation(facts[word], at));
          const drops = world.store.published.slice(before).filter(({ type }) => type === 'watchlist.available');
          expect(drops.length).toBe(belief.dropsBy(word) ? 1 : 0);
        }
      }),
      { numRuns: 300 },
    );
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import { type Lie, LIES } from './lies.js';
import { type Registries, TLDS } from './registries.js';
import { type Spell, type State, STATES, Truth } from './truth.js';

/** What may follow what; a lapse and its undoing are rare, or the watch would hesitate longer than the run lasts. */
const NEXT: Readonly<Record<State, readonly State[]>> = {
  registered: ['expiring', 'pending_delete', 'pending_delete', 'available'],
  expiring: ['pending_delete', 'pending_delete', 'registered'],
  pending_delete: ['available', 'available', 'registered'],
  available: ['registered'],
};

/** Milliseconds. */
const DWELL = 600;
const LIE_LASTS = { least: 500, most: 2_500 };
/** By then somebody asks, or nobody can; a look is due every five seconds. */
const UNTIL_ASKED = 12_000;
/** From the first question on. Shorter than the spacing of the two looks that it would take to be believed. */
const GONE_LASTS = 1_000;
/** Longer than that spacing: only DNS stands against it. */
const VETOED_LASTS = 3_000;
const ASK_AGAIN = 100;
/** So many names begin with a lie. */
const LIARS = 3 * LIES.length;
/**
 * So many stay what they are until somebody sleeps over them: of a name that moves on as soon as it was told, nobody has
 * looks in hand that say what was told before.
 */
const SITTERS = 12;
/** Nobody sleeps by then, and nobody will. */
const SIT_FOR = 120_000;

/** How a name's life begins. */
interface Beginning {
  readonly sits: boolean;
  /** Told as soon as they can be, so that each kind is told early, and more than once; further ones come by chance. */
  readonly lies: Set<Lie>;
}

interface Belief {
  readonly state: State;
  /** Milliseconds of the epoch. */
  readonly until: number;
}

/** Whether whoever watches a name has been told that this is so by now. */
export type IsTold = (name: string, state: State) => boolean;

/**
 * The lives of names. By the seed each goes its own way through registration, expiry and deletion, and meets registries
 * that are out of order; it goes on when its last change was told, so that none may be missed.
 */
export class Story {
  readonly truths: readonly Truth[];
  /** What registries said besides the truth, by name: checks may say so too. */
  readonly hearsay = new Map<string, Spell[]>();
  /** What names shall not be again for a while, since somebody who sleeps still believes it. */
  private readonly beliefs = new Map<string, Belief>();
  /** Names that were told to be something else before whoever believed otherwise woke up. */
  readonly outdated = new Set<string>();
  private readonly begun = Promise.withResolvers<void>();

  constructor(
    private readonly registries: Registries,
    private readonly chance: Chance,
    size: number,
  ) {
    const born = Date.now();
    this.truths = Array.from({ length: size }, (_, i) => {
      const name = `name-${i}.${TLDS[i % TLDS.length] ?? ''}`;
      const first = chance.of(i < SITTERS ? STATES.filter(isBelievedAtOnce) : STATES);
      registries.holds(name, first);
      return new Truth(name, first, born);
    });
  }

  get names(): string[] {
    return this.truths.map(({ name }) => name);
  }

  get changes(): number {
    return this.truths.reduce((sum, { changes }) => sum + changes, 0);
  }

  /** For so many milliseconds these are something else than they are now, while one who sleeps believes it is still so. */
  outdate(names: readonly string[], milliseconds: number): void {
    const until = Date.now() + milliseconds;
    for (const { name, state } of this.truths) if (names.includes(name)) this.beliefs.set(name, { state, until });
    this.begun.resolve();
  }

  async play(isTold: IsTold, stop: AbortSignal): Promise<void> {
    await Promise.all(this.truths.map((truth, i) => this.live(truth, beginningOf(i), isTold, stop)));
  }

  private async live(truth: Truth, { sits, lies }: Beginning, isTold: IsTold, stop: AbortSignal): Promise<void> {
    const chance = this.chance.for(truth.name);
    if (sits) await Promise.race([this.begun.promise, quietly(SIT_FOR, stop)]);
    for (;;) {
      while (!stop.aborted && !isTold(truth.name, truth.state)) await pause(ASK_AGAIN);
      if (isTold(truth.name, truth.state) && this.isBelievedElse(truth)) this.outdated.add(truth.name);
      await pause(chance.between(0, DWELL));
      if (stop.aborted) return;
      const possible = LIES.filter((one) => isLie(one, truth.state));
      const byChance = chance.happens(0.3) ? chance.of(possible) : null;
      const lie = this.belief(truth) ? null : (possible.find((one) => lies.delete(one)) ?? byChance);
      if (lie) await this.lie(truth, lie, chance, stop);
      if (stop.aborted) return;
      const next = await this.nextOf(truth, lie, chance, stop);
      if (next === null) return;
      // Before the registry says so: what is seen is never earlier than it became true.
      truth.becomes(next, Date.now());
      this.registries.holds(truth.name, next);
    }
  }

  /** @returns null when it is all over before there is any */
  private async nextOf(truth: Truth, lie: Lie | null, chance: Chance, stop: AbortSignal): Promise<State | null> {
    for (;;) {
      const believed = this.belief(truth)?.state;
      const next = followers(truth.state, lie).filter((state) => state !== believed);
      if (next.length > 0) return chance.of(next);
      await quietly(ASK_AGAIN, stop);
      if (stop.aborted) return null;
    }
  }

  private belief({ name }: Truth): Belief | null {
    const belief = this.beliefs.get(name);
    return belief && Date.now() < belief.until ? belief : null;
  }

  private isBelievedElse(truth: Truth): boolean {
    const belief = this.belief(truth);
    return belief !== null && belief.state !== truth.state;
  }

  /** A lie that nobody is told proves nothing: it stands until somebody asks. */
  private async lie({ name, state }: Truth, lie: Lie, chance: Chance, stop: AbortSignal): Promise<void> {
    const lasts = chance.between(LIE_LASTS.least, LIE_LASTS.most);
    const from = Date.now();
    const { heard, told } = this.registries.lies(name, lie);
    await Promise.race([heard, quietly(UNTIL_ASKED, stop)]);
    if (lie === 'gone') await Promise.race([told, quietly(GONE_LASTS, stop)]);
    else await quietly(lie === 'vetoed' ? VETOED_LASTS : lasts, stop);
    this.registries.holds(name, state);
    if (lie === 'gone') this.heard(name, { state: 'available', from, until: Date.now() });
  }

  private heard(name: string, spell: Spell): void {
    this.hearsay.set(name, [...(this.hearsay.get(name) ?? []), spell]);
  }
}

/** A name that is gone cannot go, and one that is about to go is believed to have gone much sooner. */
function isLie(lie: Lie, state: State): boolean {
  if (state === 'available') return lie !== 'gone' && lie !== 'vetoed';
  return lie !== 'gone' || state !== 'pending_delete';
}

/** An absence takes a second look. */
function isBelievedAtOnce(state: State): boolean {
  return state !== 'available';
}

function beginningOf(i: number): Beginning {
  const isLiar = i >= SITTERS && i < SITTERS + LIARS;
  return { sits: i < SITTERS, lies: new Set(isLiar ? LIES.filter((_, kind) => kind === i % LIES.length) : []) };
}

/** After a lie of its absence a name stays: its first witness would be of before it was so. */
function followers(state: State, lie: Lie | null): readonly State[] {
  if (lie !== 'gone' && lie !== 'vetoed') return NEXT[state];
  return NEXT[state].filter((next) => next !== 'available');
}

/** For so long, or until it is all over. */
async function quietly(milliseconds: number, stop: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}

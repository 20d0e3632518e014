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
/** On a busy machine it takes long until others take over. */
const UNTIL_OUTDATED = 45_000;

/** How a name's life begins. */
interface Beginning {
  readonly sits: boolean;
  /** Told as soon as they can be, so that each kind is told early, and more than once; further ones come by chance. */
  readonly lies: Set<Lie>;
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
  private readonly beliefs = new Map<string, State>();
  /** Names that were told to be something else before whoever believed otherwise woke up. */
  readonly outdated = new Set<string>();
  private readonly asleep = Promise.withResolvers<void>();
  private readonly isOutdated = Promise.withResolvers<void>();
  private readonly awake = Promise.withResolvers<void>();

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

  /**
   * One who sleeps over these believes that they are what they are now: until it wakes up they become something else.
   * @returns when everybody else was told so of one of them, or when that takes too long
   */
  async sleepsOver(names: readonly string[]): Promise<void> {
    for (const { name, state } of this.truths) if (names.includes(name)) this.beliefs.set(name, state);
    this.asleep.resolve();
    await Promise.race([this.isOutdated.promise, pause(UNTIL_OUTDATED, undefined, { ref: false })]);
  }

  wakes(): void {
    this.beliefs.clear();
    this.asleep.resolve();
    this.awake.resolve();
  }

  /** Resolves when somebody has slept over looks and woken up, or nobody could be made to. */
  get hasSlept(): Promise<void> {
    return this.awake.promise;
  }

  async play(isTold: IsTold, stop: AbortSignal): Promise<void> {
    await Promise.all(this.truths.map((truth, i) => this.live(truth, beginningOf(i), isTold, stop)));
  }

  private async live(truth: Truth, { sits, lies }: Beginning, isTold: IsTold, stop: AbortSignal): Promise<void> {
    const chance = this.chance.for(truth.name);
    if (sits) await this.asleep.promise;
    for (;;) {
      while (!stop.aborted && !isTold(truth.name, truth.state)) await pause(ASK_AGAIN);
      if (isTold(truth.name, truth.state)) this.isToldElse(truth);
      await pause(chance.between(0, DWELL));
      if (stop.aborted) return;
      const possible = LIES.filter((one) => isLie(one, truth.state));
      const byChance = chance.happens(0.3) ? chance.of(possible) : null;
      const lie = this.beliefs.has(truth.name) ? null : (possible.find((one) => lies.delete(one)) ?? byChance);
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
      const believed = this.beliefs.get(truth.name);
      const next = followers(truth.state, lie).filter((state) => state !== believed);
      if (next.length > 0) return chance.of(next);
      await quietly(ASK_AGAIN, stop);
      if (stop.aborted) return null;
    }
  }

  private isToldElse({ name, state }: Truth): void {
    if ((this.beliefs.get(name) ?? state) === state) return;
    this.outdated.add(name);
    this.isOutdated.resolve();
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

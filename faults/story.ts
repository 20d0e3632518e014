import { setTimeout as pause } from 'node:timers/promises';
import type { Chance } from './chance.js';
import { type Lie, LIES, type Registries, TLDS } from './registries.js';
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
/** Shorter than the spacing of the two looks that it would take to be believed. */
const GONE_LASTS = 350;
const ASK_AGAIN = 100;

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

  constructor(
    private readonly registries: Registries,
    private readonly chance: Chance,
    size: number,
  ) {
    const born = Date.now();
    this.truths = Array.from({ length: size }, (_, i) => {
      const name = `name-${i}.${TLDS[i % TLDS.length] ?? ''}`;
      const first = chance.of(STATES);
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

  async play(isTold: IsTold, stop: AbortSignal): Promise<void> {
    await Promise.all(this.truths.map((truth) => this.live(truth, isTold, stop)));
  }

  private async live(truth: Truth, isTold: IsTold, stop: AbortSignal): Promise<void> {
    const chance = this.chance.for(truth.name);
    for (;;) {
      while (!stop.aborted && !isTold(truth.name, truth.state)) await pause(ASK_AGAIN);
      await pause(chance.between(0, DWELL));
      if (stop.aborted) return;
      if (chance.happens(0.3)) await this.lie(truth, chance);
      if (stop.aborted) return;
      const next = chance.of(NEXT[truth.state]);
      // Before the registry says so: what is seen is never earlier than it became true.
      truth.becomes(next, Date.now());
      this.registries.holds(truth.name, next);
    }
  }

  private async lie(truth: Truth, chance: Chance): Promise<void> {
    const { name, state } = truth;
    const lie = chance.of(LIES);
    const lasts = chance.between(LIE_LASTS.least, LIE_LASTS.most);
    if (!isLie(lie, state)) return;
    const from = Date.now();
    this.registries.lies(name, lie);
    await pause(lie === 'gone' ? GONE_LASTS : lasts);
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

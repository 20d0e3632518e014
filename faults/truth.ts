/** What a registry may hold about a name, in the words of an entry's status. */
export const STATES = ['registered', 'expiring', 'pending_delete', 'available'] as const;
export type State = (typeof STATES)[number];

/** How long something was so; milliseconds of the epoch. */
export interface Spell {
  readonly state: State;
  readonly from: number;
  /** null: it still is. */
  readonly until: number | null;
}

/** What is true of one name, and what was before. */
export class Truth {
  private readonly past: Spell[];

  constructor(
    readonly name: string,
    first: State,
    at: number,
  ) {
    this.past = [{ state: first, from: at, until: null }];
  }

  get spells(): readonly Spell[] {
    return this.past;
  }

  get state(): State {
    return this.last.state;
  }

  /** Changes of the truth, the one before anybody looked left out. */
  get changes(): number {
    return this.past.length - 1;
  }

  becomes(state: State, at: number): void {
    this.past[this.past.length - 1] = { ...this.last, until: at };
    this.past.push({ state, from: at, until: null });
  }

  private get last(): Spell {
    const last = this.past.at(-1);
    if (!last) throw new Error(`${this.name} has no state`);
    return last;
  }
}

/** Whether it was so at any time from one instant to the other. */
export function wasSo(spells: readonly Spell[], state: string, from: number, to: number): boolean {
  return spells.some((spell) => spell.state === state && spell.from <= to && (spell.until ?? Infinity) >= from);
}

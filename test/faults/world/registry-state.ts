/** States of a name at its registry, named as the statuses of entries. */
export const STATES = ['registered', 'expiring', 'pending_delete', 'available'] as const;
export type LifecycleState = (typeof STATES)[number];

/** A period in one state; epoch milliseconds. */
export interface StateSpan {
  readonly state: LifecycleState;
  readonly from: number;
  /** null: current. */
  readonly until: number | null;
}

/** The state of one name at its registry, with its history. */
export class RegistryState {
  private readonly history: StateSpan[];

  constructor(
    readonly name: string,
    first: LifecycleState,
    at: number,
  ) {
    this.history = [{ state: first, from: at, until: null }];
  }

  get spans(): readonly StateSpan[] {
    return this.history;
  }

  get state(): LifecycleState {
    return this.last.state;
  }

  /** Changes since the first state. */
  get changes(): number {
    return this.history.length - 1;
  }

  changeTo(state: LifecycleState, at: number): void {
    this.history[this.history.length - 1] = { ...this.last, until: at };
    this.history.push({ state, from: at, until: null });
  }

  private get last(): StateSpan {
    const last = this.history.at(-1);
    if (!last) throw new Error(`${this.name} has no state`);
    return last;
  }
}

/** Whether the name was in this state at any time between the two instants. */
export function wasTrue(spans: readonly StateSpan[], state: string, from: number, to: number): boolean {
  return spans.some((spell) => spell.state === state && spell.from <= to && (spell.until ?? Infinity) >= from);
}

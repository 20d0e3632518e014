/** A step that can happen next: its name, and the state after it. */
export type Step<State> = readonly [name: string, after: State];

export interface Model<State> {
  readonly start: State;
  readonly steps: (state: State) => Iterable<Step<State>>;
  /** The rules for every state, by the names that a counterexample says. */
  readonly invariants: Readonly<Record<string, (state: State) => boolean>>;
}

interface Exploration {
  readonly states: number;
  /** Of the longest of the shortest ways to a state. */
  readonly depth: number;
  /** A shortest way to a state in which an invariant does not hold; null when there is none. */
  readonly counterexample: { readonly broken: string; readonly steps: readonly string[] } | null;
}

/** More would no longer be a small model: its bounds are wrong. */
const MAX_STATES = 3_000_000;

/**
 * Visits every state that can be reached, breadth first, and ends at the first in which an invariant does not hold. States
 * are compared as JSON: they hold plain data, with the same fields in the same order.
 */
export function explore<State>({ start, steps, invariants }: Model<State>): Exploration {
  const rules = Object.entries(invariants);
  const known = new Set([JSON.stringify(start)]);
  const reached: { readonly name: string; readonly from: number; readonly depth: number }[] = [
    { name: '', from: -1, depth: 0 },
  ];
  let [waiting, deepest, first]: [State[], number, number] = [[start], 0, 0];
  while (waiting.length > 0) {
    const found: State[] = [];
    for (const [n, state] of waiting.entries()) {
      const at = first + n;
      const depth = reached[at]?.depth ?? 0;
      const broken = rules.find(([, holds]) => !holds(state));
      if (broken) return { states: known.size, depth, counterexample: { broken: broken[0], steps: wayTo(at) } };
      deepest = depth;
      for (const [name, after] of steps(state)) {
        const key = JSON.stringify(after);
        if (known.has(key)) continue;
        if (known.size >= MAX_STATES) throw new Error(`more than ${MAX_STATES} states`);
        known.add(key);
        reached.push({ name, from: at, depth: depth + 1 });
        found.push(after);
      }
    }
    first += waiting.length;
    waiting = found;
  }
  return { states: known.size, depth: deepest, counterexample: null };

  function wayTo(end: number): string[] {
    const names: string[] = [];
    for (let at = end; at > 0; at = reached[at]?.from ?? 0) names.unshift(reached[at]?.name ?? '');
    return names;
  }
}

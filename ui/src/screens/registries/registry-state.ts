import type { Operator, Registry } from '../../../../clients/typescript/src/index.js';
import type { Tone } from '../../components/phase-words.js';
import { countOf } from '../../pictures/scales.js';

export interface RegistryState {
  readonly tone: Tone;
  readonly label: string;
  readonly text: string;
  /** When the state changes by itself; null if nothing is scheduled. */
  readonly until: string | null;
}

/** How the account's names of an operator do. */
export type RegistryUse = Pick<Operator, 'operator' | 'entries' | 'failing'>;

/** Describes whether an operator is asked, and answers. @param use null if the account has no name there */
function registryState(
  { breaker, blocked_until: blockedUntil }: Pick<Registry, 'breaker' | 'blocked_until'>,
  use: RegistryUse | null,
  now: Date,
): RegistryState {
  if (breaker.state === 'open') {
    const text = 'It failed again and again, so it is left alone. A single query probes it next';
    return { tone: 'bad', label: 'Not asked', text, until: breaker.retry_at };
  }
  if (breaker.state === 'half_open') {
    return {
      tone: 'warn',
      label: 'Being probed',
      text: 'A single query finds out whether it works again.',
      until: null,
    };
  }
  if (blockedUntil !== null && new Date(blockedUntil) > now) {
    return {
      tone: 'warn',
      label: 'Waits',
      text: 'It asked for a pause (Retry-After), which ends',
      until: blockedUntil,
    };
  }
  if (use && use.failing > 0) {
    const isDead = use.failing >= use.entries;
    return {
      tone: isDead ? 'bad' : 'warn',
      label: isDead ? 'No answers' : 'Some fail',
      text: `${use.failing.toLocaleString('en')} of your ${countOf(use.entries, 'name')} get no answer.`,
      until: null,
    };
  }
  return { tone: 'good', label: 'OK', text: 'Queried as names fall due.', until: null };
}

const RANKS: Readonly<Record<Tone, number>> = { bad: 0, warn: 1, note: 2, calm: 3, good: 4 };

/** Returns the operators with their states, the worst first. */
export function worstFirst<One extends Pick<Registry, 'operator' | 'breaker' | 'blocked_until'>>(
  registries: readonly One[],
  uses: readonly RegistryUse[],
  now: Date,
): readonly { readonly registry: One; readonly state: RegistryState }[] {
  return registries
    .map((registry) => {
      const use = uses.find(({ operator }) => operator === registry.operator) ?? null;
      return { registry, state: registryState(registry, use, now) };
    })
    .toSorted((one, other) => RANKS[one.state.tone] - RANKS[other.state.tone]);
}

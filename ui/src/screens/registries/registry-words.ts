import type { Registry } from '../../../../clients/typescript/src/index.js';
import type { Tone } from '../../components/phase-words.js';

export interface RegistryState {
  readonly tone: Tone;
  readonly label: string;
  readonly text: string;
  /** When it changes by itself; null where nothing is waited for. */
  readonly until: string | null;
}

/** Whether an operator is asked at the moment, and if not, why. Not whether it answers: a breaker needs several failures. */
export function registryState({ breaker, blocked_until: blockedUntil }: Registry, now: Date): RegistryState {
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
  return { tone: 'good', label: 'Asked', text: 'Queried as names fall due.', until: null };
}

/** The rate limit that the service keeps to, in words. */
export function budgetText(budget: Registry['budget']): string {
  if (budget === null) return 'No limit';
  const { per_second: perSecond, burst, concurrency } = budget;
  if (perSecond === 0) return `No rate limit, ${concurrency} at a time`;
  return `${rateText(perSecond)}, ${burst} at once, ${concurrency} at a time`;
}

/** A rate below one a second is said a minute. */
function rateText(perSecond: number): string {
  if (perSecond === 1) return '1 query a second';
  if (perSecond > 1) return `${round(perSecond)} queries a second`;
  return `${round(perSecond * 60)} queries a minute`;
}

function round(rate: number): string {
  return rate.toLocaleString('en', { maximumFractionDigits: 1 });
}

const SOURCES: Readonly<Record<string, string>> = { rdap: 'RDAP', whois: 'WHOIS', sandbox: 'sandbox' };

/** `RDAP`, or `RDAP, WHOIS` where its TLDs differ. */
export function sourcesText({ tlds }: Registry): string {
  return [...new Set(tlds.map(({ source }) => SOURCES[source] ?? source))].join(', ');
}

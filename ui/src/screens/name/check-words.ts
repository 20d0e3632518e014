import type { EntryDetails } from '../../../../clients/typescript/src/index.js';

const FAILURES: Readonly<Record<string, string>> = {
  registry_unreachable: 'The registry cannot be reached',
  registry_answer_unusable: 'The answers of the registry cannot be used',
  registry_throttled: 'The registry accepts no more queries at the moment',
  registry_timeout: 'The registry does not answer in time',
  tld_unsupported: 'No registry is known for this ending',
};

export function failureReason(code: string): string {
  return FAILURES[code] ?? `The registry gives no answer (${code})`;
}

type Watched = Pick<
  EntryDetails,
  'phase' | 'expires_at' | 'pending_confirmation' | 'failing' | 'next_check_at' | 'effective_interval_minutes'
> & { readonly last_checked_at: string | null; readonly domain: string };

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DELETION: readonly string[] = ['redemption', 'pending_restore', 'pending_delete'];
/** Checks may run up to a tenth of the interval early. Such a check needs no explanation. */
const EARLY = 0.85;
/** The service confirms a changed record within minutes. No field of the entry shows that. */
const CONFIRMED_WITHIN_MS = 5 * MINUTE_MS;

/** Explains why the next check comes before the interval is over. Returns null if it does not. */
export function soonReason(entry: Watched): string | null {
  const { phase, expires_at: expiresAt, next_check_at: next, last_checked_at: last } = entry;
  if (next === null) return null;
  if (entry.failing) return 'sooner, since the last check failed';
  if (last === null) return 'the first one';
  const untilNextMs = Date.parse(next) - Date.parse(last);
  if (untilNextMs >= entry.effective_interval_minutes * MINUTE_MS * EARLY) return null;
  if (entry.pending_confirmation) return 'sooner, to confirm a change';
  if (entry.domain.endsWith('.test')) return 'sooner, to follow a simulated name';
  if (DELETION.includes(phase)) return 'sooner, while the name is being deleted';
  if (phase === 'available') return 'sooner, for a day after the name became available';
  const isNearExpiry = expiresAt !== null && Math.abs(Date.parse(expiresAt) - Date.parse(next)) <= DAY_MS;
  if (isNearExpiry) return 'sooner, on the day of the expiry';
  if (untilNextMs < CONFIRMED_WITHIN_MS) return 'sooner, to ask once more';
  return 'sooner this time, so that checks of all names are spread over the interval';
}

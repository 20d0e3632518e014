import type { Move, WatchlistEventData } from '../../../watchlist/language.js';
import { isRecordChange, toRecordAdvice, toRecordFacts, toRecordPredicate } from './record-change-text.js';

/** An event as a person reads it. */
export interface EventText {
  /** Starts with the name in ASCII: in a subject line the Unicode form could pass for another name. */
  readonly headline: string;
  /** What to do about it, one sentence each. */
  readonly advice: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}

/** A `watchlist.*` event as text: facts of the registry and what the account wrote, nothing of a registrant. */
export function toEventText(type: string, change: WatchlistEventData): EventText {
  return { headline: `${change.domain} ${predicate(type, change)}`, advice: toAdvice(change), facts: toFacts(change) };
}

const STATUS: Readonly<Record<string, string>> = {
  available: 'available',
  registered: 'registered',
  expiring: 'about to expire',
  pending_delete: 'pending deletion',
};
const PHASE: Readonly<Record<string, string>> = {
  available: 'available',
  registered: 'registered',
  reserved: 'reserved by its registry',
  hold: 'on hold',
  expiring: 'about to expire',
  expired_grace: 'past its expiry date',
  redemption: 'in its redemption period',
  pending_restore: 'being restored',
  pending_delete: 'pending deletion',
};
/** Moves that say more than the new status. */
const MOVE: Readonly<Partial<Record<Move, string>>> = {
  caught: 'has been registered by someone',
  withdrawn: 'is now reserved by its registry',
  restored: 'has been restored',
  renewed: 'has been renewed',
};
const PREDICATES: Readonly<Record<string, string>> = {
  'watchlist.check_failing': 'cannot be checked at the moment',
  'watchlist.check_recovered': 'can be checked again',
};

function predicate(type: string, change: WatchlistEventData): string {
  if (isRecordChange(change)) return toRecordPredicate(change);
  const isOwnDate = change.renewal !== undefined;
  if (type === 'watchlist.expiring')
    return `${isOwnDate ? 'is due for renewal' : 'expires'} in ${toDays(change.threshold_days)}`;
  const special = PREDICATES[type] ?? (change.move === null ? undefined : MOVE[change.move]);
  const present = PHASE[change.phase] ?? STATUS[change.status] ?? change.status;
  return special ?? (isFirstAnswer(change) ? `is ${present}` : `is now ${present}`);
}

function toAdvice(change: WatchlistEventData): string[] {
  const { status, phase, intent } = change;
  if (isRecordChange(change)) return toRecordAdvice(change);
  if (phase === 'expired_grace')
    return ['Its registry may have renewed it by itself, and its owner may already have paid.'];
  if (status === 'available' && intent === 'own') return ['Anyone can register it now: be quick if it was yours.'];
  if (status === 'available' && intent === 'acquire') return ['Anyone can register it now: be quick.'];
  if (status === 'expiring' && intent === 'own') return ['Renew it with your registrar.'];
  return [];
}

function toFacts(change: WatchlistEventData) {
  const { domain, domain_unicode: unicode } = change;
  return [
    { label: 'Domain', value: unicode === domain ? domain : `${domain} (${unicode})` },
    ...toStatusFacts(change),
    { label: 'Expires', value: change.expires_at ?? 'unknown' },
    ...toRenewalFacts(change),
    ...(isRecordChange(change) ? toRecordFacts(change) : []),
    { label: 'Confirmed', value: change.confirmed_at ?? 'never' },
    { label: 'Source', value: change.source?.toUpperCase() ?? 'none' },
  ];
}

/** What an entry starts with is no answer of the registry. */
function toStatusFacts(change: WatchlistEventData) {
  if (change.confirmed_at === null) return [{ label: 'Status', value: 'not checked yet' }];
  if (isFirstAnswer(change))
    return [
      { label: 'First answer', value: STATUS[change.status] ?? change.status },
      { label: 'Phase', value: PHASE[change.phase] ?? change.phase },
    ];
  return [
    { label: 'Status', value: toTransition(change.previous_status, change.status, STATUS) },
    { label: 'Phase', value: toTransition(change.previous_phase, change.phase, PHASE) },
  ];
}

/** Nobody saw the name change: what it was before is what every entry starts with. */
function isFirstAnswer({ move }: WatchlistEventData): boolean {
  return move === 'discovered';
}

function toRenewalFacts({ renewal }: WatchlistEventData) {
  if (!renewal) return [];
  return [{ label: 'Renewal', value: renewal.note === null ? renewal.on : `${renewal.on} (${renewal.note})` }];
}

function toTransition(before: string, after: string, labels: Readonly<Record<string, string>>): string {
  const now = labels[after] ?? after;
  return before === after ? now : `${labels[before] ?? before} → ${now}`;
}

function toDays(number: number | null): string {
  return number === 1 ? '1 day' : `${number ?? 'a few'} days`;
}

import type {
  FailingEventData,
  LookupErrorCode,
  RecordChangedEventData,
  WatchlistEventData,
  Move,
} from '../../watchlist/language.js';
import { toPrintableLine } from '../../kernel/printable-line.js';
import { toDayText, toInstantText } from './date-text.js';
import {
  breakLinks,
  isDriftChange,
  isRecordChange,
  toDriftAdvice,
  toDriftFacts,
  toDriftPredicate,
  toRecordAdvice,
  toRecordFacts,
  toRecordPredicate,
} from './record-text.js';
import { SUMMARY_GROUPS, type SummaryData, type SummaryGroup, type SummaryGroups } from './summary.js';

/** The watched name that an event is about, and the change. */
export interface NameChange extends Pick<
  WatchlistEventData,
  | 'entry_id'
  | 'domain'
  | 'domain_unicode'
  | 'status'
  | 'previous_status'
  | 'phase'
  | 'previous_phase'
  | 'move'
  | 'threshold_days'
> {
  /** The changed part of the registration record. null for other changes. */
  readonly kind: RecordChangedEventData['kind'] | null;
  /** The day that a reminder is about, as `YYYY-MM-DD` in UTC. null for other events. */
  readonly due_on: string | null;
}

/** @returns null for events about channels, and for summaries */
export function readNameChange(body: string): NameChange | null {
  const { data } = JSON.parse(body) as { data?: Partial<RecordChangedEventData> };
  return data?.domain === undefined ? null : toNameChange(data as WatchlistEventData & Partial<RecordChangedEventData>);
}

function toNameChange(data: WatchlistEventData & Partial<RecordChangedEventData>): NameChange {
  return {
    entry_id: data.entry_id,
    domain: data.domain,
    domain_unicode: data.domain_unicode,
    status: data.status,
    previous_status: data.previous_status,
    phase: data.phase,
    previous_phase: data.previous_phase,
    move: data.move,
    threshold_days: data.threshold_days,
    kind: data.kind ?? null,
    due_on: data.threshold_days === null ? null : (data.renewal?.on ?? data.expires_at?.slice(0, 10) ?? null),
  };
}

/** An event as a person reads it. */
export interface EventText {
  /** Events about a name start with the name in ASCII, because the Unicode form could look like another name. */
  readonly headline: string;
  /** Sentences that tell the reader what to do. */
  readonly advice: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
}

/** Turns a `watchlist.*` event into text. The text has no personal data of a registrant. */
export function toEventText(type: string, change: WatchlistEventData): EventText {
  return {
    headline: `${change.domain} ${predicate(type, change)}`,
    advice: toAdvice(type, change),
    facts: toFacts(change),
  };
}

/** Words for statuses and phases. A status and a phase with the same name have the same words. */
const LABELS: Readonly<Record<string, string>> = {
  available: 'available',
  registered: 'registered',
  reserved: 'reserved by its registry',
  hold: 'on hold',
  expiring: 'about to expire',
  expired_grace: 'expired, in its grace period',
  redemption: 'in its redemption period',
  pending_restore: 'being restored',
  pending_delete: 'pending deletion',
};
/** The status alone does not explain these changes: a `registered` name may have been caught, restored or renewed. */
const MOVE: Readonly<Partial<Record<Move, string>>> = {
  caught: 'has been registered by someone',
  withdrawn: 'is now reserved by its registry',
  restored: 'has been restored',
  renewed: 'has been renewed',
};
const CHECK_FAILING = 'watchlist.check_failing';
const FAILURES: Readonly<Record<LookupErrorCode, string>> = {
  registry_unreachable: 'its registry cannot be reached',
  registry_answer_unusable: 'the answers of its registry cannot be used',
  registry_throttled: 'its registry accepts no more queries at the moment',
  registry_timeout: 'its registry does not answer in time',
  tld_unsupported: 'no registry is known for its ending',
};

function predicate(type: string, change: WatchlistEventData): string {
  if (isRecordChange(change)) return toRecordPredicate(change);
  if (type === CHECK_FAILING) return toFailurePredicate(change);
  if (type === 'watchlist.check_recovered') return 'can be checked again';
  if (isDriftChange(change)) return toDriftPredicate(change);
  if (type === 'watchlist.expiring') return toReminderPredicate(change);
  const special = change.move === null ? undefined : MOVE[change.move];
  return special ?? toStatePredicate(change);
}

/** Describes a reminder. States the day, because a number of days left would be wrong when read later. */
function toReminderPredicate({ renewal, expires_at: expiresAt }: WatchlistEventData): string {
  if (renewal) return `is due for renewal on ${toDayText(renewal.on) ?? renewal.on}`;
  const day = expiresAt === null ? null : toDayText(expiresAt);
  return day === null ? 'expires soon' : `expires on ${day}`;
}

function toFailurePredicate({ code }: Partial<FailingEventData>): string {
  const reason = FAILURES[code as LookupErrorCode] as string | undefined;
  return `cannot be checked: ${reason ?? 'its registry gives no answer'}`;
}

function toStatePredicate(change: WatchlistEventData): string {
  const { status, phase, expires_at: expiresAt } = change;
  if (phase === 'expired_grace') return 'has expired and is in its grace period';
  const day = phase === 'expiring' && expiresAt !== null ? toDayText(expiresAt) : null;
  if (day !== null) return `expires on ${day}`;
  return `${isFirstAnswer(change) ? 'is' : 'is now'} ${LABELS[phase] ?? LABELS[status] ?? status}`;
}

function toAdvice(type: string, change: WatchlistEventData): string[] {
  const { status, phase, purpose, threshold_days: days } = change;
  if (isRecordChange(change)) return toRecordAdvice(change);
  if (isDriftChange(change)) return toDriftAdvice(change);
  if (type === CHECK_FAILING) return toFailureAdvice(change);
  if (phase === 'expired_grace')
    return [
      ...(purpose === 'own' ? ['Renew it with your registrar today, unless you have renewed it already.'] : []),
      'Its registry may have renewed it by itself, and its owner may already have paid.',
    ];
  if (status === 'available' && purpose === 'own') return ['Anyone can register it now: be quick if it was yours.'];
  if (status === 'available' && purpose === 'acquire') return ['Anyone can register it now: be quick.'];
  if (phase === 'redemption' && purpose === 'own')
    return ['Ask your registrar at once to restore it: that is still possible, mostly for a fee.'];
  if (phase === 'pending_delete' && purpose !== 'monitor')
    return ['It cannot be restored any more. Anyone can register it once its registry has deleted it.'];
  if (purpose === 'own' && (status === 'expiring' || days !== null)) return ['Renew it with your registrar.'];
  return [];
}

function toFailureAdvice({ since, confirmed_at: confirmedAt }: Partial<FailingEventData>): string[] {
  const start = since === undefined ? null : toInstantText(since);
  return [
    ...(start === null ? [] : [`Checks have failed since ${start}. They go on, and you hear when one succeeds.`]),
    confirmedAt
      ? 'Its status is that of the last answer, and may have changed since.'
      : 'Its registry has not answered yet, so its status is not known.',
  ];
}

function toFacts(change: WatchlistEventData) {
  const { domain, domain_unicode: unicode, tags, note } = change;
  return [
    { label: 'Domain', value: unicode === domain ? domain : `${domain} (${unicode})` },
    toStatusFact(change),
    ...toExpiryFacts(change),
    ...toRenewalFacts(change),
    ...(isRecordChange(change) ? toRecordFacts(change) : []),
    ...(isDriftChange(change) ? toDriftFacts(change) : []),
    ...(tags.length > 0 ? [{ label: 'Tags', value: tags.join(', ') }] : []),
    ...(note ? [{ label: 'Note', value: note }] : []),
    ...toConfirmationFacts(change),
  ];
}

function toStatusFact(change: WatchlistEventData) {
  const { phase, previous_phase: before, confirmed_at: confirmedAt } = change;
  if (confirmedAt === null) return { label: 'Status', value: 'not checked yet' };
  const now = LABELS[phase] ?? phase;
  if (isFirstAnswer(change)) return { label: 'First answer', value: now };
  return { label: 'Status', value: before === phase ? now : `${LABELS[before] ?? before} → ${now}` };
}

/** Whether the change is the first answer of the registry. Until then, the status is only assumed. */
function isFirstAnswer({ move }: WatchlistEventData): boolean {
  return move === 'discovered';
}

function toExpiryFacts({ status, phase, expires_at: expiresAt, confirmed_at: confirmedAt }: WatchlistEventData) {
  if (status === 'available' || confirmedAt === null) return [];
  if (expiresAt === null) return [{ label: 'Expires', value: 'not published by its registry' }];
  const value = toDayText(expiresAt) ?? breakLinks(expiresAt);
  if (Date.parse(expiresAt) < Date.parse(confirmedAt)) return [{ label: 'Expired', value }];
  // In the grace period, a future date means that the registry renewed the name automatically.
  return [{ label: phase === 'expired_grace' ? 'Renewed by its registry until' : 'Expires', value }];
}

function toRenewalFacts({ renewal }: WatchlistEventData) {
  if (!renewal) return [];
  const on = toDayText(renewal.on) ?? renewal.on;
  return [{ label: 'Renewal', value: renewal.note === null ? on : `${on} (${renewal.note})` }];
}

function toConfirmationFacts({ confirmed_at: confirmedAt, source }: WatchlistEventData) {
  if (confirmedAt === null) return [];
  const at = toInstantText(confirmedAt) ?? confirmedAt;
  return [{ label: 'Confirmed', value: source === null ? at : `${at}, by ${source.toUpperCase()}` }];
}

interface ChannelEventData {
  readonly channel_id: string;
  readonly message?: string;
  readonly type?: string;
  readonly label?: string | null;
  readonly reason?: string;
  readonly detail?: string | null;
}

const REASON: Readonly<Record<string, string>> = {
  gone: 'Its receiver wants no more messages',
  failing: 'Its receiver accepted nothing for five days',
  unsubscribed: 'Its recipient unsubscribed',
};

export function toChannelEventText({
  channel_id,
  message,
  type,
  label,
  reason = '',
  detail,
}: ChannelEventData): EventText {
  const channel = { label: 'Channel', value: label ? `${label} (${channel_id})` : channel_id };
  if (message !== undefined) return { headline: 'Test of a notification channel', advice: [message], facts: [channel] };
  return {
    headline: label ? `The channel ${label} was disabled` : `A channel of type ${type ?? 'unknown'} was disabled`,
    advice: [
      toSentence(reason, detail),
      'It gets no events until you enable it again. Then replay what waited; the event feed has the rest.',
    ],
    facts: [channel],
  };
}

function toSentence(reason: string, detail: string | null | undefined): string {
  const why = REASON[reason] ?? reason;
  return detail ? `${why}: ${detail}.` : `${why}.`;
}

/** The text of an event, and the entry that it is about. */
export interface EventDescription extends EventText {
  /** The watchlist entry, with its name in ASCII. null for events about channels, and for summaries. */
  readonly entry: { readonly id: string; readonly domain: string } | null;
}

/**
 * Returns printable lines without personal data of a registrant. Escape them for the place where you show them.
 * @param event `Message.event`
 */
export function describeEvent({ type, body }: { readonly type: string; readonly body: string }): EventDescription {
  const { data } = JSON.parse(body) as {
    data: WatchlistEventData | ChannelEventData | SummaryData;
  };
  if ('due_at' in data) return { ...toLines(toSummaryText(data)), entry: null };
  if ('channel_id' in data) return { ...toLines(toChannelEventText(data)), entry: null };
  return { ...toLines(toEventText(type, data)), entry: { id: data.entry_id, domain: data.domain } };
}

function toLines({ headline, advice, facts }: EventText): EventText {
  return {
    headline: toPrintableLine(headline),
    advice: advice.map(toPrintableLine),
    facts: facts.map(({ label, value }) => ({ label: toPrintableLine(label), value: toPrintableLine(value) })),
  };
}

/** Words for the groups of a summary. `short` follows a number in the headline, `label` precedes the names. */
const SUMMARY_WORDS: Readonly<Record<keyof SummaryGroups, { readonly short: string; readonly label: string }>> = {
  lost: { short: 'lost', label: 'Lost: anyone can register them' },
  about_to_be_deleted: { short: 'about to be deleted', label: 'About to be deleted: nobody can restore them' },
  available_and_wanted: { short: 'free and wanted', label: 'Free: buy them' },
  in_redemption: { short: 'in redemption', label: 'In redemption: restore them now' },
  in_grace: { short: 'in grace', label: 'In grace: renew today' },
  expires_within_30_days: { short: 'expire within 30 days', label: 'Expire within 30 days' },
  not_as_expected: { short: 'not as expected', label: 'Not as expected' },
  failing: { short: 'failing', label: 'Cannot be checked' },
  never_answered: { short: 'never answered', label: 'Never answered' },
  renewals: { short: 'to renew within 30 days', label: 'Your renewal days' },
};

function toSummaryText(summary: SummaryData): EventText {
  const kinds = SUMMARY_GROUPS.filter((kind) => summary[kind].count > 0);
  const counts = kinds.map((kind) => `${summary[kind].count} ${SUMMARY_WORDS[kind].short}`);
  return {
    headline: `Your names: ${counts.join(', ') || 'nothing to do, and none expires within 30 days'}`,
    advice: [],
    facts: [
      ...kinds.map((kind) => ({ label: SUMMARY_WORDS[kind].label, value: listNames(summary[kind]) })),
      { label: 'Watched', value: summary.names === 1 ? '1 name' : `${summary.names} names` },
    ],
  };
}

function listNames({ count, domains }: SummaryGroup): string {
  const more = count - domains.length;
  return [...domains, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

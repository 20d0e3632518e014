import type {
  RecordChangedEventData,
  WatchlistEventData,
  Move,
  MassChangeEventData,
} from '../../watchlist/language.js';

/** Line breaks, other control characters, and those that turn the direction of what follows. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/** One printable line: a text cannot pass for a line of its own, nor turn what surrounds it around. */
export function toPrintableLine(text: string): string {
  return text.toWellFormed().replaceAll(UNPRINTABLE, ' ').trim();
}

/**
 * A text of a registry or registrar, in which no mail program or chat finds an address to link or to show a preview of: a
 * zero-width space breaks it. What an account writes itself keeps its links.
 */
function breakLinks(text: string): string {
  return text
    .replaceAll('://', `:${ZERO_WIDTH_SPACE}//`)
    .replaceAll(/\bwww\./gi, (www) => `${www.slice(0, -1)}${ZERO_WIDTH_SPACE}.`);
}

/** Which watched name an event is about, and what happened to it. */
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
  /** What changed in the registration record; null where it is another event. */
  readonly kind: RecordChangedEventData['kind'] | null;
}

/** @returns null for events about channels */
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
  };
}

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

/** Names phases and statuses: a status is called like the phase of the same name. */
const LABELS: Readonly<Record<string, string>> = {
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
  const present = LABELS[change.phase] ?? LABELS[change.status] ?? change.status;
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
      { label: 'First answer', value: LABELS[change.status] ?? change.status },
      { label: 'Phase', value: LABELS[change.phase] ?? change.phase },
    ];
  return [
    { label: 'Status', value: toTransition(change.previous_status, change.status) },
    { label: 'Phase', value: toTransition(change.previous_phase, change.phase) },
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

function toTransition(before: string, after: string): string {
  const now = LABELS[after] ?? after;
  return before === after ? now : `${LABELS[before] ?? before} → ${now}`;
}

function toDays(number: number | null): string {
  return number === 1 ? '1 day' : `${number ?? 'a few'} days`;
}

/** The `data` of `channel.test` and `channel.disabled`. */
interface ChannelEventData {
  readonly channel_id: string;
  readonly message?: string;
  readonly type?: string;
  readonly reason?: string;
  readonly detail?: string | null;
}

const REASON: Readonly<Record<string, string>> = {
  gone: 'Its receiver wants no more messages',
  failing: 'Its receiver accepted nothing for five days',
  unsubscribed: 'Its recipient unsubscribed',
};

/** A `channel.*` event as text. */
export function toChannelEventText({ channel_id, message, type, reason = '', detail }: ChannelEventData): EventText {
  const channel = { label: 'Channel', value: channel_id };
  if (message !== undefined) return { headline: 'Test of a notification channel', advice: [message], facts: [channel] };
  return {
    headline: `A channel of type ${type ?? 'unknown'} was disabled`,
    advice: [toSentence(reason, detail), 'It gets no events until you enable it again; then replay what it missed.'],
    facts: [channel],
  };
}

function toSentence(reason: string, detail: string | null | undefined): string {
  const why = REASON[reason] ?? reason;
  return detail ? `${why}: ${detail}.` : `${why}.`;
}

/** An event as a person reads it, as plain data. */
export interface EventDescription extends EventText {
  /** The entry of the watchlist, with its name in ASCII; null for events about channels or many names. */
  readonly entry: { readonly id: string; readonly domain: string } | null;
}

/**
 * An event as text: facts of the registry and what the account wrote, nothing of a registrant. Every text is one printable
 * line without markup, to be escaped for where it is shown.
 * @param event `Message.event`
 */
export function describeEvent({ type, body }: { readonly type: string; readonly body: string }): EventDescription {
  const { data } = JSON.parse(body) as { data: WatchlistEventData | MassChangeEventData | ChannelEventData };
  if ('channel_id' in data) return { ...toLines(toChannelEventText(data)), entry: null };
  if (isMassChange(data)) return { ...toLines(toMassChangeText(data)), entry: null };
  return { ...toLines(toEventText(type, data)), entry: { id: data.entry_id, domain: data.domain } };
}

function toLines({ headline, advice, facts }: EventText): EventText {
  return {
    headline: toPrintableLine(headline),
    advice: advice.map(toPrintableLine),
    facts: facts.map(({ label, value }) => ({ label: toPrintableLine(label), value: toPrintableLine(value) })),
  };
}

type Kind = RecordChangedEventData['kind'];
type Value = RecordChangedEventData['after'];

/** What an event says of one name, and of many. */
const RECORD: Readonly<Record<Kind, { readonly label: string; readonly one: string; readonly many: string }>> = {
  nameservers: { label: 'Name servers', one: 'has other name servers', many: 'have other name servers' },
  registrar: { label: 'Registrar', one: 'has another registrar', many: 'have another registrar' },
  statuses: { label: 'Registry statuses', one: 'has other registry statuses', many: 'have other registry statuses' },
  ds: { label: 'DS records', one: 'has other DS records', many: 'have other DS records' },
  last_transfer: { label: 'Last transfer', one: 'was transferred', many: 'were transferred' },
};
const MASS_ADVICE = 'Further names with the same change come in one message when the hour is over.';
/** Limits a text; the event has more. */
const MAX_SHOWN_NAMES = 50;
/** Limits lists, which may be long. */
const MAX_SHOWN_ITEMS = 8;

/** Whether the data of an event is that of `watchlist.record_changed`. */
export function isRecordChange(data: object): data is RecordChangedEventData {
  return 'kind' in data && 'before' in data && 'after' in data;
}

function isMassChange(data: object): data is MassChangeEventData {
  return 'domains' in data;
}

/** Starts with the first name, like all headlines. */
function toMassChangeText(change: MassChangeEventData) {
  const { kind, after, names, domains, since, until } = change;
  const shown = domains.slice(0, MAX_SHOWN_NAMES);
  const more = names - shown.length;
  const [first = 'Names', ...others] = domains;
  const isAlone = others.length === 0 && names <= 1;
  return {
    headline: isAlone ? `${first} ${RECORD[kind].one}` : `${first} and ${names - 1} more ${RECORD[kind].many}`,
    advice: [
      ...toOwnersAdvice(change),
      'These names were not sent one by one: more than a few changed in the same way. ' +
        'GET /v1/events?type=watchlist.record_changed lists each of them.',
    ],
    facts: [
      { label: `${RECORD[kind].label} now`, value: breakLinks(toText(after)) },
      { label: 'Names', value: [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ') },
      { label: 'Changed', value: `${since} to ${until}` },
    ],
  };
}

function toRecordPredicate({ kind, mass_change: mass }: RecordChangedEventData): string {
  return mass ? `${RECORD[kind].one}, like ${mass.others} other names` : RECORD[kind].one;
}

function toRecordAdvice(change: RecordChangedEventData): string[] {
  return [...toOwnersAdvice(change), ...(change.mass_change ? [MASS_ADVICE] : [])];
}

function toOwnersAdvice({ kind, intent }: Pick<RecordChangedEventData, 'kind' | 'intent'>): string[] {
  if (intent !== 'own') return [];
  if (kind === 'statuses') return ['If you did not do this, see at your registrar whether its locks are still set.'];
  return ['If you did not do this, contact your registrar at once: the name may have been taken over.'];
}

function toRecordFacts({ kind, before, after, mass_change: mass }: RecordChangedEventData) {
  const label = RECORD[kind].label;
  return [
    { label: `${label} before`, value: breakLinks(toText(before)) },
    { label: `${label} now`, value: breakLinks(toText(after)) },
    ...(mass ? [{ label: 'Same change', value: `${mass.others} other names since ${mass.since}` }] : []),
  ];
}

function toText(value: Value): string {
  if (typeof value === 'string') return value;
  if ('iana_id' in value)
    return [value.name, value.iana_id === null ? null : `IANA ${value.iana_id}`]
      .filter((part) => part !== null)
      .join(', ');
  const items = value.map((item) =>
    typeof item === 'string' ? item : `${item.key_tag} ${item.algorithm} ${item.digest_type} ${item.digest}`,
  );
  const hidden = items.length - MAX_SHOWN_ITEMS;
  const shown = hidden > 0 ? [...items.slice(0, MAX_SHOWN_ITEMS), `${hidden} more`] : items;
  return shown.length === 0 ? 'none' : shown.join(', ');
}

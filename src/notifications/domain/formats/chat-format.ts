import { type AttemptOutcome, failed } from '../attempt.js';
import type { HttpReply, HttpRequest } from '../http-exchange.js';
import { TargetInvalid } from '../target.js';
import type { DashboardLinks } from '../../../kernel/dashboard-links.js';
import { toPrintableLine } from '../../../kernel/printable-line.js';
import { bundleHeadline, bundleLines } from '../bundle-text.js';
import { describeEvent } from '../event-text.js';
import type { Message } from '../channel-sender.js';
import { type Alert, toAlert, type Severity, severityOf } from './alert.js';

/** How a chat product takes messages. The target URL contains the keys, so the whole URL is secret. */
export interface ChatFormat {
  readonly name: string;
  /** A made-up target and one sentence about it, for the API document. */
  readonly example: { readonly target: string; readonly about: string };
  /** True if accounts may set headers of their own, such as an access token. */
  readonly supportsHeaders?: true;
  /** How much room a message has for naming events. Without `room`, a message names all events. */
  readonly room?: Room;
  /** True if the product opens an incident for each message, so that each event gets its own message. */
  readonly opensIncidents?: true;
  /**
   * @returns the text that the API shows instead of the secret target
   * @throws TargetInvalid if the URL is no target of this product
   */
  mask(target: URL): string;
  toRequest(target: URL, message: ChatMessage): Pick<HttpRequest, 'url' | 'method'> & { readonly body: object };
  /** Returns the outcome of a reply, or null if the HTTP status has its usual meaning. */
  toOutcome?(reply: HttpReply): AttemptOutcome | null;
}

/** How much text a message may have. */
export interface Room {
  /** Limits all lines together, after escaping and with line ends. */
  readonly size: number;
  readonly lines?: number;
  readonly escape?: Escape;
  /** Measures a text, by default in UTF-16 code units. */
  readonly sizeOf?: (text: string) => number;
}

/** @throws TargetInvalid if the path does not match, or a parameter is missing, empty or repeated */
export function requireParts(target: URL, path: RegExp, parameters: readonly string[], expected: string): string[] {
  const match = path.exec(target.pathname);
  const areGiven = parameters.every((name) => target.searchParams.getAll(name).filter(Boolean).length === 1);
  if (!match || !areGiven) throw new TargetInvalid(`This is no target of this format: ${expected}`);
  return match.slice(1).map((part) => part ?? '');
}

/** Parses the JSON object of a reply. Returns {} for anything else, such as a truncated reply. */
export function readReplyObject({ excerpt }: HttpReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(excerpt ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function refused(
  { status, excerpt, retryAfterMs }: HttpReply,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return failed('http_error', { responseStatus: status, responseExcerpt: excerpt, retryAfterMs, ...details });
}

/** The content of a message for any format. Every text is one printable line, not yet escaped. */
export interface ChatMessage {
  readonly title: string;
  /** The lines below the title, which are advice or a list of events. */
  readonly lines: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** The URL of a dashboard page, or null. */
  readonly link: string | null;
  /** Contains the event's id, by which the API finds the event. */
  readonly footer: string;
  readonly severity: Severity;
  /** When the event happened, in ISO 8601. */
  readonly timestamp: string;
  /** The alert for products that manage incidents. null if the message has several events. */
  readonly alert: Alert | null;
}

type ChatEvent = Pick<Message['event'], 'id' | 'type' | 'body'>;

/** Builds the message about an event. The message is the same at each attempt. */
export function toChatMessage(event: ChatEvent, dashboard: DashboardLinks | null = null): ChatMessage {
  const { headline, advice, facts, entry } = describeEvent(event);
  return {
    title: toPlainLine(headline),
    lines: advice.map(toPlainLine),
    facts: facts.map(({ label, value }) => ({ label: toPlainLine(label), value: toPlainLine(value) })),
    link: entry && dashboard && dashboard.toName(entry.domain),
    footer: `Namewatch event ${event.id}`,
    severity: severityOf(event),
    timestamp: timestampOf(event),
    alert: toPlainAlert(event),
  };
}

interface ChatBundle {
  readonly events: readonly ChatEvent[];
  readonly total: number;
}

/** Builds one message for one or more events. Names as many events as fit, and says how many more there are. */
export function toChatBundle(
  { events: all, total }: ChatBundle,
  dashboard: DashboardLinks | null = null,
  room: Room | null = null,
): ChatMessage {
  const events = all.slice(0, room ? countFitting(all, room) : all.length);
  const more = total - events.length;
  const last = events.toSorted((one, other) => timestampOf(one).localeCompare(timestampOf(other))).at(-1);
  const severities = new Set(events.map(severityOf));
  return {
    title: toPlainLine(bundleHeadline(events, total)),
    lines: [
      ...bundleLines(events).map(toPlainLine),
      ...(more > 0 ? [`and ${more} more, which the events of the account list`] : []),
    ],
    facts: [],
    link: dashboard && dashboard.watchlist,
    footer: last ? `Namewatch events up to ${last.id}` : 'Namewatch',
    severity: SEVERITY_ORDER.find((severity) => severities.has(severity)) ?? 'info',
    timestamp: last ? timestampOf(last) : '',
    alert: null,
  };
}

/** Returns how many of the first events fit, at least 1. If a single event does not fit, the format cuts the text. */
function countFitting(
  events: readonly ChatEvent[],
  { size, lines: most = Infinity, escape, sizeOf = sizeOfText }: Room,
) {
  const isFitting = (count: number) => {
    const lines = bundleLines(events.slice(0, count)).map(toPlainLine);
    return lines.length <= most && sizeOf(Array.from(lines.join('\n'), (one) => escape?.(one) ?? one).join('')) <= size;
  };
  if (isFitting(events.length)) return events.length;
  let [fits, exceeds] = [1, events.length];
  while (exceeds - fits > 1) {
    const middle = Math.floor((fits + exceeds) / 2);
    if (isFitting(middle)) fits = middle;
    else exceeds = middle;
  }
  return fits;
}

const SEVERITY_ORDER: readonly Severity[] = ['critical', 'error', 'warning', 'info'];

function toPlainAlert(event: ChatEvent): Alert {
  const alert = toAlert(event);
  return { ...alert, source: toPlainLine(alert.source) };
}

function timestampOf({ body }: ChatEvent): string {
  return (JSON.parse(body) as { timestamp: string }).timestamp;
}

export const LINK_TEXT = 'Open in Namewatch';

const ELLIPSIS = '…';
export const ZERO_WIDTH_SPACE = '\u200b';

export type Escape = (character: string) => string;

/** Matches characters that begin a mention, a tag or a link in the markup of any product. */
const LIVE = /@|<(?=\S)|\](?=[([])|!(?=\[)/g;

/** Inserts zero-width spaces, so that no product shows a mention or hidden link, even if people copy the text there. */
export function toPlainLine(text: string): string {
  return toPrintableLine(text).replaceAll(LIVE, `$&${ZERO_WIDTH_SPACE}`);
}

/**
 * Cuts the text to the limit, but never cuts a character or its escaped form in two.
 * @param sizeOf by default in UTF-16 code units
 */
export function truncate(
  text: string,
  limit: number,
  escape: Escape = (character) => character,
  sizeOf: (text: string) => number = sizeOfText,
): string {
  const whole = Array.from(text, escape).join('');
  if (sizeOf(whole) <= limit) return whole;
  let size = sizeOf(ELLIPSIS);
  let kept = '';
  for (const character of text) {
    const next = escape(character);
    size += sizeOf(next);
    if (size > limit) break;
    kept += next;
  }
  return kept.trimEnd() + ELLIPSIS;
}

function sizeOfText({ length }: string): number {
  return length;
}

export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

export function escapeHtml(character: string): string {
  return HTML[character] ?? character;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

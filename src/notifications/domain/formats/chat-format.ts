import { type AttemptOutcome, failed } from '../attempt.js';
import type { HttpReply } from '../guarded-http.js';
import { TargetInvalid } from '../target.js';
import type { DashboardLinks } from '../../../kernel/dashboard-links.js';
import { toPrintableLine } from '../../../kernel/printable-line.js';
import { bundleHeadline, bundleLines } from '../bundle-text.js';
import { describeEvent } from '../event-text.js';
import type { Message } from '../channel-sender.js';
import { type Alert, toAlert, type Severity, severityOf } from './alert.js';

/**
 * The form in which a product takes messages. Its target is an HTTPS URL with everything that a sender needs, keys
 * included, so it is a secret as a whole.
 */
export interface ChatFormat {
  readonly name: string;
  /** Is shown in the API document: a made-up target, and one sentence on what it is. */
  readonly example: { readonly target: string; readonly about: string };
  /** True: accounts may set headers of their own, such as an access token. */
  readonly supportsHeaders?: true;
  /** How much of a message with several events it shows; the rest is counted. Missing: it gets none. */
  readonly room?: Room;
  /** True: the product opens and closes an incident for each event, and decides by itself what people see. */
  readonly opensIncidents?: true;
  /**
   * @param target an HTTPS URL that may be reached
   * @returns the text for answers, without the secret
   * @throws TargetInvalid
   */
  mask(target: URL): string;
  /** The request to post, as JSON. */
  toRequest(target: URL, message: ChatMessage): { readonly url: string; readonly body: object };
  /** The meaning of a reply where its status does not say it. */
  toOutcome?(reply: HttpReply): AttemptOutcome | null;
}

/** For the lines of a message, with their line ends, and as they are escaped. */
export interface Room {
  readonly size: number;
  /** Any number unless given. */
  readonly lines?: number;
  readonly escape?: Escape;
  readonly sizeOf?: (text: string) => number;
}

/** @throws TargetInvalid unless the path matches and every parameter is there once and non-empty */
export function requireParts(target: URL, path: RegExp, parameters: readonly string[], expected: string): string[] {
  const match = path.exec(target.pathname);
  const areGiven = parameters.every((name) => target.searchParams.getAll(name).filter(Boolean).length === 1);
  if (!match || !areGiven) throw new TargetInvalid(`This is no target of this format: ${expected}`);
  return match.slice(1).map((part) => part ?? '');
}

/** The JSON object of a reply; empty for anything else, such as a page of a proxy or a reply that was cut. */
export function readReplyObject({ excerpt }: HttpReply): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(excerpt ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A failure with what the reply says about it. */
export function refused(
  { status, excerpt, retryAfterMs }: HttpReply,
  details: Partial<Omit<AttemptOutcome, 'outcome'>> = {},
): AttemptOutcome {
  return failed('http_error', { responseStatus: status, responseExcerpt: excerpt, retryAfterMs, ...details });
}

/** The content for a format: every text is one printable line, not yet escaped. */
export interface ChatMessage {
  readonly title: string;
  /** Stand below the title: advice, or the events of a message with several. */
  readonly lines: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** A page of the dashboard; null without one. */
  readonly link: string | null;
  /** Says by what a message is found in the API. */
  readonly footer: string;
  readonly severity: Severity;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  /** Is what products need whose alerts open and close; null for several events. */
  readonly alert: Alert | null;
}

type ChatEvent = Pick<Message['event'], 'id' | 'type' | 'body'>;

/** The same event gives the same message, at each attempt. */
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

/** Several events, at least one. Each is named as long as there is room, and the others are counted. */
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

/** The most that fit, and one at least: a text that is too long for one event is cut. */
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

/** The name of a link where a product shows a text for it. */
export const LINK_TEXT = 'Open in Namewatch';

const ELLIPSIS = '…';
export const ZERO_WIDTH_SPACE = '\u200b';

/** Escapes one character. */
export type Escape = (character: string) => string;

/** These begin a mention, a tag or a link; the `]` stands between the text of a link or image and its address. */
const LIVE = /@|<(?=\S)|\](?=[([])|!(?=\[)/g;

/**
 * One printable line, with a zero-width space behind anything that could begin a mention or hide the address of a link.
 * So no product makes either, even where a receiver forwards the text to another product with other markup.
 */
export function toPlainLine(text: string): string {
  return toPrintableLine(text).replaceAll(LIVE, `$&${ZERO_WIDTH_SPACE}`);
}

/**
 * The text, escaped, in at most `limit` units; a longer one ends in an ellipsis. Neither a character nor what it is
 * escaped to is ever cut in two.
 * @param sizeOf the units of the limit; UTF-16 code units by default
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

/** In UTF-16 code units. */
function sizeOfText({ length }: string): number {
  return length;
}

/** Is the size where a limit counts bytes of UTF-8. */
export function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** Escapes for HTML and what resembles it. */
export function escapeHtml(character: string): string {
  return HTML[character] ?? character;
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

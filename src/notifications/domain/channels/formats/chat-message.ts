import { describeEvent } from '../../events/describe-event.js';
import type { Message } from '../channel-sender.js';
import { type Alert, toAlert } from './alert.js';
import { toPlainLine } from './chat-text.js';
import { type Severity, severityOf } from './severity.js';

/** What a format renders: every text is one printable line, not yet escaped. */
export interface ChatMessage {
  readonly title: string;
  /** Below the title: advice, or the events of a digest. */
  readonly lines: readonly string[];
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** By which a message is found in the API. */
  readonly footer: string;
  readonly severity: Severity;
  /** When it happened, ISO 8601. */
  readonly timestamp: string;
  /** For products with alerts that open and close; null for a digest. */
  readonly alert: Alert | null;
}

type ChatEvent = Pick<Message['event'], 'id' | 'type' | 'body'>;

/** A digest of more says how many it leaves out. */
const MAX_DIGEST_LINES = 20;

/** The same event gives the same message, at each attempt. */
export function toChatMessage(event: ChatEvent): ChatMessage {
  const { headline, advice, facts } = describeEvent(event);
  return {
    title: toPlainLine(headline),
    lines: advice.map(toPlainLine),
    facts: facts.map(({ label, value }) => ({ label: toPlainLine(label), value: toPlainLine(value) })),
    footer: `Namewatch event ${event.id}`,
    severity: severityOf(event),
    timestamp: timestampOf(event),
    alert: toPlainAlert(event),
  };
}

/** @param events in the order of the digest, at least one */
export function toChatDigest(events: readonly ChatEvent[]): ChatMessage {
  const listed = events.slice(0, MAX_DIGEST_LINES);
  const more = events.length - listed.length;
  const last = events.toSorted((one, other) => timestampOf(one).localeCompare(timestampOf(other))).at(-1);
  const severities = new Set(events.map(severityOf));
  return {
    title: events.length === 1 ? 'One more event' : `${events.length} more events`,
    lines: [
      ...listed.map((event) => toPlainLine(describeEvent(event).headline)),
      ...(more > 0 ? [`and ${more} more: GET /v1/events lists all of them`] : []),
    ],
    facts: [],
    footer: last ? `Namewatch events up to ${last.id}` : 'Namewatch',
    severity: SEVERITY_ORDER.find((severity) => severities.has(severity)) ?? 'info',
    timestamp: last ? timestampOf(last) : '',
    alert: null,
  };
}

const SEVERITY_ORDER: readonly Severity[] = ['critical', 'error', 'warning', 'info'];

function toPlainAlert(event: ChatEvent): Alert {
  const alert = toAlert(event);
  return { ...alert, source: toPlainLine(alert.source) };
}

function timestampOf({ body }: ChatEvent): string {
  return (JSON.parse(body) as { timestamp: string }).timestamp;
}

import type { Message } from './channel-sender.js';
import { describeEvent } from './event-text.js';

type Event = Pick<Message['event'], 'type' | 'body'>;

/** The first event, which is the most urgent, and how many others. */
export function bundleHeadline(events: readonly Event[], total: number): string {
  const [first] = events;
  const headline = first ? describeEvent(first).headline : 'News';
  return total === 1 ? headline : `${headline}, and ${total - 1} more`;
}

/** Products cut longer lines. */
const LINE_LENGTH = 250;

/**
 * Tells like changes of several names together, in as many lines as all of them need; in the order of the first of
 * each.
 */
export function bundleLines(events: readonly Event[]): string[] {
  const byChange = Map.groupBy(events.map(describe), ({ change, domain, headline }) => (domain ? change : headline));
  return [...byChange.values()].flatMap((alike) => {
    const domains = [...new Set(alike.flatMap(({ domain }) => domain ?? []))];
    const [{ change, headline } = { change: '', headline: '' }] = alike;
    return domains.length > 1 ? toLines(change, domains) : [headline];
  });
}

/** `is available: a.test, b.test`; each line reads by itself. */
function toLines(change: string, domains: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const domain of domains) {
    const longer = line === '' ? `${change}: ${domain}` : `${line}, ${domain}`;
    const isFull = line !== '' && longer.length > LINE_LENGTH;
    if (isFull) lines.push(line);
    line = isFull ? `${change}: ${domain}` : longer;
  }
  return [...lines, line];
}

/** A headline about a name starts with it. */
function describe(event: Event) {
  const { headline, entry } = describeEvent(event);
  const domain = entry?.domain ?? null;
  return { headline, domain, change: domain === null ? headline : headline.slice(domain.length).trim() };
}

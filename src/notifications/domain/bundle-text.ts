import type { Message } from './channel-sender.js';
import { describeEvent } from './event-text.js';

type Event = Pick<Message['event'], 'type' | 'body'>;

/** Returns the headline of the first event (the most urgent event), and how many more events the message has. */
export function bundleHeadline(events: readonly Event[], total: number): string {
  const [first] = events;
  const headline = first ? describeEvent(first).headline : 'News';
  return total === 1 ? headline : `${headline}, and ${total - 1} more`;
}

/** The maximum length of a line, because some chat products cut longer lines. */
const LINE_LENGTH = 250;

/** Turns events into lines. Domain names with the same change share a line, such as `is available: a.test, b.test`. */
export function bundleLines(events: readonly Event[]): string[] {
  const byChange = Map.groupBy(events.map(describe), ({ change, domain, headline }) => (domain ? change : headline));
  return [...byChange.values()].flatMap((alike) => {
    const domains = [...new Set(alike.flatMap(({ domain }) => domain ?? []))];
    const [{ change, headline } = { change: '', headline: '' }] = alike;
    return domains.length > 1 ? toLines(change, domains) : [headline];
  });
}

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

/** Separates the domain name from the rest of the headline. */
function describe(event: Event) {
  const { headline, entry } = describeEvent(event);
  const domain = entry?.domain ?? null;
  return { headline, domain, change: domain === null ? headline : headline.slice(domain.length).trim() };
}

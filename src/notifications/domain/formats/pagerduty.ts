import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import { TargetInvalid } from '../target.js';
import { type ChatFormat, LINK_TEXT, refused, requireParts, type ChatMessage, truncate } from './chat-format.js';

const ENQUEUE = /^\/v2\/enqueue$/;
const ROUTING_KEY = /^[\da-zA-Z]{32}$/;
/** The maximum length of each text. All texts together stay far below the 512 KB that PagerDuty allows. */
const LIMITS = { summary: 1_024, source: 255, value: 2_000 };

/**
 * Events about one problem have the same `dedup_key`, so they update and resolve one alert.
 * @see https://developer.pagerduty.com/docs/send-alert-event
 * @see https://developer.pagerduty.com/docs/events-api-v2-overview#response-codes--retry-logic
 */
export const pagerduty: ChatFormat = {
  name: 'pagerduty',
  example: {
    target: 'https://pagerduty.example.test/v2/enqueue?routing_key=0123456789abcdef0123456789abcdef',
    about: 'PagerDuty: its Events API v2 with the integration key of a service',
  },
  opensIncidents: true,

  mask(target) {
    const expected = 'https://events.pagerduty.com/v2/enqueue?routing_key=<32 letters and digits>';
    requireParts(target, ENQUEUE, ['routing_key'], expected);
    if (!ROUTING_KEY.test(routingKeyOf(target)))
      throw new TargetInvalid(`routing_key is 32 letters and digits: ${expected}`);
    return `https://${target.host}/v2/enqueue?routing_key=…`;
  },

  toRequest(target, message) {
    const body = { routing_key: routingKeyOf(target), ...toBody(message) };
    return { url: `${target.origin}${target.pathname}`, body };
  },

  // PagerDuty wants retries after 429 and 5xx, but not after 400.
  toOutcome: (reply: HttpReply): AttemptOutcome | null =>
    reply.status === 400 ? refused(reply, { final: true }) : null,
};

function routingKeyOf({ searchParams }: URL): string {
  return searchParams.get('routing_key') ?? '';
}

function toBody({ title, lines, facts, link, footer, severity, timestamp, alert }: ChatMessage): object {
  if (alert === null) throw new TypeError('several events are no alert');
  const identity = { event_action: alert.action, dedup_key: `namewatch/${alert.key}` };
  if (alert.action === 'resolve') return identity;
  const details = facts.map(({ label, value }) => [label, truncate(value, LIMITS.value)] as const);
  return {
    ...identity,
    client: 'Namewatch',
    ...(link !== null && { links: [{ href: link, text: LINK_TEXT }] }),
    payload: {
      summary: truncate(title, LIMITS.summary),
      source: truncate(alert.source, LIMITS.source),
      severity,
      timestamp,
      custom_details: {
        ...Object.fromEntries(details),
        ...(lines.length > 0 && { Advice: lines.join(' ') }),
        Event: footer,
      },
    },
  };
}

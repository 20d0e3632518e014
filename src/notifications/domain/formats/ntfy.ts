import { type ChatFormat, requireParts, type ChatMessage, bytesOf, truncate } from './chat-format.js';
import type { Severity } from './alert.js';

const TOPIC = /^\/([\w-]{1,64})$/;
/** ntfy turns a message of more than 4096 bytes into a file. */
const LIMITS = { titleBytes: 250, messageBytes: 4_000 };
/** ntfy has the priorities 1 to 5. The default is 3, and 5 is the most urgent. */
const PRIORITIES: Readonly<Record<Severity, number>> = { critical: 5, error: 4, warning: 3, info: 2 };

/**
 * Anyone who knows a topic can post there, so the topic is secret.
 * @see https://docs.ntfy.sh/publish/#publish-as-json
 * @see https://docs.ntfy.sh/publish/#limitations
 */
export const ntfy: ChatFormat = {
  name: 'ntfy',
  example: { target: 'https://ntfy.example.test/example-topic-that-is-not-guessable', about: 'ntfy: a topic' },
  supportsHeaders: true,

  room: { size: 3_800, sizeOf: bytesOf },

  mask(target) {
    requireParts(target, TOPIC, [], 'https://ntfy.sh/<topic>, of 1 to 64 letters, digits, "-" and "_"');
    return `https://${target.host}/…`;
  },

  toRequest(target, message) {
    const [, topic] = TOPIC.exec(target.pathname) ?? [];
    // The query may have `auth`, the access token of a protected topic.
    return { url: `${target.origin}/${target.search}`, body: { topic, ...toBody(message) } };
  },
};

function toBody({ title, lines, facts, link, footer, severity }: ChatMessage): object {
  const details = facts.map(({ label, value }) => `${label}: ${value}`);
  const message = [...lines, ...details, footer].join('\n');
  return {
    title: truncate(title, LIMITS.titleBytes, undefined, bytesOf),
    message: truncate(message, LIMITS.messageBytes, undefined, bytesOf),
    priority: PRIORITIES[severity],
    ...(link !== null && { click: link }),
  };
}

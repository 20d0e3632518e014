import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import {
  type ChatFormat,
  LINK_TEXT,
  readReplyObject,
  refused,
  requireParts,
  type ChatMessage,
  truncate,
} from './chat-format.js';
import type { Severity } from './alert.js';
import { SECOND } from '../../../kernel/clock.js';

const WEBHOOK = /^\/api\/(?:v\d+\/)?webhooks\/(\d+)\/[\w-]+$/;
/** An embed has at most 6000 characters in all: https://discord.com/developers/docs/resources/message#embed-object */
const LIMITS = { content: 2_000, description: 2_500, fields: 10, name: 100, value: 200, footer: 200 };
const COLORS: Readonly<Record<Severity, number>> = {
  critical: 0xc0392b,
  error: 0xd35400,
  warning: 0xf1c40f,
  info: 0x3498db,
};
/** Discord's codes for a deleted webhook and for an invalid token. */
const GONE = new Map<unknown, string>([
  [10_015, 'there is no such webhook any more'],
  [50_027, 'the token of the webhook is not valid any more'],
]);
/** Discord's code for an invalid body, which a retry cannot fix. */
const MALFORMED = 50_035;

/**
 * Without `wait=true`, Discord may report success for a message that it did not store.
 * @see https://discord.com/developers/docs/resources/webhook#execute-webhook
 * @see https://discord.com/developers/docs/topics/rate-limits
 */
export const discord: ChatFormat = {
  name: 'discord',
  example: {
    target: 'https://discord.example.test/api/webhooks/123456789012345678/Example-Example_Example-Example',
    about: 'Discord: the URL of a webhook; ?thread_id= posts to a thread',
  },

  room: { size: LIMITS.description - 100, escape: escapeMarkdown },

  mask(target) {
    const [id] = requireParts(target, WEBHOOK, [], 'https://discord.com/api/webhooks/<id>/<token>');
    return `https://${target.host}/api/webhooks/${id}/…`;
  },

  toRequest(target, message) {
    const url = new URL(target);
    url.searchParams.set('wait', 'true');
    return { url: url.href, body: toBody(message) };
  },

  toOutcome(reply: HttpReply): AttemptOutcome | null {
    const { code, retry_after: seconds } = readReplyObject(reply);
    if (reply.status === 429 && typeof seconds === 'number')
      return refused(reply, { retryAfterMs: reply.retryAfterMs ?? Math.ceil(seconds * SECOND) });
    const gone = GONE.get(code);
    if (gone !== undefined) return refused(reply, { final: true, gone });
    return code === MALFORMED ? refused(reply, { final: true, fault: 'service' }) : null;
  },
};

function toBody({ title, lines, facts, link, footer, severity, timestamp }: ChatMessage): object {
  const description = truncate(lines.join('\n'), LIMITS.description, escapeMarkdown);
  const fields = facts.slice(0, LIMITS.fields).map(({ label, value }) => ({
    name: truncate(label, LIMITS.name, escapeMarkdown),
    value: truncate(value, LIMITS.value, escapeMarkdown),
    inline: true,
  }));
  return {
    content: truncate(title, LIMITS.content, escapeMarkdown),
    embeds: [
      {
        ...(link !== null && { title: LINK_TEXT, url: link }),
        ...(description !== '' && { description }),
        color: COLORS[severity],
        ...(fields.length > 0 && { fields }),
        footer: { text: truncate(footer, LIMITS.footer) },
        timestamp,
      },
    ],
    allowed_mentions: { parse: [] },
  };
}

/** Escapes markup, links, and `<…>`, which marks mentions, times and commands. */
function escapeMarkdown(character: string): string {
  return '\\*_~`|[]()<>#'.includes(character) ? `\\${character}` : character;
}

import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import { TargetInvalid } from '../target.js';
import {
  type ChatFormat,
  type ChatMessage,
  type Escape,
  LINK_TEXT,
  refused,
  truncate,
  ZERO_WIDTH_SPACE,
} from './chat-format.js';

const HOSTS: readonly string[] = ['hooks.slack.com', 'hooks.slack-gov.com'];
const WEBHOOK = /^\/services\/(T\w+\/B\w+)\/\w{16,}$/;
/**
 * The maximum length of each kind of text, and the maximum number of fields in a section:
 * https://docs.slack.dev/reference/block-kit/blocks/section-block
 */
const LIMITS = { section: 3_000, field: 2_000, fields: 10, text: 4_000, context: 2_000 };
/** Slack's errors for a webhook or channel that is gone. */
const GONE = new Set(['no_service', 'no_active_hooks', 'channel_not_found', 'no_team', 'team_disabled']);
/** Slack's errors for an invalid message, which a retry cannot fix. */
const MALFORMED = new Set(['invalid_payload', 'invalid_blocks', 'invalid_blocks_format', 'no_text']);

/**
 * Also for Mattermost and Rocket.Chat. Slack shows `blocks`. Mattermost and Rocket.Chat show only `text`, as Markdown.
 * @see https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * @see https://docs.slack.dev/messaging/formatting-message-text#escaping
 * @see https://docs.mattermost.com/developer/webhooks-incoming.html
 */
export const slack: ChatFormat = {
  name: 'slack',
  example: {
    target: 'https://slack.example.test/services/T00000000/B00000000/ExampleExampleExample123',
    about: 'Slack: the URL of an incoming webhook, or of a product that takes the same',
  },

  room: { size: 2_500, escape: escapeMarkdown },

  mask(target) {
    if (!HOSTS.includes(target.hostname)) return `https://${target.host}/…`;
    const [, place] = WEBHOOK.exec(target.pathname) ?? [];
    if (place === undefined)
      throw new TargetInvalid(`This is no incoming webhook of Slack: https://${target.host}/services/T…/B…/…`);
    return `https://${target.host}/services/${place}/…`;
  },

  toRequest(target, message) {
    const escape = HOSTS.includes(target.hostname) ? escapeControl : escapeMarkdown;
    return { url: target.href, body: toBody(message, escape) };
  },

  toOutcome(reply: HttpReply): AttemptOutcome | null {
    const reason = reply.excerpt?.trim() ?? '';
    if (reply.status < 400 || reply.status >= 500) return null;
    if (GONE.has(reason)) return refused(reply, { final: true, gone: reason });
    return MALFORMED.has(reason) ? refused(reply, { final: true, fault: 'service' }) : null;
  },
};

function toBody({ title, lines, facts, link, footer }: ChatMessage, escape: Escape): object {
  const texts = [title, ...lines, ...facts.map(({ label, value }) => `${label}: ${value}`)];
  const text = truncate(texts.join('\n'), LIMITS.text - (link?.length ?? 0) - 1, escape);
  const fields = facts.slice(0, LIMITS.fields).map(({ label, value }) => plain(`${label}\n${value}`, LIMITS.field));
  return {
    text: link === null ? text : `${text}\n${link}`,
    unfurl_links: false, // the preview of a name for sale would show the seller's page
    unfurl_media: false,
    blocks: [
      { type: 'section', text: plain([title, ...lines].join('\n'), LIMITS.section) },
      ...(fields.length > 0 ? [{ type: 'section', fields }] : []),
      ...(link === null ? [] : [toLinkBlock(link)]),
      { type: 'context', elements: [plain(footer, LIMITS.context)] },
    ],
  };
}

/**
 * Makes a block of rich text, because plain text, as in the other blocks, cannot hold a link:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
function toLinkBlock(url: string): object {
  const elements = [{ type: 'link', url, text: LINK_TEXT }];
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** Makes plain text, so that Slack reads no markup in the text of an event. */
function plain(text: string, limit: number): object {
  return { type: 'plain_text', text: truncate(text, limit), emoji: false };
}

/** Escapes the characters with which Slack begins and ends links and mentions. */
function escapeControl(character: string): string {
  return { '&': '&amp;', '<': '&lt;', '>': '&gt;' }[character] ?? character;
}

/**
 * For Mattermost and Rocket.Chat. Rocket.Chat cannot escape links, images and channel names, so zero-width spaces break
 * these.
 */
function escapeMarkdown(character: string): string {
  if ('*_`'.includes(character)) return `\\${character}`;
  if (character === '~') return `\\~${ZERO_WIDTH_SPACE}`;
  return '[]!|#\\'.includes(character) ? character + ZERO_WIDTH_SPACE : escapeControl(character);
}

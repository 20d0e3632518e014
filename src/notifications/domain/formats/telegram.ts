import { SECOND } from '../../../kernel/clock.js';
import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import { TargetInvalid } from '../target.js';
import { type ChatFormat, readReplyObject, refused, requireParts, type ChatMessage, truncate } from './chat-format.js';

const METHOD = /^\/bot(\d+):[\w-]{20,}\/sendMessage$/;
const CHAT_ID = /^(-?\d{1,20}|@\w{4,32})$/;
const THREAD_ID = /^\d{1,10}$/;
const MAX_TEXT_LENGTH = 4_096;
/** Matches the start of a refusal. A long reply is cut to an excerpt, which is no valid JSON. */
const NOT_OK = /^\s*\{\s*"ok"\s*:\s*false/;

/**
 * Leaves out `parse_mode`, so that Telegram reads no markup.
 * @see https://core.telegram.org/bots/api#sendmessage
 * @see https://core.telegram.org/bots/api#making-requests
 * @see https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this
 */
export const telegram: ChatFormat = {
  name: 'telegram',
  example: {
    target: 'https://telegram.example.test/bot123456:ExampleExampleExampleExample/sendMessage?chat_id=-1001234567890',
    about: 'Telegram: a bot and the chat that it writes to; &message_thread_id= names a topic',
  },

  room: { size: 3_500 },

  mask(target) {
    const expected = 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>';
    const [bot] = requireParts(target, METHOD, ['chat_id'], expected);
    const { chat, thread } = toPlace(target);
    const isValid = CHAT_ID.test(chat) && (thread === null || THREAD_ID.test(thread));
    if (!isValid) throw new TargetInvalid(`chat_id is a number or @channel, message_thread_id a number: ${expected}`);
    return `https://${target.host}/bot${bot}:…/sendMessage?chat_id=${chat}`;
  },

  toRequest(target, message) {
    const { chat, thread } = toPlace(target);
    const topic = thread === null ? {} : { message_thread_id: Number(thread) };
    const text = truncate(toText(message), MAX_TEXT_LENGTH);
    const body = { chat_id: chat, ...topic, text, link_preview_options: { is_disabled: true } };
    return { url: `${target.origin}${target.pathname}`, body };
  },

  toOutcome(reply: HttpReply): AttemptOutcome | null {
    const { error_code: code, parameters } = readReplyObject(reply);
    const isRefused = reply.status >= 400 || NOT_OK.test(reply.excerpt ?? '');
    if (!isRefused) return null;
    const responseStatus = typeof code === 'number' ? code : reply.status;
    const { retry_after: seconds } = (parameters ?? {}) as { retry_after?: unknown };
    const retryAfterMs = typeof seconds === 'number' ? seconds * SECOND : reply.retryAfterMs;
    if (responseStatus !== 403) return refused(reply, { responseStatus, retryAfterMs });
    return refused(reply, { responseStatus, final: true, gone: 'the bot was blocked, or removed from the chat' });
  },
};

function toPlace({ searchParams }: URL) {
  return { chat: searchParams.get('chat_id') ?? '', thread: searchParams.get('message_thread_id') };
}

function toText({ title, lines, facts, link, footer }: ChatMessage): string {
  const details = facts.map(({ label, value }) => `${label}: ${value}`);
  return [title, ...lines, '', ...details, ...(link === null ? [] : [link]), footer]
    .join('\n')
    .replaceAll('\n\n\n', '\n\n');
}

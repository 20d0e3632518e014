import type { AttemptOutcome } from '../attempt.js';
import type { HttpReply } from '../http-exchange.js';
import { type ChatFormat, refused, requireParts, type ChatMessage, truncate } from './chat-format.js';
import type { Severity } from './alert.js';

const NOTIFY = /^(\/(?:[\w.-]+\/)*)notify\/[\w-]{1,128}\/?$/;
const LIMITS = { title: 250, body: 4_000 };
const TYPES: Readonly<Record<Severity, string>> = {
  critical: 'failure',
  error: 'failure',
  warning: 'warning',
  info: 'info',
};

/**
 * Posts to a configuration that an Apprise API server stores. `?tag=` chooses services of the configuration.
 * @see https://github.com/caronc/apprise-api/blob/master/swagger.yaml
 */
export const apprise: ChatFormat = {
  name: 'apprise',
  example: {
    target: 'https://apprise.example.test/notify/example-configuration',
    about: 'Apprise: a configuration that an API server stores',
  },
  supportsHeaders: true,

  room: { size: 3_500 },

  mask(target) {
    requireParts(target, NOTIFY, [], 'https://<server>/notify/<configuration>');
    return `https://${target.host}/…`;
  },

  toRequest(target, message) {
    const tag = target.searchParams.get('tag');
    const body = { ...toBody(message), ...(tag !== null && { tag }) };
    return { url: `${target.origin}${target.pathname}`, body };
  },

  // Status 204 means that the server has no such configuration.
  toOutcome: (reply: HttpReply): AttemptOutcome | null => (reply.status === 204 ? refused(reply) : null),
};

function toBody({ title, lines, facts, link, footer, severity }: ChatMessage): object {
  const details = facts.map(({ label, value }) => `${label}: ${value}`);
  return {
    title: truncate(title, LIMITS.title),
    body: truncate([...lines, ...details, ...(link === null ? [] : [link]), footer].join('\n'), LIMITS.body),
    type: TYPES[severity],
    format: 'text',
  };
}

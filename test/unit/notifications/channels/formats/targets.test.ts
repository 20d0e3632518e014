import { describe, expect, it } from '@jest/globals';
import { CHAT_FORMATS } from '../../../../../src/notifications/domain/formats/chat-formats.js';
import { toChatMessage } from '../../../../../src/notifications/domain/formats/chat-format.js';
import { TargetInvalid } from '../../../../../src/notifications/domain/target.js';
import { EXAMPLE_EVENTS } from '../../../../../src/notifications/events/event-examples.js';

const formatOf = (name: string) => {
  const format = CHAT_FORMATS.find((one) => one.name === name);
  if (!format) throw new Error(name);
  return format;
};
const mask = (name: string, target: string) => formatOf(name).mask(new URL(target));
const request = (name: string, target: string) =>
  formatOf(name).toRequest(new URL(target), toChatMessage(EXAMPLE_EVENTS['channel.test']));

const BOT = 'https://api.telegram.org/bot123456:ExampleExampleExampleExample/sendMessage';
const ENQUEUE = 'https://events.pagerduty.com/v2/enqueue';
const SPACE = 'https://chat.googleapis.com/v1/spaces/AAAA/messages';

describe('the target URL of a chat channel', () => {
  it.each([
    [
      'slack',
      'https://hooks.slack.com/services/T0/B0/ExampleExampleExample',
      'https://hooks.slack.com/services/T0/B0/…',
    ],
    ['slack', 'https://mattermost.example/hooks/exampleexampleexample', 'https://mattermost.example/…'],
    ['discord', 'https://discord.com/api/v10/webhooks/12/to-k_en', 'https://discord.com/api/webhooks/12/…'],
    ['teams', 'https://prod-00.logic.azure.com:443/workflows/1?sig=x', 'https://prod-00.logic.azure.com/…'],
    ['google_chat', `${SPACE}?key=k&token=t`, 'https://chat.googleapis.com/v1/spaces/AAAA/…'],
    ['telegram', `${BOT}?chat_id=@domains`, 'https://api.telegram.org/bot123456:…/sendMessage?chat_id=@domains'],
    ['ntfy', 'https://ntfy.example:8443/topic?auth=x', 'https://ntfy.example:8443/…'],
    ['pagerduty', `${ENQUEUE}?routing_key=${'a1'.repeat(16)}`, `${ENQUEUE}?routing_key=…`],
    ['apprise', 'https://apprise.example/base/notify/key?tag=ops', 'https://apprise.example/…'],
  ])('is shown without its secret, for %s: %s', (name, target, masked) => {
    expect(mask(name, target)).toBe(masked);
  });

  it.each([
    ['slack', 'https://hooks.slack.com/workflows/T0/A0/1/abc'],
    ['slack', 'https://hooks.slack.com/'],
    ['discord', 'https://discord.com/api/webhooks/12'],
    ['discord', 'https://discord.com/channels/1/2'],
    ['google_chat', `${SPACE}?key=k`],
    ['google_chat', `${SPACE}?key=k&token=`],
    ['google_chat', 'https://chat.googleapis.com/v1/spaces/AAAA?key=k&token=t'],
    ['telegram', BOT],
    ['telegram', `${BOT}?chat_id=`],
    ['telegram', `${BOT}?chat_id=1&chat_id=2`],
    ['telegram', `${BOT}?chat_id=name`],
    ['telegram', `${BOT}?chat_id=1&message_thread_id=x`],
    ['telegram', `${BOT.replace('sendMessage', 'getUpdates')}?chat_id=1`],
    ['ntfy', 'https://ntfy.sh/'],
    ['ntfy', 'https://ntfy.sh/a/b'],
    ['ntfy', `https://ntfy.sh/${'a'.repeat(65)}`],
    ['pagerduty', ENQUEUE],
    ['pagerduty', `${ENQUEUE}?routing_key=short`],
    ['pagerduty', `https://events.pagerduty.com/v2/change/enqueue?routing_key=${'a'.repeat(32)}`],
    ['apprise', 'https://apprise.example/notify'],
    ['apprise', 'https://apprise.example/add/key'],
  ])('is refused, for %s: %s', (name, target) => {
    expect(() => mask(name, target)).toThrow(TargetInvalid);
  });

  it('has its ids and keys moved into the request body if the product wants them there', () => {
    expect(request('telegram', `${BOT}?chat_id=-100&message_thread_id=7`)).toMatchObject({
      url: BOT,
      body: { chat_id: '-100', message_thread_id: 7 },
    });
    const key = 'a1'.repeat(16);
    expect(request('pagerduty', `${ENQUEUE}?routing_key=${key}`)).toMatchObject({
      url: ENQUEUE,
      body: { routing_key: key },
    });
    expect(request('ntfy', 'https://ntfy.sh/topic?auth=x')).toMatchObject({
      url: 'https://ntfy.sh/?auth=x',
      body: { topic: 'topic' },
    });
    expect(request('apprise', 'https://a.example/notify/key?tag=ops')).toMatchObject({
      url: 'https://a.example/notify/key',
      body: { tag: 'ops' },
    });
    expect(request('discord', 'https://discord.com/api/webhooks/12/token?thread_id=5').url).toBe(
      'https://discord.com/api/webhooks/12/token?thread_id=5&wait=true',
    );
  });
});

describe('the reply of a chat service', () => {
  const reply = (status: number, excerpt: string | object | null = null, retryAfterMs: number | null = null) => ({
    status,
    retryAfterMs,
    excerpt: typeof excerpt === 'object' && excerpt !== null ? JSON.stringify(excerpt) : excerpt,
  });
  const cut = `{"ok":false,"description":"${'x'.repeat(50)}`;

  it.each([
    ['slack', reply(404, 'no_service'), { final: true, gone: 'no_service' }],
    ['slack', reply(400, 'invalid_payload'), { final: true, fault: 'service' }],
    ['slack', reply(200, 'ok'), null],
    ['slack', reply(429, 'rate_limited', 30_000), null],
    ['discord', reply(429, { retry_after: 1.2, global: false }), { responseStatus: 429, retryAfterMs: 1_200 }],
    ['discord', reply(404, { code: 10_015 }), { final: true, gone: 'there is no such webhook any more' }],
    ['discord', reply(401, { code: 50_027 }), { final: true, gone: 'the token of the webhook is not valid any more' }],
    ['discord', reply(400, { code: 50_035 }), { final: true, fault: 'service' }],
    ['discord', reply(500, '<html>'), null],
    ['teams', reply(202), null],
    [
      'teams',
      reply(200, 'Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with'),
      { outcome: 'http_error', responseStatus: 429, final: false },
    ],
    ['telegram', reply(200, { ok: true, result: {} }), null],
    [
      'telegram',
      reply(429, { ok: false, error_code: 429, parameters: { retry_after: 14 } }),
      { responseStatus: 429, retryAfterMs: 14_000, final: false },
    ],
    ['telegram', reply(200, { ok: false, error_code: 429 }), { outcome: 'http_error', responseStatus: 429 }],
    ['telegram', reply(200, cut), { outcome: 'http_error', responseStatus: 200, final: false }],
    [
      'telegram',
      reply(403, { ok: false, error_code: 403 }),
      { final: true, gone: 'the bot was blocked, or removed from the chat' },
    ],
    ['telegram', reply(400, { ok: false, error_code: 400 }), { final: false }],
    ['pagerduty', reply(202, { status: 'success' }), null],
    ['pagerduty', reply(400, { status: 'invalid event' }), { final: true, fault: 'receiver' }],
    ['pagerduty', reply(429), null],
    ['apprise', reply(204), { outcome: 'http_error', responseStatus: 204, final: false }],
    ['apprise', reply(424), null],
  ])('is translated into an outcome: %s with %j gives %j (null: the HTTP status decides)', (name, answer, expected) => {
    const outcome = formatOf(name).toOutcome?.(answer) ?? null;
    if (expected === null) expect(outcome).toBeNull();
    else expect(outcome).toMatchObject(expected);
  });
});

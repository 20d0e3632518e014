import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from '../../../../src/notifications/channels/webhook-sender.js';
import { SigningSecret } from '../../../../src/notifications/domain/signing-secret.js';

/** Facts of the Standard Webhooks project, and one of our own bodies. */
const VECTORS = [
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    at: 1_649_367_553,
    body: '{"email":"test@example.com","username":"test_user"}',
    signature: 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
  },
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'evt_01JD6Z0V8Q3M4N5P6R7S8T9VWX',
    at: 1_795_226_401,
    body: '{"id":"evt_01JD6Z0V8Q3M4N5P6R7S8T9VWX","type":"watchlist.available","timestamp":"2026-11-21T02:00:00.123Z","data":{"entry_id":"wle_01JD6Z0V8QAAAAAAAAAAAAAAAA","domain":"example.com","domain_unicode":"example.com","status":"available","previous_status":"registered","change_seq":7,"source":"rdap","expires_at":null}}',
    signature: 'v1,GRIDMN4OWuXM5ddTUIpH0pFx1+GZo4WItVFk37Rqdm4=',
  },
  {
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'evt_u',
    at: 1_795_226_401,
    body: '{"domain":"münchen.de"}',
    signature: 'v1,z/CnPoAXX2FYjsQjkEfyFy8d0bgwlwXzl+DmW5PUymY=',
  },
];

describe('the signature', () => {
  it.each(VECTORS)('of $id is the published one', ({ secret, id, at, body, signature }) => {
    const sentAt = new Date(at * 1_000);
    const event = { id, type: 'watchlist.available', body, createdAt: sentAt };
    const channel = { id: 'nc_1', accountId: 'acc_1', target: '', credential: null, headers: {} };
    const secrets = [SigningSecret.restore(secret), SigningSecret.restore(secret.replace('whsec_', ''))];
    const headers = webhookHeaders({ event, sentAt, channel: { ...channel, secrets }, deliveryId: 'dl_1', attempt: 1 });
    expect(headers['webhook-signature']).toBe(`${signature} ${signature}`);
    expect(headers['webhook-timestamp']).toBe(String(at));
    expect(new Webhook(secret).sign(id, sentAt, body)).toBe(signature);
  });

  const signed = (secret: string, at = new Date()) => ({
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, '{"a":1}'),
  });
  const { text: secret } = SigningSecret.generate();
  const receiver = new Webhook(secret);

  it('is accepted by a receiver with the secret, with or without its prefix', () => {
    expect(receiver.verify('{"a":1}', signed(secret))).toEqual({ a: 1 });
    expect(new Webhook(secret.slice('whsec_'.length)).verify('{"a":1}', signed(secret))).toEqual({ a: 1 });
  });

  it('is found in a list with older signatures', () => {
    const headers = signed(secret);
    const wrong = signed(SigningSecret.generate().text)['webhook-signature'];
    const list = `${wrong} v2,whatever ${headers['webhook-signature']} ${wrong}`;
    expect(receiver.verify('{"a":1}', { ...headers, 'webhook-signature': list })).toEqual({ a: 1 });
  });

  it.each([
    ['another body', '{"a":2}', {}],
    ['another id', '{"a":1}', { 'webhook-id': 'evt_2' }],
    ['another time', '{"a":1}', { 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 1) }],
    ['no time', '{"a":1}', { 'webhook-timestamp': 'hello' }],
    ['an empty signature', '{"a":1}', { 'webhook-signature': 'v1,' }],
    ['a part of the signature', '{"a":1}', { 'webhook-signature': signed(secret)['webhook-signature'].slice(0, 8) }],
  ])('is refused with %s', (_what, body, changed) => {
    expect(() => receiver.verify(body, { ...signed(secret), ...changed })).toThrow();
  });

  it.each([-301, 301])('is rejected when the clocks are %i seconds apart', (seconds) => {
    const at = new Date(Date.now() + seconds * 1_000);
    expect(() => receiver.verify('{"a":1}', signed(secret, at))).toThrow();
  });
});

describe('a signing secret', () => {
  it('is whsec_ and the base64 of 32 random bytes', () => {
    const [one, other] = [SigningSecret.generate().text, SigningSecret.generate().text];
    expect(one).not.toBe(other);
    expect(Buffer.from(one.replace('whsec_', ''), 'base64')).toHaveLength(32);
  });

  it('is masked in JSON, hence in logs', () => {
    const secret = SigningSecret.generate();
    expect(JSON.stringify({ secret })).toBe('{"secret":"whsec_…"}');
  });
});

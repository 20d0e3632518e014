import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from '../../../../src/notifications/channels/webhook-sender.js';
import { SigningSecret } from '../../../../src/notifications/domain/signing-secret.js';
import { aMessage } from '../../../support/builders/notification-events.js';

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

describe('the signature of a webhook', () => {
  it.each(VECTORS)(
    'equals the signature that the Standard Webhooks library makes for the message $id',
    ({ secret, id, at, body, signature }) => {
      const sentAt = new Date(at * 1_000);
      const event = { id, type: 'watchlist.available', body, createdAt: sentAt };
      const channel = { id: 'nc_1', accountId: 'acc_1', target: '', credential: null, headers: {} };
      const secrets = [SigningSecret.restore(secret), SigningSecret.restore(secret.replace('whsec_', ''))];
      const headers = webhookHeaders({
        event,
        sentAt,
        channel: { ...channel, secrets },
        deliveryId: 'dl_1',
        attempt: 1,
      });
      expect(headers['webhook-signature']).toBe(`${signature} ${signature}`);
      expect(headers['webhook-timestamp']).toBe(String(at));
      expect(new Webhook(secret).sign(id, sentAt, body)).toBe(signature);
    },
  );
});

describe('the headers of a webhook', () => {
  it('include the headers of its channel, which cannot replace the headers of Namewatch', () => {
    const own = { 'x-token': 's3cret', 'webhook-id': 'forged', 'content-type': 'text/plain' };
    const message = aMessage('https://hooks.example.test/', { headers: own });
    expect(webhookHeaders(message)).toMatchObject({
      'x-token': 's3cret',
      'content-type': 'application/json',
      'webhook-id': message.event.id,
    });
  });
});

describe('a signing secret', () => {
  it('is whsec_ followed by the base64 of 32 random bytes', () => {
    const [one, other] = [SigningSecret.generate().text, SigningSecret.generate().text];
    expect(one).not.toBe(other);
    expect(Buffer.from(one.replace('whsec_', ''), 'base64')).toHaveLength(32);
  });

  it('is masked when it is written as JSON', () => {
    const secret = SigningSecret.generate();
    expect(JSON.stringify({ secret })).toBe('{"secret":"whsec_…"}');
  });
});

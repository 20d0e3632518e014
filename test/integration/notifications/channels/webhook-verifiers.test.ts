import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { SigningSecret } from '../../../../src/notifications/domain/signing-secret.js';
import { aMessage, anEvent } from '../../../support/builders/notification-events.js';
import type { ReceivedWebhook } from '../../../support/fakes/webhook-receiver.js';
import { WebhookSending } from '../../../support/servers/webhook-sending.js';

/** What receivers use, written by others. */
const VERIFIERS = [
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
] as const;
type Verifier = (typeof VERIFIERS)[number][1];

let sending: WebhookSending;
beforeAll(async () => {
  sending = await WebhookSending.prepare();
});
afterAll(() => sending.close());

const [current, older, strange] = [1, 2, 3].map(() => SigningSecret.generate()) as [
  SigningSecret,
  SigningSecret,
  SigningSecret,
];
/** One that travelled, signed by two secrets as in the grace after a rotation. */
const aWebhook = async (): Promise<ReceivedWebhook> => {
  const receiver = await sending.aReceiver();
  const message = aMessage(receiver.url(), { event: anEvent({ domain_unicode: 'münchen.example' }) });
  const channel = { ...message.channel, secrets: [current, older] };
  expect(await sending.aSender().send({ ...message, channel })).toMatchObject({ outcome: 'ok' });
  const [received] = await receiver.received.waitFor(1);
  if (!received) throw new Error('nothing arrived');
  return received;
};
const read = (Library: Verifier, secret: string, { headers, body }: ReceivedWebhook) =>
  new Library(secret).verify(body.toString('utf8'), headers as Record<string, string>);

describe.each(VERIFIERS)('a receiver with the library %s', (_name, Library) => {
  it('accepts our webhooks, with the secret before and after a rotation', async () => {
    const webhook = await aWebhook();
    for (const { text } of [current, older]) expect(() => read(Library, text, webhook)).not.toThrow();
    expect(JSON.parse(webhook.body.toString())).toMatchObject({
      id: webhook.headers['webhook-id'],
      data: { domain_unicode: 'münchen.example' },
    });
  });

  it('rejects webhooks that were modified or signed with another secret', async () => {
    const webhook = await aWebhook();
    const with_ = (changes: object) => ({ ...webhook, headers: { ...webhook.headers, ...changes } });
    const past = String(Math.floor(Date.now() / 1_000) - 301);
    const forged: [string, ReceivedWebhook][] = [
      [strange.text, webhook],
      [current.text, { ...webhook, body: Buffer.concat([webhook.body, Buffer.from(' ')]) }],
      [current.text, with_({ 'webhook-id': 'evt_other' })],
      [current.text, with_({ 'webhook-timestamp': past })],
      [current.text, with_({ 'webhook-timestamp': undefined })],
      [current.text, with_({ 'webhook-signature': undefined })],
    ];
    for (const [secret, one] of forged) expect(() => read(Library, secret, one)).toThrow();
  });
});

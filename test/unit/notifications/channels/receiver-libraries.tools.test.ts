import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { webhookHeaders } from '../../../../src/notifications/channels/webhook-sender.js';
import { SigningSecret } from '../../../../src/notifications/domain/signing-secret.js';
import { Webhook as SvixWebhook } from '../../../../tools/svix.js';
import { aMessage, anEvent } from '../../../support/builders/notification-events.js';

describe.each([
  ['standardwebhooks', Webhook],
  ['svix', SvixWebhook],
])('a webhook receiver with the library %s', (_name, Library) => {
  it('accepts a webhook with the old or new secret, and refuses another secret or a changed body', () => {
    const message = aMessage('https://hooks.example.test/', { event: anEvent({ domain_unicode: 'münchen.example' }) });
    const secrets = [SigningSecret.generate(), SigningSecret.generate()];
    const headers = webhookHeaders({ ...message, channel: { ...message.channel, secrets } });
    const { body } = message.event;
    for (const { text } of secrets) expect(() => new Library(text).verify(body, headers)).not.toThrow();
    expect(() => new Library(SigningSecret.generate().text).verify(body, headers)).toThrow();
    expect(() => new Library(secrets[0]?.text ?? '').verify(`${body} `, headers)).toThrow();
  });
});

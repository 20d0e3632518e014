import { Webhook } from 'standardwebhooks';
import { SECOND } from '../../../kernel/clock.js';
import { USER_AGENT } from '../../../platform/outbound/user-agent.js';
import type { Message } from '../../domain/channels/channel-sender.js';

type SignedMessage = Omit<Message, 'timeoutMs'>;

/** The id is the event's on every attempt, replay and channel; the timestamp is the attempt's. */
export function webhookHeaders({ event, channel, sentAt, deliveryId, attempt }: SignedMessage): Record<string, string> {
  if (channel.secrets.length === 0) throw new Error(`the webhook ${channel.id} has no secret to sign with`);
  const signatures = channel.secrets.map(({ text }) => new Webhook(text).sign(event.id, sentAt, event.body));
  return {
    ...channel.headers,
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / SECOND)),
    'webhook-signature': signatures.join(' '),
    'x-delivery-id': deliveryId,
    'x-delivery-attempt': String(attempt),
  };
}

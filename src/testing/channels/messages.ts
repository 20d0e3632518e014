import { type ChannelSender, EXAMPLE_EVENTS, type Message, SigningSecret } from '../../notifications/index.js';

const TIMEOUT_MS = 5_000;

/** Two secrets of a channel: after a rotation both sign. */
export const SIGNING_SECRETS = [SigningSecret.generate(), SigningSecret.generate()];

/** What the engine would send to a channel of this type. */
export function createMessage(
  sender: ChannelSender,
  { target, credential, changes = {} }: { target: string; credential: string | null; changes?: Partial<Message> },
): Message {
  return {
    deliveryId: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    attempt: 1,
    sentAt: new Date(),
    channel: {
      id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      target,
      secrets: sender.secret === 'signing' ? SIGNING_SECRETS : [],
      credential,
      headers: {},
    },
    event: EXAMPLE_EVENTS['watchlist.available'],
    timeoutMs: TIMEOUT_MS,
    ...changes,
  };
}

import { type DomainEvent, createDomainEvent } from '../../kernel/domain-event.js';
import { splitSenderType } from './channel-sender.js';

export const DISABLED_REASONS = ['gone', 'failing', 'unsubscribed'] as const;

/** The `data` of the event `channel.disabled`. */
export interface ChannelDisabled {
  readonly channel_id: string;
  readonly type: string;
  /** The account's name for the channel. Events of earlier versions have no label. */
  readonly label?: string | null;
  readonly reason: (typeof DISABLED_REASONS)[number];
  /** The receiver's explanation if the reason is `gone`, else null. */
  readonly detail: string | null;
}

/** The `data` of the event `channel.test`. */
export interface ChannelTest {
  readonly channel_id: string;
  readonly message: string;
}

const TEST_MESSAGE = 'This is a test: notifications of this account arrive here.';

export function channelDisabled(
  channel: { readonly id: string; readonly accountId: string; readonly type: string; readonly label: string | null },
  { reason, detail }: Pick<ChannelDisabled, 'reason' | 'detail'>,
  now: Date,
): DomainEvent<ChannelDisabled> {
  const { type } = splitSenderType(channel.type);
  const data = { channel_id: channel.id, type, label: channel.label, reason, detail };
  return createDomainEvent('channel.disabled', channel.accountId, now, data);
}

export function channelTest(accountId: string, channelId: string, now: Date): DomainEvent<ChannelTest> {
  return createDomainEvent('channel.test', accountId, now, { channel_id: channelId, message: TEST_MESSAGE });
}

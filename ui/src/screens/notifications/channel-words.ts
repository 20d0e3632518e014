import type { Attempt, ChannelDetails, Delivery } from '../../../../clients/typescript/src/index.js';
import type { Tone } from '../../components/phase-words.js';

const REASONS: Readonly<Record<string, string>> = {
  gone: 'Its receiver answered that it is gone (410), so nothing more is sent there.',
  failing: 'Nothing arrived for five days, so it was turned off.',
  unsubscribed: 'Its recipient unsubscribed. The address has to confirm again before it gets mail.',
  unconfirmed: 'The address has yet to open the link in the mail that it got.',
  mail_not_configured: 'This service has no mail relay yet (SMTP_URL). It goes on by itself once there is one.',
  switched_off: 'You turned it off.',
};

/** Why a channel is inactive, in a sentence; null while it is active. */
function inactiveReason({ active, reason }: Pick<ChannelDetails, 'active' | 'reason'>): string | null {
  if (active) return null;
  return REASONS[reason ?? ''] ?? `It is inactive (${reason ?? 'no reason given'}).`;
}

const OUTCOMES: Readonly<Record<NonNullable<Attempt['outcome']>, string>> = {
  ok: 'Arrived',
  http_error: 'The receiver refused it',
  blocked: 'Its address is not allowed',
  dns: 'The name of its server was not found',
  connect: 'No connection',
  tls: 'No valid certificate',
  timeout: 'No answer in time',
  lost: 'The service stopped in the middle',
  mail_rejected: 'The mail relay refused it',
  mail_not_configured: 'There is no mail relay',
};

export function outcomeText({
  outcome,
  response_status: status,
}: Pick<Attempt, 'outcome' | 'response_status'>): string {
  if (outcome === null) return 'In progress';
  return status === null ? OUTCOMES[outcome] : `${OUTCOMES[outcome]} (${status})`;
}

export interface Health {
  readonly tone: 'good' | 'waiting' | 'bad';
  readonly text: string;
}

/** How a channel does, from its latest delivery. */
export function healthOf(
  channel: Pick<ChannelDetails, 'active' | 'reason' | 'type' | 'format'>,
  latest: Delivery | undefined,
): Health {
  const reason = inactiveReason(channel);
  if (reason !== null) return { tone: channel.reason === 'switched_off' ? 'waiting' : 'bad', text: reason };
  if (latest === undefined) return { tone: 'waiting', text: 'Nothing was sent yet. Send a test to see it work.' };
  const attempt = latest.attempts.at(-1);
  if (latest.state === 'delivered') return { tone: 'good', text: 'The latest event arrived.' };
  if (latest.state === 'failed') {
    return {
      tone: 'bad',
      text: `The latest event did not arrive: ${lowerFirst(attempt ? outcomeText(attempt) : 'failed')}.`,
    };
  }
  if (attempt?.outcome === undefined || attempt.outcome === null)
    return { tone: 'waiting', text: waitingText(latest, channel) };
  return { tone: 'bad', text: `${outcomeText(attempt)}; it is tried again.` };
}

export const DELIVERY_TONES: Readonly<Record<Delivery['state'], Tone>> = {
  ...{ pending: 'note', delivered: 'good', failed: 'bad', paused: 'warn', disabled: 'calm' },
};
export const DELIVERY_STATES: Readonly<Record<Delivery['state'], string>> = {
  pending: 'On its way',
  delivered: 'Delivered',
  failed: 'Failed',
  paused: 'Kept, since the channel was inactive',
  disabled: 'Ended, since its name is no longer watched',
};

function waitingText(delivery: Delivery, channel: Pick<ChannelDetails, 'type' | 'format'>): string {
  if (!waitsForDigest(delivery, channel)) return 'An event is on its way.';
  return channel.type === 'email'
    ? 'More than 20 mails were due in an hour, or five about one name: the rest waits and comes as one digest.'
    : 'More than five messages were due in a minute, or three about one name: the rest waits and comes as one digest.';
}

/** Only mail and chats have digests. A delivery that was not attempted and has a time to come waits for one. */
function waitsForDigest(
  { state, next_attempt_at: next, attempts }: Delivery,
  { type, format }: Pick<ChannelDetails, 'type' | 'format'>,
): boolean {
  const hasDigests = type === 'email' || (format !== null && format !== 'pagerduty');
  return hasDigests && state === 'pending' && attempts.length === 0 && next !== null && Date.parse(next) > Date.now();
}

/** The state of a delivery; a mail or chat message that waits without an attempt waits for a digest. */
export function deliveryText(
  delivery: Delivery,
  channel: Pick<ChannelDetails, 'type' | 'format'>,
): { readonly text: string; readonly at: string | null } {
  const { state, next_attempt_at: next, attempts } = delivery;
  if (state !== 'pending') return { text: DELIVERY_STATES[state], at: null };
  if (attempts.length > 0 && next !== null) return { text: 'Tried again', at: next };
  if (waitsForDigest(delivery, channel)) return { text: 'Waits for the digest', at: next };
  return { text: DELIVERY_STATES.pending, at: null };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

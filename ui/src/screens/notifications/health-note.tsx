import type { ChannelDetails, Delivery } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { outcomeText, waitsForDigest } from './delivery-words.js';

const LABELS = { good: 'Works', waiting: 'Waiting', bad: 'Action needed' } as const;
const TONES = { good: 'good', waiting: 'calm', bad: 'bad' } as const;

/** How a channel does: a word, and the sentence that says why. */
export function HealthNote({ channel, latest }: { channel: ChannelDetails; latest: Delivery | undefined }) {
  const { tone, text } = healthOf(channel, latest);
  const label = channel.active || tone === 'bad' ? LABELS[tone] : 'Off';
  return (
    <p class="health">
      <Badge tone={TONES[tone]}>{label}</Badge> {text}
    </p>
  );
}

interface Health {
  readonly tone: 'good' | 'waiting' | 'bad';
  readonly text: string;
}

/** How a channel does, from its latest delivery. */
function healthOf(
  channel: Pick<ChannelDetails, 'active' | 'reason' | 'reason_detail' | 'type' | 'format'>,
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

const REASONS: Readonly<Record<string, string>> = {
  gone: 'Its receiver wants no more messages.',
  failing: 'Nothing arrived for days, so it was turned off.',
  unsubscribed: 'Its recipient unsubscribed. The address has to confirm again before it gets mail.',
  unconfirmed: 'The address has yet to open the link in the mail that it got.',
  mail_not_configured: 'This service has no mail relay yet (SMTP_URL). It goes on by itself once there is one.',
  switched_off: 'You turned it off.',
};

/** Why a channel is inactive, in a sentence; null while it is active. */
function inactiveReason({
  active,
  reason,
  reason_detail: detail,
}: Pick<ChannelDetails, 'active' | 'reason' | 'reason_detail'>): string | null {
  if (active) return null;
  const sentence = REASONS[reason ?? ''] ?? `It is inactive (${reason ?? 'no reason given'}).`;
  return detail === null ? sentence : `${sentence} It said: ${detail}.`;
}

function waitingText(delivery: Delivery, channel: Pick<ChannelDetails, 'type' | 'format'>): string {
  if (!waitsForDigest(delivery, channel)) return 'An event is on its way.';
  const messages = channel.type === 'email' ? 'mails' : 'messages';
  return `More ${messages} were due at once than are sent one by one: the rest waits and comes as one digest.`;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

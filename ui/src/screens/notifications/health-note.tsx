import type { ChannelDetails, Delivery } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { When } from '../../components/when.js';
import { outcomeText } from './delivery-words.js';

const LABELS = { good: 'Works', waiting: 'Waiting', bad: 'Action needed' } as const;
const TONES = { good: 'good', waiting: 'calm', bad: 'bad' } as const;

/** Shows the health of a channel in a word, and explains it in a sentence. */
export function HealthNote({ channel, latest }: { channel: ChannelDetails; latest: Delivery | undefined }) {
  const { tone, text, next } = healthOf(channel, latest);
  const label = channel.reason === 'switched_off' ? 'Off' : LABELS[tone];
  return (
    <p class="health">
      <Badge tone={TONES[tone]}>{label}</Badge> {text}
      {next !== undefined && (
        <>
          {' '}
          Next try <When at={next} />.
        </>
      )}
    </p>
  );
}

type Waiting = NonNullable<ChannelDetails['waiting']>;

interface Health {
  readonly tone: 'good' | 'waiting' | 'bad';
  readonly text: string;
  /** When the next attempt is made. */
  readonly next?: string;
}

/** Derives the health of a channel from events that are retried, or else from the latest delivery. */
function healthOf(
  channel: Pick<ChannelDetails, 'active' | 'reason' | 'reason_detail' | 'type' | 'format' | 'waiting'>,
  latest: Delivery | undefined,
): Health {
  const reason = inactiveReason(channel);
  if (reason !== null) return { tone: NO_FAILURES.has(channel.reason) ? 'waiting' : 'bad', text: reason };
  if (channel.waiting && channel.waiting.retried > 0) return retriedHealth(channel.waiting);
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
    return { tone: 'waiting', text: waitingText(channel) };
  return { tone: 'bad', text: `${outcomeText(attempt)}; it is tried again.` };
}

/** Reasons that are not failures: somebody turned the channel off, or must confirm the address. */
const NO_FAILURES: ReadonlySet<ChannelDetails['reason']> = new Set(['switched_off', 'unconfirmed']);

function retriedHealth({ events, retried, next_attempt_at: next, outcome, response_status }: Waiting): Health {
  const why = outcome === null ? 'The last attempt failed' : outcomeText({ outcome, response_status });
  const others = events - retried;
  const behind = others === 0 ? '' : `, and ${countText(others)} behind ${retried === 1 ? 'it' : 'them'}`;
  return { tone: 'bad', text: `${why}: ${countText(retried)} tried again${behind}.`, next };
}

/** The service does not count further. */
const MAX_COUNTED = 1_000;

function countText(count: number): string {
  if (count >= MAX_COUNTED) return `more than ${(MAX_COUNTED - 1).toLocaleString('en')} events are`;
  return count === 1 ? 'one event is' : `${count.toLocaleString('en')} events are`;
}

const REASONS: Readonly<Record<string, string>> = {
  gone: 'Its receiver wants no more messages.',
  failing: 'Nothing arrived for days, so it was turned off.',
  unsubscribed: 'Its recipient unsubscribed. The address has to confirm again before it gets mail.',
  unconfirmed: 'Waiting for confirmation by email.',
  mail_not_configured: 'This service has no mail relay yet (SMTP_URL). It goes on by itself once there is one.',
  switched_off: 'You turned it off.',
};

/** Explains why a channel is inactive. Returns null for an active channel. */
function inactiveReason({
  active,
  reason,
  reason_detail: detail,
}: Pick<ChannelDetails, 'active' | 'reason' | 'reason_detail'>): string | null {
  if (active) return null;
  const sentence = REASONS[reason ?? ''] ?? `It is inactive (${reason ?? 'no reason given'}).`;
  return detail === null ? sentence : `${sentence} It said: ${detail}.`;
}

function waitingText({ type, format }: Pick<ChannelDetails, 'type' | 'format'>): string {
  const isRead = type === 'email' || (format !== null && format !== 'pagerduty');
  return isRead ? 'News is on its way: one message a minute at most, within five minutes.' : 'An event is on its way.';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

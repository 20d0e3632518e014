import type { ChannelDetails, Delivery } from '../../../../clients/typescript/src/index.js';
import { Badge } from '../../components/badge.js';
import { healthOf } from './channel-words.js';

const LABELS = { good: 'Works', waiting: 'Waiting', bad: 'Needs you' } as const;
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

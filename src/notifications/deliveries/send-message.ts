import { SECOND } from '../../kernel/clock.js';
import { withTimeout } from '../../kernel/promises.js';
import { OtherKeyNeeded } from '../../platform/crypto/secret-box.js';
import type { Bundle, ChannelSender, Message } from '../domain/channel-sender.js';
import { toPrintableLine } from '../../kernel/printable-line.js';
import {
  type AttemptOutcome,
  failed,
  isOutcome,
  toExcerpt,
  redactError,
  redactSecrets,
  toSecretParts,
} from '../domain/attempt.js';

/** Extra time after `timeoutMs`, so that the sender's own timeout can end the attempt first. */
const GRACE_MS = 250;

/** The last part of the worker's time-limited lock (lease), reserved for storing the outcome. */
const MARGIN_MS = SECOND;

/**
 * Returns how long an attempt may take before the worker's lock (lease) ends.
 * @param leasedAt the value of `performance.now()` just before the worker took the lock
 */
export function remainingLeaseMs(leaseSeconds: number, leasedAt: number): number {
  return Math.max(1, Math.floor(leaseSeconds * SECOND - MARGIN_MS - (performance.now() - leasedAt)));
}

export interface SendResult {
  readonly outcome: AttemptOutcome;
  /** An unexpected error, without secrets, or null. */
  readonly bug: Error | null;
}

/**
 * Sends one event. Removes the channel's secrets from results and errors. An exception counts as a failed attempt, so
 * that the retries come to an end.
 */
export function sendMessage(sender: ChannelSender, message: Message, host: string): Promise<SendResult> {
  return sendSafely(sender, message, host, () => sender.send(message));
}

/** Sends several events as one message, with the same guarantees as `sendMessage`. */
export function sendBundle(
  sender: ChannelSender & Required<Pick<ChannelSender, 'sendBundle'>>,
  bundle: Bundle,
  host: string,
): Promise<SendResult> {
  return sendSafely(sender, bundle, host, () => sender.sendBundle(bundle));
}

/** Decrypts a channel's secrets and sends once. A failed decryption counts as this service's failure. */
export async function sendOpened(
  open: () => Message['channel'],
  send: (channel: Message['channel']) => Promise<SendResult>,
): Promise<SendResult> {
  let channel: Message['channel'];
  try {
    channel = open();
  } catch (error) {
    const isForWantOfKey = error instanceof OtherKeyNeeded;
    return { outcome: failed('connect', { fault: 'service', isForWantOfKey }), bug: error as Error };
  }
  return send(channel);
}

type Sendable = Pick<Message, 'channel' | 'timeoutMs'>;

async function sendSafely(
  sender: ChannelSender,
  message: Sendable,
  host: string,
  send: () => Promise<AttemptOutcome>,
): Promise<SendResult> {
  try {
    const outcome = await withTimeout(message.timeoutMs + GRACE_MS, send(), () => failed('timeout'));
    if (!isOutcome(outcome)) throw new TypeError('send() returned no outcome of an attempt');
    return { outcome: withSafeTexts(outcome, () => collectSecrets(sender, message, host)), bug: null };
  } catch (error) {
    const cause = redactError(error, collectSecrets(sender, message, host));
    const bug = new Error(`the ${sender.type} sender failed unexpectedly`, { cause });
    return { outcome: failed('connect', { fault: 'service' }), bug };
  }
}

function withSafeTexts(outcome: AttemptOutcome, secrets: () => readonly string[]): AttemptOutcome {
  const { responseExcerpt, gone } = outcome;
  if (responseExcerpt === null && gone === undefined) return outcome;
  const known = secrets();
  return {
    ...outcome,
    responseExcerpt: responseExcerpt && toExcerpt(Buffer.from(redactSecrets(responseExcerpt, known))),
    ...(gone !== undefined && { gone: toPrintableLine(redactSecrets(gone, known)).slice(0, MAX_REASON_LENGTH) }),
  };
}

const MAX_REASON_LENGTH = 200;

/** Returns the texts to redact. Leaves out a target that is not secret, since the account sees it anyway. */
function collectSecrets(sender: ChannelSender, { channel }: Sendable, host: string): string[] {
  const { target, credential, secrets, headers } = channel;
  return [
    ...(sender.hasSecretTarget ? toSecretParts(target, host) : []),
    ...(credential === null ? [] : [credential]),
    ...secrets.map(({ text }) => text),
    ...Object.values(headers).flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)]),
  ];
}

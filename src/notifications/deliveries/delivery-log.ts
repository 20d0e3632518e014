import { Injectable, Logger } from '@nestjs/common';
import type { DomainEvent } from '../../kernel/domain-event.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import type { ChannelDisabled } from '../domain/channel-events.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { readNameChange } from '../domain/event-text.js';
import type { FinishedAttempt } from './finish-attempts.js';

/** Warns when a channel begins to fail or is disabled. Further failures are logged at the level `debug`. */
@Injectable()
export class DeliveryLog {
  private readonly log = new Logger(DeliveryLog.name);

  /**
   * @param channel the channel as it was before the attempts
   * @param isRecorded false if the worker's lock (lease) had ended
   */
  report(channel: NotificationChannel, messages: readonly (readonly FinishedAttempt[])[], isRecorded: boolean): void {
    const isFailing = channel.firstFailureAt !== null;
    const hasArrived = messages.flat().some(({ outcome }) => outcome.outcome === 'ok');
    const warned = isFailing || hasArrived ? undefined : messages.find(([first]) => first && isNews(first.outcome));
    for (const message of messages) {
      const [first] = message;
      if (!first) continue;
      const line = { ...toLine(channel, first), ...(message.length > 1 && { deliveries: message.length }) };
      if (!isRecorded) this.log.warn(line, 'an attempt outlived its lease and was not recorded');
      else if (first.outcome.outcome === 'ok') this.log.debug(line, 'delivered');
      else this.log[message === warned ? 'warn' : 'debug'](line, 'a delivery attempt failed');
    }
    if (isRecorded && isFailing && hasArrived)
      this.log.log({ account: channel.accountId, channel: channel.id }, 'a channel that failed is reached again');
  }

  /** Call this after the commit that disabled the channels. */
  reportDisabled(events: readonly DomainEvent[]): void {
    for (const { accountId: account, payload } of events) {
      const { channel_id: channel, type, reason, detail } = payload as ChannelDisabled;
      const why = detail === null ? reason : `${reason} (${detail})`;
      this.log.warn({ account, channel, channelType: type, reason }, `a channel was disabled: ${why}`);
    }
  }
}

/** Whether to warn of a failure. Failures of this service, such as an unreachable mail relay, are logged elsewhere. */
function isNews({ fault, outcome }: AttemptOutcome): boolean {
  return fault === 'receiver' || outcome === 'http_error';
}

function toLine(channel: NotificationChannel, { event, attempt: finished }: FinishedAttempt) {
  const { deliveryId: delivery, number: attempt, outcome, durationMs } = finished;
  const { entry_id: entry, domain } = readNameChange(event.body) ?? {};
  return {
    account: channel.accountId,
    channel: channel.id,
    event: event.id,
    eventType: event.type,
    ...(domain !== undefined && { domain, entry }),
    delivery,
    attempt,
    outcome,
    durationMs,
  };
}

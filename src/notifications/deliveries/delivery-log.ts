import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock, HOUR } from '../../kernel/clock.js';
import type { DomainEvent } from '../../kernel/domain-event.js';
import type { ChannelDisabled } from '../domain/channel-events.js';
import type { NotificationChannel } from '../domain/notification-channel.js';
import { readNameChange } from '../domain/event-text.js';
import type { FinishedAttempt } from './finish-attempts.js';

const MAX_CHANNELS = 10_000;

interface Failing {
  reportedAt: number;
  /** Failures since the last log line about the channel. */
  failures: number;
}

/**
 * Warns when a channel begins to fail or is disabled. Logs a failing channel once an hour, and its recovery. Logs
 * single attempts at the level `debug`.
 */
@Injectable()
export class DeliveryLog {
  private readonly log = new Logger(DeliveryLog.name);
  private readonly failing = new LRUCache<string, Failing>({ max: MAX_CHANNELS });

  constructor(private readonly clock: Clock) {}

  /**
   * @param attempts the attempts of one message
   * @param isRecorded false if the worker's lock (lease) had ended, so that another process has the channel
   */
  report(channel: NotificationChannel, attempts: readonly FinishedAttempt[], isRecorded: boolean): void {
    const [first] = attempts;
    if (!first) return;
    const line = { ...toLine(channel, first), ...(attempts.length > 1 && { deliveries: attempts.length }) };
    if (!isRecorded) return this.log.warn(line, 'an attempt outlived its lease and was not recorded');
    if (first.outcome.outcome === 'ok') this.reportArrival(channel, line);
    else this.reportFailure(channel, line);
  }

  /** Call this after the commit that disabled the channels. */
  reportDisabled(events: readonly DomainEvent[]): void {
    for (const { accountId: account, payload } of events) {
      const { channel_id: channel, type, reason, detail } = payload as ChannelDisabled;
      this.failing.delete(channel);
      const why = detail === null ? reason : `${reason} (${detail})`;
      this.log.warn({ account, channel, channelType: type, reason }, `a channel was disabled: ${why}`);
    }
  }

  private reportArrival(channel: NotificationChannel, line: object): void {
    this.log.debug(line, 'delivered');
    const known = this.failing.get(channel.id);
    if (!known) return;
    this.failing.delete(channel.id);
    this.log.log({ account: channel.accountId, channel: channel.id }, 'a channel that failed is reached again');
  }

  private reportFailure(channel: NotificationChannel, line: object): void {
    const now = this.clock.now().getTime();
    const known = this.failing.get(channel.id);
    if (known && now - known.reportedAt < HOUR) {
      known.failures += 1;
      return this.log.debug(line, 'a delivery attempt failed');
    }
    this.failing.set(channel.id, { reportedAt: now, failures: 0 });
    if (known) this.log.log({ ...line, failures: known.failures + 1 }, 'a channel still fails');
    // The warning was logged earlier, by another process or before a restart.
    else if (channel.firstFailureAt !== null) this.log.log(line, 'a channel still fails');
    else this.log.warn(line, 'a delivery attempt failed');
  }
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

import type { Type } from '@nestjs/common';
import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { ActivateWaitingChannels, PurgeConfirmations } from './channel-settings/activate-channel.js';
import { MessageThrottle } from './deliveries/message-throttle.js';
import { ReplayDeliveries } from './deliveries/redeliver.js';
import { SyncSuspendedDeliveries } from './deliveries/sync-suspended-deliveries.js';
import { SendConfirmationMails } from './digests/send-confirmation-mails.js';
import { SendChatDigests, SendDigests } from './digests/send-digests.js';
import { DeliveryWakeUps } from './deliveries/delivery-wake-ups.js';
import { PurgeEvents } from './events/purge-events.js';

interface Repeatable {
  run(signal: AbortSignal): Promise<unknown>;
}

const repeat = (name: string, service: Type<Repeatable>, intervalMs: number) =>
  periodicTask({ name, service, intervalMs, run: (repeated, { signal }) => repeated.run(signal) });

/** Only where deliveries are sent. */
export const CLAIM_TASKS = [repeat('claim-deliveries', DeliveryWakeUps, 250)];

export const SCHEDULER_TASKS = [
  repeat('purge-events', PurgeEvents, MINUTE),
  periodicTask({
    name: 'finish-replays',
    service: ReplayDeliveries,
    intervalMs: 10 * SECOND,
    run: (replays, { signal }) => replays.finishAbandoned(signal),
  }),
  repeat('sync-suspended-deliveries', SyncSuspendedDeliveries, 10 * SECOND),
];

/** Mail is rare and needs no queue: each worker reads it from PostgreSQL, and a mail that one misses another sends. */
export const WORKER_TASKS = [
  repeat('send-confirmation-mails', SendConfirmationMails, SECOND),
  repeat('send-digests', SendDigests, SECOND),
  repeat('send-chat-digests', SendChatDigests, SECOND),
  repeat('purge-confirmations', PurgeConfirmations, MINUTE),
  periodicTask({
    name: 'purge-message-quotas',
    service: MessageThrottle,
    intervalMs: MINUTE,
    run: (throttle) => throttle.purge(),
  }),
  periodicTask({
    name: 'activate-waiting-channels',
    service: ActivateWaitingChannels,
    intervalMs: MINUTE,
    startDelayMs: 0, // a relay is added by a restart, while another process may still add channels without one
    run: (channels) => channels.run(),
  }),
];

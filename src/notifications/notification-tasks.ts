import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { ActivateWaitingChannels } from './channel-settings/activate-channel.js';
import { ReplayDeliveries } from './deliveries/redeliver.js';
import { SyncSuspendedDeliveries } from './deliveries/sync-suspended-deliveries.js';
import { MessageThrottle } from './deliveries/message-throttle.js';
import { RequestConfirmation } from './channel-settings/confirm-address.js';
import { SendConfirmationMails } from './digests/send-confirmation-mails.js';
import { SendChatDigests, SendDigests } from './digests/send-digests.js';
import { PurgeEvents } from './events/read-events.js';
import { DeliveryClaims } from './deliveries/delivery-claims.js';

/** Only where deliveries are sent. */
export const CLAIM_TASKS = [
  periodicTask({
    name: 'claim-deliveries',
    service: DeliveryClaims,
    intervalMs: 250,
    run: (claims, { signal }) => claims.run(signal),
  }),
];

export const SCHEDULER_TASKS = [
  periodicTask({
    name: 'purge-events',
    service: PurgeEvents,
    intervalMs: MINUTE,
    run: (events, { signal }) => events.run(signal),
  }),
  periodicTask({
    name: 'finish-replays',
    service: ReplayDeliveries,
    intervalMs: 10 * SECOND,
    run: (replays, { signal }) => replays.finishAbandoned(signal),
  }),
  periodicTask({
    name: 'sync-suspended-deliveries',
    service: SyncSuspendedDeliveries,
    intervalMs: 10 * SECOND,
    run: (deliveries, { signal }) => deliveries.run(signal),
  }),
];

/** Mail is rare and needs no queue: each worker reads it from PostgreSQL, and a mail that one misses another sends. */
export const WORKER_TASKS = [
  periodicTask({
    name: 'send-confirmation-mails',
    service: SendConfirmationMails,
    intervalMs: SECOND,
    run: (mails, { signal }) => mails.run(signal),
  }),
  periodicTask({
    name: 'send-digests',
    service: SendDigests,
    intervalMs: SECOND,
    run: (digests, { signal }) => digests.run(signal),
  }),
  periodicTask({
    name: 'send-chat-digests',
    service: SendChatDigests,
    intervalMs: SECOND,
    run: (digests, { signal }) => digests.run(signal),
  }),
  periodicTask({
    name: 'purge-confirmations',
    service: RequestConfirmation,
    intervalMs: MINUTE,
    run: (confirmations) => confirmations.purge(),
  }),
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

import type { Type } from '@nestjs/common';
import type { ProcessRole } from '../config/process-role.js';
import { MINUTE, SECOND } from '../kernel/clock.js';
import { periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { ActivateWaitingChannels } from './channel-settings/activate-channel.js';
import { SendOwnMails } from './own-mail/send-own-mails.js';
import { DeliveryWakeUps } from './deliveries/delivery-wake-ups.js';
import { SendSummaries } from './summaries/send-summaries.js';
import { PurgeEvents } from './events/purge-events.js';

interface Repeatable {
  run(signal: AbortSignal): Promise<unknown>;
}

const repeat = (name: string, service: Type<Repeatable>, intervalMs: number) =>
  periodicTask({ name, service, intervalMs, run: (repeated, { signal }) => repeated.run(signal) });

export const WAKE_UP_DELIVERIES = 'wake-up-deliveries';

/** Looks for due deliveries. The task rests while idle only in a process that learns of new deliveries directly. */
export const wakeUpDeliveries = (role: ProcessRole) =>
  periodicTask({
    name: WAKE_UP_DELIVERIES,
    service: DeliveryWakeUps,
    intervalMs: 250,
    restsWhenIdle: role === 'all',
    run: (wakeUps) => wakeUps.run(),
  });

export const SCHEDULER_TASKS = [
  oldData({ name: 'events', service: PurgeEvents, forget: (events, signal) => events.run(signal) }),
  repeat('send-summaries', SendSummaries, 10 * SECOND),
];

/** Every worker looks for confirmation and invitation mails itself. If a worker dies, the others continue. */
export const WORKER_TASKS = [
  repeat('send-own-mails', SendOwnMails, 2 * SECOND),
  oldData({ name: 'own-mails', service: SendOwnMails, forget: (mails) => mails.purge() }),
  periodicTask({
    name: 'activate-waiting-channels',
    service: ActivateWaitingChannels,
    intervalMs: MINUTE,
    startDelayMs: 0, // at once, because a restart may have added a mail relay
    run: (channels) => channels.run(),
  }),
];

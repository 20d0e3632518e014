import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { DeliveryConfig, MailConfig } from '../config/sections.js';
import { MINUTE, SECOND } from '../kernel/clock.js';
import { DashboardLinks } from '../kernel/dashboard-links.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { findMailLinkProblem } from '../platform/outbound/smtp-relay.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type PeriodicTask, periodicTask } from '../platform/scheduling/periodic-task.js';
import { oldData } from '../platform/scheduling/retention.js';
import { ActivateWaitingChannels } from './channel-settings/activate-channel.js';
import { ChatSender } from './channels/chat-sender.js';
import { GuardedHttp } from './channels/guarded-http.js';
import { WebhookSender } from './channels/webhook-sender.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { DeliveryProcessor, DeliveryWakeUps } from './deliveries/delivery.processor.js';
import {
  CHANNEL_TYPE,
  type ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
} from './domain/channel-sender.js';
import { EmailSender } from './email/email-sender.js';
import { PublishEvents } from './events/publish-events.js';
import { PurgeEvents } from './events/purge-events.js';
import { NotificationsCoreModule } from './notifications-core.module.js';
import { SendOwnMails } from './own-mail/send-own-mails.js';
import { NOTIFICATION_REPAIRS } from './put-back.sql.js';
import { SendSummaries } from './summaries/send-summaries.js';

const WAKE_UP_DELIVERIES = 'wake-up-deliveries';

const SCHEDULER_TASKS = [
  oldData({ name: 'events', service: PurgeEvents, forget: (events, signal) => events.run(signal) }),
  periodicTask({
    name: 'send-summaries',
    service: SendSummaries,
    intervalMs: 10 * SECOND,
    run: (summaries, { signal }) => summaries.run(signal),
  }),
];
/** Run in every process with the role `worker`, so that no mail waits for a dead worker. */
const WORKER_TASKS = [
  periodicTask({
    name: 'send-own-mails',
    service: SendOwnMails,
    intervalMs: 2 * SECOND,
    run: (mails, { signal }) => mails.run(signal),
  }),
  oldData({ name: 'own-mails', service: SendOwnMails, forget: (mails) => mails.purge() }),
  periodicTask({
    name: 'activate-waiting-channels',
    service: ActivateWaitingChannels,
    intervalMs: MINUTE,
    startDelayMs: 0, // at once, because a restart may have added a mail relay
    run: (channels) => channels.run(),
  }),
];
const wakeUpsFor = (role: ProcessRole) => [
  DeliveryWakeUps,
  periodicTask({
    name: WAKE_UP_DELIVERIES,
    service: DeliveryWakeUps,
    intervalMs: 250,
    restsWhenIdle: role === 'all', // only in the role `all` does a new event wake the task
    run: (wakeUps) => wakeUps.run(),
  }),
];

/** Runs the tasks of a process with this role. The API has its own NotificationsApiModule. */
@Module({})
export class NotificationsModule implements OnModuleInit, OnApplicationBootstrap {
  private readonly log = new Logger(NotificationsModule.name);

  constructor(
    private readonly repair: RepairAfterPutBack,
    private readonly handlers: EventBus,
    private readonly announce: PublishEvents,
    private readonly deliveries: DeliveriesService,
    private readonly senders: ChannelSenderRegistry,
    private readonly email: EmailSender,
    private readonly webhook: WebhookSender,
    private readonly http: GuardedHttp,
    private readonly units: TimeUnits,
    @Inject(EXTENSION_CHANNEL_SENDERS) private readonly extensionSenders: readonly ChannelSender[],
    private readonly config: DeliveryConfig,
    private readonly mail: MailConfig,
    private readonly deliveryLog: DeliveryLog,
    @Optional() @Inject(WAKE_UP_DELIVERIES) private readonly wakeUps?: PeriodicTask,
  ) {}

  /** @param sending false leaves out the providers that wake workers and send deliveries */
  static register(role: ProcessRole, sending: boolean): DynamicModule {
    const [schedules, works] = [includesRole(role, 'scheduler'), includesRole(role, 'worker')];
    return {
      module: NotificationsModule,
      imports: [NotificationsCoreModule, ...(sending && (schedules || works) ? [QueueModule] : [])],
      providers: [
        ...(schedules ? SCHEDULER_TASKS : []),
        ...(works ? WORKER_TASKS : []),
        ...(sending && schedules ? wakeUpsFor(role) : []),
        ...(sending && works ? [DeliveryProcessor, DeliveryDispatcher] : []),
      ],
    };
  }

  onModuleInit(): void {
    this.repair.register(...NOTIFICATION_REPAIRS);
    registerSenders(this.senders, [this.email, this.webhook, ...this.extensionSenders]);
    const chats = ChatSender.all(this.http, this.units, DashboardLinks.at(this.mail));
    for (const sender of chats) this.senders.register(sender);
    this.handlers.subscribe('watchlist.', (events) => this.announce.run(events));
    this.handlers.subscribe('channel.', (events) => this.announce.run(events));
    this.handlers.afterCommit('channel.disabled', (events) => this.deliveryLog.reportDisabled(events));
    this.handlers.subscribe('entry.removed', (events) => this.deliveries.cancelForRemoved(events));
    this.handlers.afterCommit('', () => this.wakeUps?.expectWork());
  }

  onApplicationBootstrap(): void {
    if (!this.config.sending) this.log.warn('sending is off (SENDING): deliveries stay pending and no mail is sent');
    const problem = findMailLinkProblem(this.mail);
    if (problem !== null) this.log.warn(problem);
  }
}

const SECRETS = new Set<string>(['signing', 'account', 'none']);

/** @throws InvalidConfigurationError with all problems at once */
export function registerSenders(registry: ChannelSenderRegistry, senders: readonly ChannelSender[]): void {
  const problems: string[] = [];
  for (const sender of senders) {
    const problem = findProblem(registry, sender);
    if (problem === null) registry.register(sender);
    else problems.push(problem);
  }
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
}

function findProblem(registry: ChannelSenderRegistry, { type, secret }: ChannelSender): string | null {
  if (!CHANNEL_TYPE.test(type))
    return `the channel type ${JSON.stringify(type)} is not 2 to 60 lower-case letters, digits, "-", "_" and one "."`;
  if (registry.find(type)) return `two senders have the channel type ${type}`;
  return SECRETS.has(secret) ? null : `the secret of the channel type ${type} is not signing, account or none`;
}

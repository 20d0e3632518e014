import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { DeliveryConfig, MailConfig } from '../config/sections.js';
import { findMailLinkProblem } from '../platform/outbound/smtp-relay.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import type { PeriodicTask } from '../platform/scheduling/periodic-task.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { ActivateChannel, ActivateWaitingChannels } from './channel-settings/activate-channel.js';
import { PublishEvents } from './events/publish-events.js';
import { MailboxConsent } from './channel-settings/mailbox-consent.js';
import { ChannelsService } from './channel-settings/channels.service.js';
import { ChannelSecrets } from './channels/channel-secrets.js';
import { AttemptRepository } from './deliveries/attempts.repository.js';
import { ChannelLeaseRepository } from './deliveries/channel-leases.repository.js';
import { LeaseChannels } from './deliveries/lease-channels.js';
import { ServeChannel } from './deliveries/serve-channel.js';
import { FinishAttempts } from './deliveries/finish-attempts.js';
import { SendSummaries } from './summaries/send-summaries.js';
import { SummaryRepository } from './summaries/summaries.repository.js';
import { PurgeEvents } from './events/purge-events.js';
import { OwnMailContents } from './own-mail/own-mail-contents.js';
import { SendOwnMails } from './own-mail/send-own-mails.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { type ChannelSender, ChannelSenderRegistry, EXTENSION_CHANNEL_SENDERS } from './domain/channel-sender.js';
import { MailSuppressionRepository } from './email/mail-suppressions.repository.js';
import { DeliveryRepository } from './deliveries/deliveries.repository.js';
import { DeliveryDays } from './deliveries/delivery-days.js';
import { DeliveryReader } from './deliveries/delivery-reader.repository.js';
import { EventFeed } from './events/event-feed.repository.js';
import { MailLinks } from './email/mail-links.js';
import { NotificationChannelRepository } from './channels/notification-channels.repository.js';
import { NotificationEventRepository } from './events/notification-events.repository.js';
import { DashboardLinks } from '../kernel/dashboard-links.js';
import { GuardedHttp } from './channels/guarded-http.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { StreamSlots } from './events/stream-slots.repository.js';
import { ChannelReader } from './channels/channel-reader.repository.js';
import { EventStreams } from './events/event-streams.js';
import { EmailSender } from './email/email-sender.js';
import { GuardedHttpModule } from './guarded-http.module.js';
import { SmtpMailer } from './email/smtp-mailer.js';
import { registerSenders } from './channels/register-senders.js';
import { NOTIFICATION_REPAIRS } from './put-back.sql.js';
import { TransactionOrder } from '../platform/database/transaction-order.js';
import { ChatSender } from './channels/chat-sender.js';
import { WebhookSender } from './channels/webhook-sender.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { DeliveryWakeUps } from './deliveries/delivery-wake-ups.js';
import { DeliveryProcessor } from './deliveries/delivery.processor.js';
import { WAKE_UP_DELIVERIES, SCHEDULER_TASKS, WORKER_TASKS, wakeUpDeliveries } from './notification-tasks.js';

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
    private readonly channels: ChannelReader,
    private readonly use: AccountUsage,
    private readonly config: DeliveryConfig,
    private readonly mail: MailConfig,
    private readonly deliveryLog: DeliveryLog,
    @Optional() @Inject(WAKE_UP_DELIVERIES) private readonly wakeUps: PeriodicTask | null,
  ) {}

  /** @param sending false leaves out the providers that send deliveries */
  static async register(role: ProcessRole, sending: boolean): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./routes.js') : null;
    return {
      module: NotificationsModule,
      imports: [AuthModule, GuardedHttpModule, QueueModule],
      controllers: routes?.controllers ?? [],
      providers: [
        PublishEvents,
        ActivateChannel,
        ActivateWaitingChannels,
        ChannelsService,
        ChannelSecrets,
        DeliveriesService,
        MailboxConsent,
        SendOwnMails,
        OwnMailContents,
        SendSummaries,
        SummaryRepository,
        PurgeEvents,
        EventStreams,
        ServeChannel,
        LeaseChannels,
        DeliveryLog,
        DeliveryMetrics,
        FinishAttempts,
        ChannelSenderRegistry,
        SmtpMailer,
        EmailSender,
        WebhookSender,
        ChannelReader,
        NotificationChannelRepository,
        NotificationEventRepository,
        ChannelLeaseRepository,
        AttemptRepository,
        DeliveryRepository,
        TransactionOrder,
        StreamSlots,
        EventFeed,
        DeliveryDays,
        DeliveryReader,
        MailSuppressionRepository,
        MailLinks,
        ...(includesRole(role, 'scheduler') ? SCHEDULER_TASKS : []),
        ...(includesRole(role, 'worker') ? WORKER_TASKS : []),
        ...(sending && includesRole(role, 'scheduler') ? [DeliveryWakeUps, wakeUpDeliveries(role)] : []),
        ...(sending && includesRole(role, 'worker') ? [DeliveryProcessor, DeliveryDispatcher] : []),
      ],
      exports: [ChannelSenderRegistry],
    };
  }

  onModuleInit(): void {
    this.repair.register(...NOTIFICATION_REPAIRS);
    registerSenders(this.senders, [this.email, this.webhook, ...this.extensionSenders]);
    const chats = ChatSender.all(this.http, this.units, DashboardLinks.at(this.mail));
    for (const sender of chats) this.senders.register(sender);
    this.use.registerCounter('channels', async (accountId) => (await this.channels.list(accountId)).length);
    this.use.registerCounter('failing_channels', (accountId) => this.channels.countFailing(accountId));
    this.handlers.subscribe('watchlist.', (events) => this.announce.run(events));
    this.handlers.subscribe('channel.', (events) => this.announce.run(events));
    this.handlers.afterCommit('', () => this.wakeUps?.expectWork());
    this.handlers.afterCommit('channel.disabled', (events) => this.deliveryLog.reportDisabled(events));
    this.handlers.subscribe('entry.removed', (events) => this.deliveries.cancelForRemoved(events));
  }

  onApplicationBootstrap(): void {
    if (!this.config.sending) this.log.warn('sending is off (SENDING): deliveries stay pending and no mail is sent');
    const problem = findMailLinkProblem(this.mail);
    if (problem !== null) this.log.warn(problem);
  }
}

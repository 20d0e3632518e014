import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUsage } from '../auth/index.js';
import { DeliveryConfig, MailConfig, SecretsConfig } from '../config/sections.js';
import { findMailLinkProblem } from '../platform/outbound/mail-links.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { CursorSeal } from '../platform/crypto/cursor-seal.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { ActivateChannel } from './application/channels/activate-channel.js';
import { PublishEvents } from './application/events/publish-events.js';
import { RequestConfirmation } from './application/email/request-confirmation.js';
import { StartNextAttempts } from './application/deliveries/start-next-attempts.js';
import { AttemptStarter } from './application/ports/attempt-starter.js';
import { PostgresAttemptStarter } from './infrastructure/deliveries/postgres-attempt-starter.js';
import { StartAttempts } from './application/deliveries/start-attempts.js';
import { ChannelsService } from './application/channels/channels.service.js';
import { ChannelSecrets } from './application/channels/channel-secrets.js';
import { ActivateWaitingChannels } from './application/channels/activate-waiting-channels.js';
import { ConfirmAddress } from './application/email/confirm-address.js';
import { ConfirmationPolicy } from './application/email/confirmation-policy.js';
import { Deliver } from './application/deliveries/deliver.js';
import { FinishAttempts } from './application/deliveries/finish-attempts.js';
import { RecordSuccesses } from './application/deliveries/record-successes.js';
import { RefillingHosts } from './application/deliveries/refilling-hosts.js';
import { MessageThrottle } from './application/digests/message-throttle.js';
import { SyncSuspendedDeliveries } from './application/deliveries/sync-suspended-deliveries.js';
import { PurgeEvents } from './application/events/purge-events.js';
import { SendConfirmationMails } from './application/email/send-confirmation-mails.js';
import { ReadEvents } from './application/events/read-events.js';
import { DeliveryLog } from './application/deliveries/delivery-log.js';
import { ReplayDeliveries } from './application/deliveries/replay-deliveries.js';
import { ReplayRepository } from './application/ports/replay-repository.js';
import { PostgresReplayRepository } from './infrastructure/deliveries/postgres-replay-repository.js';
import { Redeliver } from './application/deliveries/redeliver.js';
import { RotateSecret } from './application/channels/rotate-secret.js';
import { SendChatDigests, SendDigests } from './application/digests/send-digests.js';
import { SendTestEvent } from './application/channels/send-test-event.js';
import { Unsubscribe } from './application/email/unsubscribe.js';
import { CancelDeliveries } from './application/deliveries/cancel-deliveries.js';
import {
  type ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
} from './domain/channels/channel-sender.js';
import { AddressConfirmationRepository } from './domain/email/address-confirmation.js';
import { DeliveryRepository } from './domain/deliveries/delivery.js';
import { DeliveryReader } from './application/ports/delivery-reader.js';
import { EventFeed } from './application/ports/event-feed.js';
import { DigestRepository } from './application/ports/digest-repository.js';
import { QuotaWindowRepository } from './domain/digests/quota-window.js';
import { MailLinks } from './application/ports/mail-links.js';
import { MailSuppressionRepository } from './application/ports/mail-suppression-repository.js';
import { NotificationChannelRepository } from './domain/channels/notification-channel.js';
import { NotificationEventRepository } from './domain/events/notification-event.js';
import { GuardedHttp } from './domain/channels/guarded-http.js';
import { SecretCipher } from './domain/channels/signing-secret.js';
import { SuspendedDeliveryRepository } from './application/ports/suspended-delivery-repository.js';
import { AttemptObserver } from './application/ports/attempt-observer.js';
import { StreamSlots } from './application/ports/stream-slots.js';
import { ChannelReader } from './application/ports/channel-reader.js';
import { EventStreams } from './http/events/event-streams.js';
import { EmailSender } from './infrastructure/email/email-sender.js';
import { GuardedHttpModule } from './guarded-http.module.js';
import { SmtpMailer } from './infrastructure/email/smtp-mailer.js';
import { PostgresAddressConfirmationRepository } from './infrastructure/email/postgres-address-confirmation-repository.js';
import { PostgresDeliveryRepository } from './infrastructure/deliveries/postgres-delivery-repository.js';
import { PostgresChannelReader } from './infrastructure/channels/postgres-channel-reader.js';
import { PostgresNotificationChannelRepository } from './infrastructure/channels/postgres-notification-channel-repository.js';
import { PostgresNotificationEventRepository } from './infrastructure/events/postgres-notification-event-repository.js';
import { registerSenders } from './infrastructure/channels/register-senders.js';
import { NOTIFICATION_REPAIRS } from './infrastructure/put-back.sql.js';
import { TransactionOrder } from '../platform/database/transaction-order.js';
import { PostgresMailSuppressionRepository } from './infrastructure/email/postgres-mail-suppression-repository.js';
import { SecretBoxMailLinks } from './infrastructure/email/secret-box-mail-links.js';
import { SecretBoxCipher } from './infrastructure/channels/secret-box-cipher.js';
import { DeliveryMetrics } from './infrastructure/deliveries/delivery-metrics.js';
import { PostgresDeliveryReader } from './infrastructure/deliveries/postgres-delivery-reader.js';
import { PostgresSuspendedDeliveryRepository } from './infrastructure/deliveries/postgres-suspended-delivery-repository.js';
import { PostgresStreamSlots } from './infrastructure/events/postgres-stream-slots.js';
import { PostgresEventFeed } from './infrastructure/events/postgres-event-feed.js';
import { PostgresDigestRepository } from './infrastructure/digests/postgres-digest-repository.js';
import { PostgresQuotaWindowRepository } from './infrastructure/digests/postgres-quota-window-repository.js';
import { ChatSender } from './infrastructure/channels/chat-sender.js';
import { WebhookSender } from './infrastructure/channels/webhook-sender.js';
import { DeliveryDispatcher } from './jobs/delivery-dispatcher.js';
import { DeliveryClaims } from './jobs/delivery-claims.js';
import { DeliveryProcessor } from './jobs/delivery.processor.js';
import { DELIVERIES } from './jobs/delivery.queue.js';
import { CLAIM_TASKS, SCHEDULER_TASKS, WORKER_TASKS } from './jobs/notification-tasks.js';

const secretBox = {
  provide: SecretBox,
  inject: [SecretsConfig],
  useFactory: ({ masterKeys }: SecretsConfig) => new SecretBox(masterKeys),
};

@Module({})
export class NotificationsModule implements OnModuleInit, OnApplicationBootstrap {
  private readonly log = new Logger(NotificationsModule.name);

  constructor(
    private readonly repair: RepairAfterPutBack,
    private readonly handlers: EventBus,
    private readonly announce: PublishEvents,
    private readonly withdraw: CancelDeliveries,
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
  ) {}

  /** @param sending false: no provider that claims or runs deliveries */
  static async register(role: ProcessRole, sending: boolean): Promise<DynamicModule> {
    const routes = includesRole(role, 'api') ? await import('./http/routes.js') : null;
    return {
      module: NotificationsModule,
      imports: [AuthModule, GuardedHttpModule, QueueModule.forQueue(DELIVERIES)],
      controllers: routes?.controllers ?? [],
      providers: [
        secretBox,
        PublishEvents,
        CancelDeliveries,
        RequestConfirmation,
        ActivateChannel,
        ActivateWaitingChannels,
        ConfirmationPolicy,
        ChannelsService,
        ChannelSecrets,
        RotateSecret,
        Redeliver,
        ReplayDeliveries,
        { provide: ReplayRepository, useClass: PostgresReplayRepository },
        SendTestEvent,
        Unsubscribe,
        ConfirmAddress,
        SendConfirmationMails,
        MessageThrottle,
        SendDigests,
        SendChatDigests,
        ReadEvents,
        CursorSeal,
        SyncSuspendedDeliveries,
        PurgeEvents,
        { provide: SuspendedDeliveryRepository, useClass: PostgresSuspendedDeliveryRepository },
        EventStreams,
        Deliver,
        DeliveryLog,
        { provide: AttemptObserver, useClass: DeliveryMetrics },
        StartAttempts,
        StartNextAttempts,
        { provide: AttemptStarter, useClass: PostgresAttemptStarter },
        FinishAttempts,
        RecordSuccesses,
        RefillingHosts,
        ChannelSenderRegistry,
        SmtpMailer,
        EmailSender,
        WebhookSender,
        { provide: ChannelReader, useClass: PostgresChannelReader },
        { provide: NotificationChannelRepository, useClass: PostgresNotificationChannelRepository },
        { provide: NotificationEventRepository, useClass: PostgresNotificationEventRepository },
        { provide: DeliveryRepository, useClass: PostgresDeliveryRepository },
        TransactionOrder,
        { provide: StreamSlots, useClass: PostgresStreamSlots },
        { provide: EventFeed, useClass: PostgresEventFeed },
        { provide: DeliveryReader, useClass: PostgresDeliveryReader },
        { provide: QuotaWindowRepository, useClass: PostgresQuotaWindowRepository },
        { provide: DigestRepository, useClass: PostgresDigestRepository },
        { provide: MailSuppressionRepository, useClass: PostgresMailSuppressionRepository },
        { provide: AddressConfirmationRepository, useClass: PostgresAddressConfirmationRepository },
        { provide: MailLinks, useClass: SecretBoxMailLinks },
        { provide: SecretCipher, useClass: SecretBoxCipher },
        ...(includesRole(role, 'scheduler') ? SCHEDULER_TASKS : []),
        ...(includesRole(role, 'worker') ? WORKER_TASKS : []),
        ...(sending && includesRole(role, 'scheduler') ? [DeliveryClaims, ...CLAIM_TASKS] : []),
        ...(sending && includesRole(role, 'worker') ? [DeliveryProcessor, DeliveryDispatcher] : []),
      ],
      exports: [ChannelSenderRegistry],
    };
  }

  onModuleInit(): void {
    this.repair.register(...NOTIFICATION_REPAIRS);
    registerSenders(this.senders, [this.email, this.webhook, ...this.extensionSenders]);
    for (const sender of ChatSender.all(this.http, this.units)) this.senders.register(sender);
    this.use.registerCounter('channels', async (accountId) => (await this.channels.list(accountId)).length);
    this.handlers.subscribe('watchlist.', (events) => this.announce.run(events));
    this.handlers.subscribe('channel.', (events) => this.announce.run(events));
    this.handlers.afterCommit('channel.disabled', (events) => this.deliveryLog.reportDisabled(events));
    this.handlers.subscribe('entry.removed', (events) => this.withdraw.run(events));
  }

  onApplicationBootstrap(): void {
    if (!this.config.sending) this.log.warn('sending is off (SENDING): deliveries stay pending and no mail is sent');
    const problem = findMailLinkProblem(this.mail);
    if (problem !== null) this.log.warn(problem);
  }
}

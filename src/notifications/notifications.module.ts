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
import { findMailLinkProblem } from '../platform/outbound/smtp-relay.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { CursorSeal } from '../platform/crypto/cursor-seal.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { ActivateChannel } from './channels/activate-channel.js';
import { PublishEvents } from './events/publish-events.js';
import { RequestConfirmation } from './channels/request-confirmation.js';
import { StartNextAttempts } from './deliveries/start-next-attempts.js';
import { AttemptStarter } from './deliveries/attempt-starter.js';
import { PostgresAttemptStarter } from './deliveries/attempt-starter.repository.js';
import { StartAttempts } from './deliveries/start-attempts.js';
import { ChannelsService } from './channels/channels.service.js';
import { ChannelSecrets } from './channels/channel-secrets.js';
import { ActivateWaitingChannels } from './channels/activate-waiting-channels.js';
import { ConfirmAddress } from './channels/confirm-address.js';
import { ConfirmationPolicy } from './channels/confirmation-policy.js';
import { Deliver } from './deliveries/deliver.js';
import { FinishAttempts } from './deliveries/finish-attempts.js';
import { RecordSuccesses } from './deliveries/record-successes.js';
import { RefillingHosts } from './deliveries/refilling-hosts.js';
import { MessageThrottle } from './deliveries/message-throttle.js';
import { SyncSuspendedDeliveries } from './deliveries/sync-suspended-deliveries.js';
import { PurgeEvents } from './events/purge-events.js';
import { SendConfirmationMails } from './digests/send-confirmation-mails.js';
import { ReadEvents } from './events/read-events.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { ReplayDeliveries } from './deliveries/replay-deliveries.js';
import { ReplayRepository } from './deliveries/replay-repository.js';
import { PostgresReplayRepository } from './deliveries/replays.repository.js';
import { Redeliver } from './deliveries/redeliver.js';
import { RotateSecret } from './channels/rotate-secret.js';
import { SendChatDigests, SendDigests } from './digests/send-digests.js';
import { SendTestEvent } from './channels/send-test-event.js';
import { Unsubscribe } from './email/unsubscribe.js';
import { CancelDeliveries } from './deliveries/cancel-deliveries.js';
import {
  type ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
} from './domain/channels/channel-sender.js';
import { AddressConfirmationRepository } from './domain/email/address-confirmation.js';
import { DeliveryRepository } from './domain/deliveries/delivery.js';
import { DeliveryReader } from './deliveries/delivery-reader.js';
import { EventFeed } from './events/event-feed.js';
import { DigestRepository } from './deliveries/digest-repository.js';
import { QuotaWindowRepository } from './domain/digests/quota-window.js';
import { MailLinks } from './email/mail-links.js';
import { MailSuppressionRepository } from './email/mail-suppression-repository.js';
import { NotificationChannelRepository } from './domain/channels/notification-channel.js';
import { NotificationEventRepository } from './domain/events/notification-event.js';
import { GuardedHttp } from './domain/channels/guarded-http.js';
import { SecretCipher } from './domain/channels/signing-secret.js';
import { SuspendedDeliveryRepository } from './deliveries/suspended-delivery-repository.js';
import { AttemptObserver } from './deliveries/attempt-observer.js';
import { StreamSlots } from './events/stream-slots.js';
import { ChannelReader } from './channels/channel-reader.js';
import { EventStreams } from './events/event-streams.js';
import { EmailSender } from './email/email-sender.js';
import { GuardedHttpModule } from './guarded-http.module.js';
import { SmtpMailer } from './email/smtp-mailer.js';
import { PostgresAddressConfirmationRepository } from './channels/address-confirmations.repository.js';
import { PostgresDeliveryRepository } from './deliveries/deliveries.repository.js';
import { PostgresChannelReader } from './channels/channel-reader.repository.js';
import { PostgresNotificationChannelRepository } from './channels/notification-channels.repository.js';
import { PostgresNotificationEventRepository } from './events/notification-events.repository.js';
import { registerSenders } from './channels/register-senders.js';
import { NOTIFICATION_REPAIRS } from './put-back.sql.js';
import { TransactionOrder } from '../platform/database/transaction-order.js';
import { PostgresMailSuppressionRepository } from './email/mail-suppressions.repository.js';
import { SecretBoxMailLinks } from './email/secret-box-mail-links.js';
import { SecretBoxCipher } from './channels/secret-box-cipher.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { PostgresDeliveryReader } from './deliveries/delivery-reader.repository.js';
import { PostgresSuspendedDeliveryRepository } from './deliveries/suspended-deliveries.repository.js';
import { PostgresStreamSlots } from './events/stream-slots.repository.js';
import { PostgresEventFeed } from './events/event-feed.repository.js';
import { PostgresDigestRepository } from './deliveries/digests.repository.js';
import { PostgresQuotaWindowRepository } from './deliveries/quota-windows.repository.js';
import { ChatSender } from './channels/chat-sender.js';
import { WebhookSender } from './channels/webhook-sender.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { DeliveryClaims } from './deliveries/delivery-claims.js';
import { DeliveryProcessor } from './deliveries/delivery.processor.js';
import { CLAIM_TASKS, SCHEDULER_TASKS, WORKER_TASKS } from './notification-tasks.js';

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
    const routes = includesRole(role, 'api') ? await import('./routes.js') : null;
    return {
      module: NotificationsModule,
      imports: [AuthModule, GuardedHttpModule, QueueModule],
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

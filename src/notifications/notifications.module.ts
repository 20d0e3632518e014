import { type DynamicModule, Logger, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUse } from '../auth/index.js';
import { Config } from '../config/config.js';
import { EventHandlers } from '../kernel/unit-of-work.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { ActivateChannel } from './application/channels/activate-channel.js';
import { Announce } from './application/events/publish-events.js';
import { AskAddress } from './application/email/request-confirmation.js';
import { BeginAttempts } from './application/deliveries/start-attempts.js';
import { ChannelsService } from './application/channels/channels.service.js';
import { ChannelsWithoutRelay } from './application/channels/activate-waiting-channels.js';
import { ConfirmAddress } from './application/email/confirm-address.js';
import { ConfirmationPolicy } from './application/email/confirmation-policy.js';
import { Deliver } from './application/deliveries/deliver.js';
import { EndAttempts } from './application/deliveries/finish-attempts.js';
import { FloodGuard } from './application/email/mail-throttle.js';
import { FollowSuspensions } from './application/deliveries/sync-suspended-deliveries.js';
import { ForgetEvents } from './application/events/purge-events.js';
import { MailQuestions } from './application/email/send-confirmation-mails.js';
import { ReadEvents } from './application/events/read-events.js';
import { Redeliver } from './application/deliveries/redeliver.js';
import { RotateSecret } from './application/channels/rotate-secret.js';
import { SendDigests } from './application/email/send-digests.js';
import { TryChannel } from './application/channels/send-test-event.js';
import { Unsubscribe } from './application/email/unsubscribe.js';
import { Withdraw } from './application/deliveries/cancel-deliveries.js';
import { ChannelSenders } from './domain/channels/channel-sender.js';
import { Consents } from './domain/email/address-confirmation.js';
import { Deliveries } from './domain/deliveries/delivery.js';
import { DeliveryPages } from './application/ports/delivery-reader.js';
import { EventFeed } from './application/ports/event-feed.js';
import { MailDigests } from './application/ports/digest-repository.js';
import { MailHours } from './domain/email/mail-quota-window.js';
import { MailLinks } from './application/ports/mail-links.js';
import { MailSuppressions } from './application/ports/mail-suppression-repository.js';
import { NotificationChannels } from './domain/channels/notification-channel.js';
import { NotificationEvents } from './domain/events/notification-event.js';
import { SecretKeeper } from './domain/channels/signing-secret.js';
import { SuspendedDeliveries } from './application/ports/suspended-delivery-repository.js';
import { StreamPlaces } from './application/ports/stream-slots.js';
import { ChannelController } from './http/channels/channel.controller.js';
import { ConfirmController } from './http/email/confirm.controller.js';
import { DeliveriesController } from './http/deliveries/deliveries.controller.js';
import { EventStreamController } from './http/events/event-stream.controller.js';
import { EventStreams } from './http/events/event-streams.js';
import { EventsController } from './http/events/events.controller.js';
import { NotificationsController } from './http/channels/channels.controller.js';
import { SecretsController } from './http/channels/secrets.controller.js';
import { UnsubscribeController } from './http/email/unsubscribe.controller.js';
import { EmailSender } from './infrastructure/email/email-sender.js';
import { MailRelay } from './infrastructure/email/smtp-mailer.js';
import { MikroConsents } from './infrastructure/email/postgres-address-confirmation-repository.js';
import { MikroDeliveries } from './infrastructure/deliveries/postgres-delivery-repository.js';
import { MikroNotificationChannels } from './infrastructure/channels/postgres-notification-channel-repository.js';
import { MikroNotificationEvents } from './infrastructure/events/postgres-notification-event-repository.js';
import { EventOrder } from './infrastructure/events/event-order.js';
import { OwnListener } from './infrastructure/channels/self-address-guard.js';
import { PostgresMailSuppressions } from './infrastructure/email/postgres-mail-suppression-repository.js';
import { SealedMailLinks } from './infrastructure/email/secret-box-mail-links.js';
import { SealedSecrets } from './infrastructure/channels/secret-box-cipher.js';
import { SqlDeliveryPages } from './infrastructure/deliveries/postgres-delivery-reader.js';
import { SqlSuspendedDeliveries } from './infrastructure/deliveries/postgres-suspended-delivery-repository.js';
import { SqlStreamPlaces } from './infrastructure/events/postgres-stream-slots.js';
import { SqlEventFeed } from './infrastructure/events/postgres-event-feed.js';
import { SqlMailDigests } from './infrastructure/email/postgres-digest-repository.js';
import { SqlMailHours } from './infrastructure/email/postgres-mail-quota-window-repository.js';
import { WebhookGuard } from './infrastructure/channels/webhook-guard.js';
import { WebhookSender } from './infrastructure/channels/webhook-sender.js';
import { Courier } from './jobs/delivery-dispatcher.js';
import { DeliveryTick } from './jobs/delivery-tick.js';
import { DeliveryProcessor } from './jobs/delivery.processor.js';
import { DELIVERIES } from './jobs/delivery.queue.js';
import { MailTick } from './jobs/mail-tick.js';
import { RetentionTick } from './jobs/retention-tick.js';
import { SuspensionTick } from './jobs/suspension-tick.js';

const secretBox = {
  provide: SecretBox,
  inject: [Config],
  useFactory: ({ masterKeys }: Config) => new SecretBox(masterKeys),
};

const CONTROLLERS = [
  NotificationsController,
  ChannelController,
  SecretsController,
  DeliveriesController,
  EventsController,
  EventStreamController,
  UnsubscribeController,
  ConfirmController,
];

@Module({})
export class NotificationsModule implements OnModuleInit, OnApplicationBootstrap {
  private readonly log = new Logger(NotificationsModule.name);

  constructor(
    private readonly handlers: EventHandlers,
    private readonly announce: Announce,
    private readonly withdraw: Withdraw,
    private readonly senders: ChannelSenders,
    private readonly email: EmailSender,
    private readonly webhook: WebhookSender,
    private readonly channels: NotificationChannels,
    private readonly use: AccountUse,
    private readonly config: Config,
  ) {}

  /** @param sending false leaves out whatever claims or carries a delivery, also one that another process claimed */
  static register(role: ProcessRole, sending: boolean): DynamicModule {
    return {
      module: NotificationsModule,
      imports: [AuthModule, QueueModule.doorbell(DELIVERIES)],
      controllers: includesRole(role, 'api') ? CONTROLLERS : [],
      providers: [
        secretBox,
        Announce,
        Withdraw,
        AskAddress,
        ActivateChannel,
        ChannelsWithoutRelay,
        ConfirmationPolicy,
        ChannelsService,
        RotateSecret,
        Redeliver,
        TryChannel,
        Unsubscribe,
        ConfirmAddress,
        MailQuestions,
        FloodGuard,
        SendDigests,
        ReadEvents,
        FollowSuspensions,
        ForgetEvents,
        { provide: SuspendedDeliveries, useClass: SqlSuspendedDeliveries },
        EventStreams,
        Deliver,
        BeginAttempts,
        EndAttempts,
        ChannelSenders,
        MailRelay,
        EmailSender,
        WebhookSender,
        WebhookGuard,
        OwnListener,
        { provide: NotificationChannels, useClass: MikroNotificationChannels },
        { provide: NotificationEvents, useClass: MikroNotificationEvents },
        { provide: Deliveries, useClass: MikroDeliveries },
        EventOrder,
        { provide: StreamPlaces, useClass: SqlStreamPlaces },
        { provide: EventFeed, useClass: SqlEventFeed },
        { provide: DeliveryPages, useClass: SqlDeliveryPages },
        { provide: MailHours, useClass: SqlMailHours },
        { provide: MailDigests, useClass: SqlMailDigests },
        { provide: MailSuppressions, useClass: PostgresMailSuppressions },
        { provide: Consents, useClass: MikroConsents },
        { provide: MailLinks, useClass: SealedMailLinks },
        { provide: SecretKeeper, useClass: SealedSecrets },
        ...(includesRole(role, 'scheduler') ? [RetentionTick, SuspensionTick] : []),
        ...(includesRole(role, 'worker') ? [MailTick] : []),
        ...(sending && includesRole(role, 'scheduler') ? [DeliveryTick] : []),
        ...(sending && includesRole(role, 'worker') ? [DeliveryProcessor, Courier] : []),
      ],
      exports: [ChannelSenders],
    };
  }

  onModuleInit(): void {
    this.senders.register(this.email);
    this.senders.register(this.webhook);
    this.use.countBy('channels', async (accountId) => (await this.channels.summariesOf(accountId)).length);
    this.handlers.subscribe('watchlist.', (events) => this.announce.run(events));
    this.handlers.subscribe('channel.', (events) => this.announce.run(events));
    this.handlers.subscribe('entry.removed', (events) => this.withdraw.run(events));
  }

  onApplicationBootstrap(): void {
    if (!this.config.sending) this.log.warn('sending is off (SENDING): deliveries stay pending, and no mail goes out');
  }
}

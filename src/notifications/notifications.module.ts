import { type DynamicModule, Logger, Module, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { AccountUse } from '../auth/index.js';
import { Config } from '../config.js';
import { EventHandlers } from '../kernel/unit-of-work.js';
import { SecretBox } from '../platform/crypto/secret-box.js';
import { QueueModule } from '../platform/queue/queue.module.js';
import { type ProcessRole, serves } from '../process-role.js';
import { ActivateChannel } from './application/activate-channel.js';
import { Announce } from './application/announce.js';
import { AskAddress } from './application/ask-address.js';
import { BeginAttempts } from './application/begin-attempts.js';
import { ChannelsService } from './application/channels.service.js';
import { ChannelsWithoutRelay } from './application/channels-without-relay.js';
import { ConfirmAddress } from './application/confirm-address.js';
import { ConfirmationPolicy } from './application/confirmation-policy.js';
import { Deliver } from './application/deliver.js';
import { EndAttempts } from './application/end-attempts.js';
import { FloodGuard } from './application/flood-guard.js';
import { FollowSuspensions } from './application/follow-suspensions.js';
import { ForgetEvents } from './application/forget-events.js';
import { MailQuestions } from './application/mail-questions.js';
import { ReadEvents } from './application/read-events.js';
import { Redeliver } from './application/redeliver.js';
import { RotateSecret } from './application/rotate-secret.js';
import { SendDigests } from './application/send-digests.js';
import { TryChannel } from './application/try-channel.js';
import { Unsubscribe } from './application/unsubscribe.js';
import { Withdraw } from './application/withdraw.js';
import { ChannelSenders } from './domain/channel-sender.js';
import { Consents } from './domain/consent.js';
import { Deliveries } from './domain/delivery.js';
import { DeliveryPages } from './domain/delivery-pages.js';
import { EventFeed } from './domain/event-feed.js';
import { MailDigests } from './domain/mail-digests.js';
import { MailHours } from './domain/mail-hour.js';
import { MailLinks } from './domain/mail-links.js';
import { MailSuppressions } from './domain/mail-suppressions.js';
import { NotificationChannels } from './domain/notification-channel.js';
import { NotificationEvents } from './domain/notification-event.js';
import { SecretKeeper } from './domain/signing-secret.js';
import { SuspendedDeliveries } from './domain/suspended-deliveries.js';
import { StreamPlaces } from './domain/stream-places.js';
import { ChannelController } from './http/channel.controller.js';
import { ConfirmController } from './http/confirm.controller.js';
import { DeliveriesController } from './http/deliveries.controller.js';
import { EventStreamController } from './http/event-stream.controller.js';
import { EventStreams } from './http/event-streams.js';
import { EventsController } from './http/events.controller.js';
import { NotificationsController } from './http/notifications.controller.js';
import { SecretsController } from './http/secrets.controller.js';
import { UnsubscribeController } from './http/unsubscribe.controller.js';
import { EmailSender } from './infrastructure/email-sender.js';
import { MailRelay } from './infrastructure/mail-relay.js';
import { MikroConsents } from './infrastructure/mikro-consents.js';
import { MikroDeliveries } from './infrastructure/mikro-deliveries.js';
import { MikroNotificationChannels } from './infrastructure/mikro-notification-channels.js';
import { MikroNotificationEvents } from './infrastructure/mikro-notification-events.js';
import { EventOrder } from './infrastructure/event-order.js';
import { OwnListener } from './infrastructure/own-listener.js';
import { PostgresMailSuppressions } from './infrastructure/postgres-mail-suppressions.js';
import { SealedMailLinks } from './infrastructure/sealed-mail-links.js';
import { SealedSecrets } from './infrastructure/sealed-secrets.js';
import { SqlDeliveryPages } from './infrastructure/sql-delivery-pages.js';
import { SqlSuspendedDeliveries } from './infrastructure/sql-suspended-deliveries.js';
import { SqlStreamPlaces } from './infrastructure/sql-stream-places.js';
import { SqlEventFeed } from './infrastructure/sql-event-feed.js';
import { SqlMailDigests } from './infrastructure/sql-mail-digests.js';
import { SqlMailHours } from './infrastructure/sql-mail-hours.js';
import { WebhookGuard } from './infrastructure/webhook-guard.js';
import { WebhookSender } from './infrastructure/webhook-sender.js';
import { Courier } from './jobs/courier.js';
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
      controllers: serves(role, 'api') ? CONTROLLERS : [],
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
        ...(serves(role, 'scheduler') ? [RetentionTick, SuspensionTick] : []),
        ...(serves(role, 'worker') ? [MailTick] : []),
        ...(sending && serves(role, 'scheduler') ? [DeliveryTick] : []),
        ...(sending && serves(role, 'worker') ? [DeliveryProcessor, Courier] : []),
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

import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { TransactionOrder } from '../platform/database/transaction-order.js';
import { ActivateChannel, ActivateWaitingChannels } from './channel-settings/activate-channel.js';
import { ChannelReader } from './channels/channel-reader.repository.js';
import { ChannelSecrets } from './channels/channel-secrets.js';
import { NotificationChannelRepository } from './channels/notification-channels.repository.js';
import { WebhookSender } from './channels/webhook-sender.js';
import { AttemptRepository } from './deliveries/attempts.repository.js';
import { ChannelLeaseRepository } from './deliveries/channel-leases.repository.js';
import { DeliveryRepository } from './deliveries/deliveries.repository.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import { DeliveryMetrics } from './deliveries/delivery-metrics.js';
import { FinishAttempts } from './deliveries/finish-attempts.js';
import { LeaseChannels } from './deliveries/lease-channels.js';
import { ServeChannel } from './deliveries/serve-channel.js';
import { ChannelSenderRegistry } from './domain/channel-sender.js';
import { EmailSender } from './email/email-sender.js';
import { MailLinks } from './email/mail-links.js';
import { MailSuppressionRepository } from './email/mail-suppressions.repository.js';
import { SmtpMailer } from './email/smtp-mailer.js';
import { NotificationEventRepository } from './events/notification-events.repository.js';
import { PublishEvents } from './events/publish-events.js';
import { PurgeEvents } from './events/purge-events.js';
import { GuardedHttpModule } from './guarded-http.module.js';
import { OwnMailContents } from './own-mail/own-mail-contents.js';
import { SendOwnMails } from './own-mail/send-own-mails.js';
import { SendSummaries } from './summaries/send-summaries.js';
import { SummaryRepository } from './summaries/summaries.repository.js';

const CHANNELS = [
  ActivateChannel,
  ActivateWaitingChannels,
  ChannelReader,
  ChannelSecrets,
  ChannelSenderRegistry,
  NotificationChannelRepository,
  WebhookSender,
];
const MAIL = [EmailSender, MailLinks, MailSuppressionRepository, OwnMailContents, SendOwnMails, SmtpMailer];
const EVENTS = [
  NotificationEventRepository,
  PublishEvents,
  PurgeEvents,
  SendSummaries,
  SummaryRepository,
  TransactionOrder,
];
const DELIVERIES = [
  AttemptRepository,
  ChannelLeaseRepository,
  DeliveriesService,
  DeliveryLog,
  DeliveryMetrics,
  DeliveryRepository,
  FinishAttempts,
  LeaseChannels,
  ServeChannel,
];
const PARTS = [...CHANNELS, ...MAIL, ...EVENTS, ...DELIVERIES];

/** The services and repositories that processes of every role have. */
@Module({ imports: [AuthModule, GuardedHttpModule], providers: PARTS, exports: PARTS })
export class NotificationsCoreModule {}

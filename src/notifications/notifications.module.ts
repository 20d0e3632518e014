import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import { DeliveryConfig, MailConfig } from '../config/sections.js';
import { type ProcessRole, includesRole } from '../config/process-role.js';
import { DashboardLinks } from '../kernel/dashboard-links.js';
import { TimeUnits } from '../kernel/time-units.js';
import { EventBus } from '../kernel/unit-of-work.js';
import { RepairAfterPutBack } from '../platform/database/put-back-repair.js';
import { findMailLinkProblem } from '../platform/outbound/smtp-relay.js';
import { ChatSender } from './channels/chat-sender.js';
import { ChannelsModule } from './channels/channels.module.js';
import { GuardedHttp } from './channels/guarded-http.js';
import { WebhookSender } from './channels/webhook-sender.js';
import { ActivationModule, ActivationTasksModule } from './channel-settings/activation.module.js';
import { DeliveriesModule, DeliveryWakeUpModule, DeliveryWorkerModule } from './deliveries/deliveries.module.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { DeliveryLog } from './deliveries/delivery-log.js';
import {
  CHANNEL_TYPE,
  type ChannelSender,
  ChannelSenderRegistry,
  EXTENSION_CHANNEL_SENDERS,
} from './domain/channel-sender.js';
import { EmailModule } from './email/email.module.js';
import { EmailSender } from './email/email-sender.js';
import { EventsModule, EventTasksModule } from './events/events.module.js';
import { PublishEvents } from './events/publish-events.js';
import { GuardedHttpModule } from './guarded-http.module.js';
import { OwnMailModule, OwnMailTasksModule } from './own-mail/own-mail.module.js';
import { NOTIFICATION_REPAIRS } from './put-back.sql.js';
import { SummariesModule, SummaryTasksModule } from './summaries/summaries.module.js';

/** Imports the modules that a process needs for its role. The API has its own NotificationsApiModule. */
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
  ) {}

  /** @param sending false leaves out the modules that wake workers and send deliveries */
  static register(role: ProcessRole, sending: boolean): DynamicModule {
    const [schedules, works] = [includesRole(role, 'scheduler'), includesRole(role, 'worker')];
    return {
      module: NotificationsModule,
      imports: [
        GuardedHttpModule,
        ChannelsModule,
        EmailModule,
        EventsModule,
        DeliveriesModule,
        ActivationModule,
        OwnMailModule,
        SummariesModule,
        ...(schedules ? [EventTasksModule, SummaryTasksModule] : []),
        ...(works ? [OwnMailTasksModule, ActivationTasksModule] : []),
        ...(sending && schedules ? [DeliveryWakeUpModule.register(role)] : []),
        ...(sending && works ? [DeliveryWorkerModule] : []),
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

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { MailConfig } from '../../config/sections.js';
import { TimeUnits } from '../../kernel/time-units.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import { type Bundle, ChannelSender, type Message } from '../domain/channel-sender.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { parseEmailTarget } from '../domain/mailbox.js';
import { MailLinks } from './mail-links.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import type { Target } from '../domain/target.js';
import { type EmailLinks, renderBundleEmail, renderEventEmail } from './emails.js';
import { type EmailMessage, SmtpMailer } from './smtp-mailer.js';

/** Sends mail. Without a relay, deliveries fail as `mail_not_configured`, and can be replayed later. */
@Injectable()
export class EmailSender extends ChannelSender {
  readonly type = 'email';
  readonly secret = 'none';
  readonly example = { target: 'you@example.test', about: 'Mail to an address' };
  override readonly receivers = 'people';
  readonly schedule: RetrySchedule;
  private readonly dashboard: DashboardLinks | null;

  constructor(
    private readonly config: MailConfig,
    units: TimeUnits,
    private readonly mailer: SmtpMailer,
    private readonly links: MailLinks,
  ) {
    super();
    this.schedule = RetrySchedule.forMail(units);
    this.dashboard = DashboardLinks.at(config);
  }

  /** Whether an address must confirm before it gets notifications. */
  get requiresConfirmation(): boolean {
    return this.config.mailConfirmation;
  }

  get isReady(): boolean {
    return this.mailer.isConfigured;
  }

  parseTarget(text: string): Target {
    return parseEmailTarget(text);
  }

  /** The Message-ID is made from event and channel, so that mail systems recognize a repeated mail. */
  send(message: Message): Promise<AttemptOutcome> {
    const { event, attempt, sentAt } = message;
    const date = attempt === 1 ? event.createdAt : sentAt;
    return this.mail(message, (links) => renderEventEmail(message, links), event.id, date);
  }

  override sendBundle(bundle: Bundle): Promise<AttemptOutcome> {
    return this.mail(bundle, (links) => renderBundleEmail(bundle, links), `news.${bundleId(bundle)}`, bundle.sentAt);
  }

  private mail(
    { channel, timeoutMs }: Pick<Message, 'channel' | 'timeoutMs'>,
    render: (links: EmailLinks) => EmailMessage,
    contentId: string,
    date: Date,
  ): Promise<AttemptOutcome> {
    const unsubscribe = this.links.unsubscribeUrl(channel);
    const content = render({ dashboard: this.dashboard, unsubscribe });
    const id = `${contentId}.${channel.id}`;
    return this.mailer.send({ ...content, to: channel.target, id, unsubscribe, timeoutMs, date });
  }
}

function bundleId({ events, total }: Bundle): string {
  const ids = events.map(({ id }) => id).toSorted();
  return createHash('sha256').update(`${total} ${ids.join()}`).digest('hex').slice(0, 32);
}

/** Whether the sender sends mail, but no mail relay is configured. */
export function lacksRelay(sender: ChannelSender | undefined): boolean {
  return sender instanceof EmailSender && !sender.isReady;
}

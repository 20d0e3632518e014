import { Injectable } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import type { AttemptOutcome } from '../../domain/deliveries/attempt.js';
import type { Message } from '../../domain/channels/channel-sender.js';
import { emailTarget } from '../../domain/email/email-target.js';
import { MailLinks } from '../../application/ports/mail-links.js';
import { type Digest, MailSender, type Question } from '../../domain/email/mail-sender.js';
import { RetrySchedule } from '../../domain/deliveries/retry-schedule.js';
import type { Target } from '../../domain/channels/target.js';
import { digestMessage } from './digest-email.js';
import { emailMessage } from './event-email.js';
import { MailRelay } from './smtp-mailer.js';
import { questionMessage } from './confirmation-email.js';

/** Mail by way of the operator's relay. Without one, deliveries say so, and may be replayed once there is one. */
@Injectable()
export class EmailSender extends MailSender {
  readonly type = 'email';
  readonly signs = false;
  readonly messagesAnHour = 20;
  readonly messagesAnHourOfAccount = 200;
  override readonly asksFirst: boolean;
  readonly schedule: RetrySchedule;
  private readonly publicUrl: string | null;

  constructor(
    { publicUrl, timeScale, mail }: Config,
    private readonly relay: MailRelay,
    private readonly links: MailLinks,
  ) {
    super();
    this.schedule = RetrySchedule.forMail(timeScale);
    this.publicUrl = publicUrl;
    this.asksFirst = mail.confirmation;
  }

  override get isReady(): boolean {
    return this.relay.isConfigured;
  }

  targetOf(text: string): Target {
    return emailTarget(text);
  }

  /** Its Message-ID is that of the event and the channel: a repeat after a lost reply is the same to mail systems. */
  send(message: Message): Promise<AttemptOutcome> {
    const { event, channel, attempt, sentAt, deadline } = message;
    const unsubscribe = this.links.toUnsubscribe(channel);
    return this.relay.send({
      ...emailMessage(message, { publicUrl: this.publicUrl, unsubscribe }),
      ...{ to: channel.target, id: `${event.id}.${channel.id}`, unsubscribe, deadline },
      date: attempt === 1 ? event.createdAt : sentAt,
    });
  }

  sendDigest(digest: Digest): Promise<AttemptOutcome> {
    const { id, channel, sentAt, deadline } = digest;
    const unsubscribe = this.links.toUnsubscribe(channel);
    return this.relay.send({
      ...digestMessage(digest, unsubscribe),
      ...{ to: channel.target, id: `digest.${id}.${channel.id}`, unsubscribe, deadline, date: sentAt },
    });
  }

  ask(question: Question): Promise<AttemptOutcome> {
    const { id, channel, sentAt, deadline } = question;
    const [confirm, unsubscribe] = [this.links.toConfirm(id), this.links.toUnsubscribe(channel)];
    return this.relay.send({
      ...questionMessage(question, { confirm, unsubscribe }),
      ...{ to: channel.target, id: `question.${id}`, unsubscribe, deadline, date: sentAt },
    });
  }
}

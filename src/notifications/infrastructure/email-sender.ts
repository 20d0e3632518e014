import { Injectable } from '@nestjs/common';
import { Config } from '../../config.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import { ChannelSender, type Message } from '../domain/channel-sender.js';
import { emailTarget } from '../domain/email-target.js';
import { MailLinks } from '../domain/mail-links.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import type { Target } from '../domain/target.js';
import { emailMessage } from './email-message.js';
import { MailRelay } from './mail-relay.js';

/** Mail by way of the operator's relay. Without one, deliveries say so, and may be replayed once there is one. */
@Injectable()
export class EmailSender extends ChannelSender {
  readonly type = 'email';
  readonly signs = false;
  readonly schedule: RetrySchedule;
  private readonly publicUrl: string | null;

  constructor(
    { publicUrl, timeScale }: Config,
    private readonly relay: MailRelay,
    private readonly links: MailLinks,
  ) {
    super();
    this.schedule = RetrySchedule.forMail(timeScale);
    this.publicUrl = publicUrl;
  }

  targetOf(text: string): Target {
    return emailTarget(text);
  }

  send(message: Message): Promise<AttemptOutcome> {
    const { event, channel, attempt, sentAt, deadline } = message;
    const unsubscribe = this.links.toUnsubscribe(channel.id);
    return this.relay.send({
      ...emailMessage(message, { publicUrl: this.publicUrl, unsubscribe }),
      to: channel.target,
      id: `${event.id}.${channel.id}`,
      date: attempt === 1 ? event.createdAt : sentAt,
      unsubscribe,
      deadline,
    });
  }
}

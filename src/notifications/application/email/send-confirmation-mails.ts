import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../config/config.js';
import { Clock } from '../../../kernel/clock.js';
import { UnitOfWork } from '../../../kernel/unit-of-work.js';
import { ChannelSenders } from '../../domain/channels/channel-sender.js';
import { type Consent, Consents } from '../../domain/email/address-confirmation.js';
import type { Claim } from '../../domain/deliveries/delivery.js';
import { MailSender, type Question } from '../../domain/email/mail-sender.js';
import { NotificationChannels } from '../../domain/channels/notification-channel.js';
import { timeLeft } from '../deliveries/remaining-lease.js';

/** At a time; a relay takes a handful of connections. */
const BATCH = 5;

/**
 * Mails the questions that addresses are to be asked. A crash in the middle repeats one under the same Message-ID; one
 * that fails is tried again by the schedule of mail.
 */
@Injectable()
export class MailQuestions {
  private readonly log = new Logger(MailQuestions.name);
  private readonly leaseSeconds: number;
  private readonly sending: boolean;

  constructor(
    private readonly consents: Consents,
    private readonly channels: NotificationChannels,
    private readonly senders: ChannelSenders,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    { leaseSeconds, sending }: Config,
  ) {
    this.leaseSeconds = leaseSeconds;
    this.sending = sending;
  }

  /**
   * All that are due; none while sending is off. Any number of processes may do this at once: each question is mailed by one of them. What fails
   * unexpectedly is repeated after its lease.
   * @param ending when no more of them should be begun
   */
  async run(ending?: AbortSignal): Promise<void> {
    while (this.sending && !ending?.aborted) {
      const leasedAt = performance.now();
      const claims = await this.consents.claimDue(this.clock.now(), BATCH);
      const ends = await Promise.allSettled(claims.map((claim) => this.mail(claim, leasedAt)));
      for (const end of ends)
        if (end.status === 'rejected') this.log.error({ err: end.reason as Error }, 'a question failed unexpectedly');
      if (claims.length < BATCH) return;
    }
  }

  private async mail(claim: Claim, leasedAt: number): Promise<void> {
    const asking = await this.work.run(() => this.begin(claim));
    if (!asking) return;
    const { sender } = asking;
    const question = { ...asking.question, deadline: timeLeft(this.leaseSeconds, leasedAt) };
    const outcome = await sender.ask(question);
    await this.work.run(async () => {
      (await this.consents.heldBy(claim))?.settle(outcome, sender.schedule, this.clock.now());
    });
    this.log.log({ channel: question.channel.id, outcome: outcome.outcome }, 'asked an address for its consent');
  }

  private async begin(claim: Claim): Promise<{ sender: MailSender; question: Omit<Question, 'deadline'> } | null> {
    const consent = await this.consents.heldBy(claim);
    if (!consent) return null;
    const [channel] = await this.channels.all([consent.channelId]);
    const sender = channel && this.senders.find(channel.type);
    const now = this.clock.now();
    const isWanted = channel?.reason === 'unconfirmed' && consent.isOpen(now);
    if (isWanted && sender instanceof MailSender)
      return { sender, question: this.questionOf(consent, channel.canonicalTarget, now) };
    consent.drop();
    return null;
  }

  private questionOf(consent: Consent, target: string, sentAt: Date): Omit<Question, 'deadline'> {
    const { id, channelId, accountId, expiresAt } = consent;
    return { id, channel: { id: channelId, accountId, target }, expiresAt, sentAt };
  }
}

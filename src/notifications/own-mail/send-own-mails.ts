import { Injectable, Logger } from '@nestjs/common';
import { DeliveryConfig, MailConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { DataKeyWatch } from '../../platform/crypto/data-key-watch.js';
import { type MailClaim, type MailKind, MailOutbox, type WaitingMail } from '../../platform/outbound/mail-outbox.js';
import { remainingLeaseMs } from '../deliveries/send-message.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import { mailboxKey } from '../domain/mailbox.js';
import { linkEnd, muchLater, retryAt, whenAllowed } from '../domain/own-mail.js';
import { RetrySchedule } from '../domain/retry-schedule.js';
import { SmtpMailer } from '../email/smtp-mailer.js';
import { type OwnMailContent, OwnMailContents } from './own-mail-contents.js';

/** The most mails to send at a time, because mail relays limit connections. */
const CONCURRENCY = 5;

interface Prepared {
  readonly mail: WaitingMail;
  readonly content: OwnMailContent;
}

/** Sends confirmation and invitation mails. After a crash, a mail may go out twice with the same Message-ID. */
@Injectable()
export class SendOwnMails {
  private readonly log = new Logger(SendOwnMails.name);
  private readonly schedule: RetrySchedule;
  /** Includes invitations only if there is a dashboard, where people accept them. */
  private readonly kinds: readonly MailKind[];

  constructor(
    private readonly outbox: MailOutbox,
    private readonly contents: OwnMailContents,
    private readonly mailer: SmtpMailer,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
    private readonly config: DeliveryConfig,
    private readonly dataKey: DataKeyWatch,
    mail: MailConfig,
  ) {
    this.schedule = RetrySchedule.forMail(units);
    this.kinds = DashboardLinks.at(mail) ? ['confirmation', 'invitation'] : ['confirmation'];
  }

  /** Does nothing while sending is off, or without a mail relay or the data key. Several processes may run at once. */
  async run(stopSignal?: AbortSignal): Promise<void> {
    if (this.config.sending && this.mailer.isConfigured) await this.sendDue(CONCURRENCY, stopSignal);
  }

  /** Deletes mails that are too old to count towards a limit. */
  async purge(): Promise<void> {
    await this.outbox.purge(after(this.clock.now(), -2 * this.units.day));
  }

  /** Sends due mails. After each mail, the next due mail starts, so a slow mail does not delay other mails. */
  private async sendDue(limit: number, stopSignal: AbortSignal | undefined): Promise<void> {
    if (stopSignal?.aborted || this.dataKey.isLost) return;
    const leasedAt = performance.now();
    const claims = await this.outbox.claimDue(this.kinds, this.clock.now(), limit);
    const report = (error: unknown) => this.log.error({ err: error as Error }, 'a mail failed unexpectedly');
    const sendOne = async (claim: MailClaim) => {
      // After an error, the mail is sent again when its time-limited lock (lease) ends.
      await this.send(claim, leasedAt).catch(report);
      await this.sendDue(1, stopSignal).catch(report);
    };
    await Promise.all(claims.map(sendOne));
  }

  private async send(claim: MailClaim, leasedAt: number): Promise<void> {
    const prepared = await this.work.run(() => this.prepare(claim));
    if (!prepared) return;
    const { mail, content } = prepared;
    const timeoutMs = remainingLeaseMs(this.config.leaseSeconds, leasedAt);
    const outcome = await this.mailer.send({ ...content, date: this.clock.now(), timeoutMs });
    await this.work.run(() => this.finish(claim, mail, outcome));
    this.log.log({ kind: mail.kind, subject: mail.subjectId, outcome: outcome.outcome }, 'mail attempted');
  }

  /** @returns null if nothing is sent now */
  private async prepare(claim: MailClaim): Promise<Prepared | null> {
    const now = this.clock.now();
    const mail = await this.outbox.lockClaimed(claim, now);
    if (!mail) return null;
    const content = await this.contents.write(mail);
    if (content === 'not now') await this.outbox.postpone(claim, muchLater(now, this.units), mail);
    else if (content === null) await this.outbox.finish(claim, 'failed');
    else if (await this.takePlace(claim, mail, content)) return { mail, content };
    return null;
  }

  /**
   * Applies the limits per account and mailbox.
   * @returns whether the mail may go now
   */
  private async takePlace(claim: MailClaim, mail: WaitingMail, { to }: OwnMailContent): Promise<boolean> {
    const now = this.clock.now();
    const dayAgo = after(now, -this.units.day);
    // A retry within a day is not counted again.
    if (mail.countedAt !== null && mail.countedAt > dayAgo) return true;
    const mailbox = mailboxKey(to);
    const at = whenAllowed(mail, await this.outbox.lockCounted(mail, mailbox, dayAgo), now, this.units);
    if (at === null) await this.outbox.finish(claim, 'failed');
    else if (at > now) await this.outbox.postpone(claim, at, { ...mail, expiresAt: linkEnd(mail, at, this.units) });
    else await this.outbox.count(claim, mailbox, now);
    return at !== null && at <= now;
  }

  private async finish(claim: MailClaim, mail: WaitingMail, outcome: AttemptOutcome): Promise<void> {
    if (outcome.outcome === 'ok') return this.outbox.finish(claim, 'sent');
    const failures = mail.failures + 1;
    const at = retryAt(outcome, this.schedule, failures, this.clock.now(), this.units);
    await (at === null ? this.outbox.finish(claim, 'failed') : this.outbox.postpone(claim, at, { ...mail, failures }));
  }
}

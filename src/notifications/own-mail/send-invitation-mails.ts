import { Injectable, Logger } from '@nestjs/common';
import { type DueInvitation, InvitationMailRepository, type MailAttempt } from '../../auth/index.js';
import { DeliveryConfig, MailConfig } from '../../config/sections.js';
import { after, Clock } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { remainingLeaseMs } from '../deliveries/send-message.js';
import type { AttemptOutcome } from '../domain/attempt.js';
import { mailboxKey } from '../domain/address-confirmation.js';
import type { Claim } from '../domain/claim.js';
import { parseEmailTarget } from '../domain/email-target.js';
import { nextAttemptAt, RetrySchedule } from '../domain/retry-schedule.js';
import { TargetInvalid } from '../domain/target.js';
import { renderInvitationEmail } from '../email/emails.js';
import { AddressConfirmationRepository } from '../email/address-confirmations.repository.js';
import { MailLinks } from '../email/mail-links.js';
import { type EmailMessage, SmtpMailer } from '../email/smtp-mailer.js';
import { type MailCount, MailCountRepository } from './mail-counts.repository.js';
import { sendDueMessages } from './send-due-messages.js';

/** Mail relays limit connections. */
const CONCURRENCY = 5;
/** Limits them per day, since whoever administers an account chooses where they go, and accounts may act together. */
const DAILY = { ofAccount: 50, ofAccountToMailbox: 2, toMailbox: 6 };
/** Separates attempts after the mail schedule is over: what fails by this service is tried until the invitation ends. */
const LATER_HOURS = 6;

interface Prepared {
  readonly invitation: DueInvitation;
  readonly mail: EmailMessage & { readonly to: string; readonly unsubscribe: string | null };
}

/**
 * Mails the links of invitations. A crash repeats one under the same Message-ID; a failure is retried by the mail schedule.
 * What is above a limit waits until the day is over; with a repeat it counts once.
 */
@Injectable()
export class SendInvitationMails {
  private readonly log = new Logger(SendInvitationMails.name);
  private readonly schedule: RetrySchedule;
  private readonly hasLinks: boolean;

  constructor(
    private readonly mails: InvitationMailRepository,
    private readonly mailer: SmtpMailer,
    private readonly links: MailLinks,
    private readonly confirmations: AddressConfirmationRepository,
    private readonly counts: MailCountRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
    private readonly config: DeliveryConfig,
    mail: MailConfig,
  ) {
    this.schedule = RetrySchedule.forMail(units);
    this.hasLinks = DashboardLinks.at(mail) !== null;
  }

  /** Does nothing while sending is off. Safe to run in several processes at once. */
  async run(stopSignal?: AbortSignal): Promise<void> {
    if (!this.config.sending || !this.mailer.isConfigured || !this.hasLinks) return;
    await sendDueMessages({
      concurrency: CONCURRENCY,
      claimDue: (limit) => this.mails.claimDue(this.clock.now(), limit),
      send: (claim, leasedAt) => this.send(claim, leasedAt),
      log: this.log,
      stopSignal,
    });
  }

  private async send(claim: Claim, leasedAt: number): Promise<void> {
    const prepared = await this.work.run(() => this.prepare(claim));
    if (!prepared) return;
    const { invitation, mail } = prepared;
    const outcome = await this.mailer.send({
      ...mail,
      id: `invitation.${invitation.id}`,
      date: this.clock.now(),
      timeoutMs: remainingLeaseMs(this.config.leaseSeconds, leasedAt),
    });
    await this.work.run(() => this.mails.finish(claim, this.toAttempt(outcome, invitation.failures + 1)));
    this.log.log({ invitation: invitation.id, outcome: outcome.outcome }, 'invitation mail attempted');
  }

  private async prepare(claim: Claim): Promise<Prepared | null> {
    const now = this.clock.now();
    const invitation = await this.mails.lockClaimed(claim, now);
    if (!invitation) return null;
    const { id, accountId, email, failures, linkToken } = invitation;
    const to = toMailbox(email);
    if (to === null || (await this.confirmations.isSuppressed({ accountId, mailbox: mailboxKey(to) }))) {
      await this.mails.finish(claim, { mail: 'failed' });
      return null;
    }
    if (linkToken === null) {
      this.log.warn({ invitation: id }, 'the link of an invitation was made with another key: it waits');
      await this.mails.finish(claim, { mail: 'waiting', dueAt: this.later(now), failures });
      return null;
    }
    const dueAt = await this.takePlaces(claim, invitation, to);
    if (dueAt !== null) {
      await this.mails.finish(claim, { mail: 'waiting', dueAt, failures });
      return null;
    }
    const [accept, unsubscribe] = [
      this.links.invitationUrl(linkToken),
      this.links.unsubscribeUrl({ id, accountId, target: to }),
    ];
    const content = renderInvitationEmail(invitation, { accept, unsubscribe });
    return { invitation, mail: { ...content, to, unsubscribe } };
  }

  /** Counts it in the windows of the limits, unless it is. @returns when to try again; null: it may go now */
  private async takePlaces(claim: Claim, { accountId, countedUntil }: DueInvitation, to: string): Promise<Date | null> {
    const now = this.clock.now();
    if (countedUntil !== null && countedUntil > now) return null;
    const mailbox = mailboxKey(to);
    const limits = [
      [`invitations of ${accountId}`, DAILY.ofAccount],
      [`invitations of ${accountId} to ${mailbox}`, DAILY.ofAccountToMailbox],
      [`invitations to ${mailbox}`, DAILY.toMailbox],
    ] as const; // in this order everywhere, as they are locked
    const counts: MailCount[] = [];
    for (const [key, most] of limits) {
      const count = await this.counts.lock(key, now, this.units.day);
      if (count.mails >= most) return count.endsAt;
      counts.push(count);
    }
    for (const count of counts) await this.counts.add(count);
    await this.mails.noteCounted(claim, new Date(Math.min(...counts.map(({ endsAt }) => endsAt.getTime()))));
    return null;
  }

  private toAttempt(outcome: AttemptOutcome, failures: number): MailAttempt {
    if (outcome.outcome === 'ok') return { mail: 'sent' };
    const now = this.clock.now();
    const dueAt = nextAttemptAt(outcome, this.schedule, failures, now);
    if (dueAt === null && outcome.fault !== 'service') return { mail: 'failed' };
    return { mail: 'waiting', dueAt: dueAt ?? this.later(now), failures };
  }

  private later(now: Date): Date {
    return after(now, LATER_HOURS * this.units.hour);
  }
}

/** null for an address to which no mail goes, such as one without a domain of two labels. */
function toMailbox(email: string): string | null {
  try {
    return parseEmailTarget(email).canonical;
  } catch (error) {
    if (error instanceof TargetInvalid) return null;
    throw error;
  }
}

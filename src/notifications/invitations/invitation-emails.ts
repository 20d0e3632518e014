import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InvitationMail, type MadeInvitation } from '../../auth/index.js';
import { DeliveryConfig, MailConfig } from '../../config/sections.js';
import { Clock, SECOND } from '../../kernel/clock.js';
import { DashboardLinks } from '../../kernel/dashboard-links.js';
import { TimeUnits } from '../../kernel/time-units.js';
import { UnitOfWork } from '../../kernel/unit-of-work.js';
import { QuotaWindowRepository } from '../deliveries/quota-windows.repository.js';
import { mailboxKey } from '../domain/address-confirmation.js';
import { parseEmailTarget } from '../domain/email-target.js';
import { type QuotaWindow, refuse, take } from '../domain/message-quota.js';
import { TargetInvalid } from '../domain/target.js';
import { renderInvitationEmail } from '../email/emails.js';
import { SmtpMailer } from '../email/smtp-mailer.js';

/** Whoever administers an account chooses where they go: limits them per day, for an account and for a mailbox. */
const DAILY_OF_ACCOUNT = { messages: 50, perName: Infinity };
const DAILY_OF_MAILBOX = { messages: 3, perName: Infinity };
const COUNTED = { urgent: false, entryId: null };
/** A request waits for it. */
const TIMEOUT_MS = 10 * SECOND;

/** Mails the links of invitations: once, since whoever invites has the link too, and hears whether it was mailed. */
@Injectable()
export class InvitationEmails implements OnModuleInit {
  private readonly dashboard: DashboardLinks | null;

  constructor(
    private readonly invitations: InvitationMail,
    private readonly mailer: SmtpMailer,
    private readonly windows: QuotaWindowRepository,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly units: TimeUnits,
    private readonly config: DeliveryConfig,
    mail: MailConfig,
  ) {
    this.dashboard = DashboardLinks.at(mail);
  }

  onModuleInit(): void {
    this.invitations.register((made) => this.send(made));
  }

  private async send({ invitation, token }: MadeInvitation): Promise<boolean> {
    const to = toMailbox(invitation.email);
    if (to === null || this.dashboard === null || !this.mailer.isConfigured || !this.config.sending) return false;
    if (!(await this.takePlace(invitation.accountId, to))) return false;
    const { outcome } = await this.mailer.send({
      ...renderInvitationEmail(invitation, this.dashboard.toInvitation(token)),
      to,
      id: `invitation.${invitation.id}`,
      date: invitation.createdAt,
      unsubscribe: null,
      timeoutMs: TIMEOUT_MS,
    });
    return outcome === 'ok';
  }

  private takePlace(accountId: string, mailbox: string): Promise<boolean> {
    return this.work.run(async () => {
      const ofAccount = await this.lock(`invitations of ${accountId}`);
      const ofMailbox = await this.lock(`invitations to ${mailboxKey(mailbox)}`);
      if (refuse(ofAccount.used, COUNTED, DAILY_OF_ACCOUNT) || refuse(ofMailbox.used, COUNTED, DAILY_OF_MAILBOX))
        return false;
      for (const window of [ofAccount, ofMailbox])
        await this.windows.save({ ...window, used: take(window.used, COUNTED) });
      return true;
    });
  }

  private lock(key: string): Promise<QuotaWindow> {
    return this.windows.lock(key, this.clock.now(), this.units.day);
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

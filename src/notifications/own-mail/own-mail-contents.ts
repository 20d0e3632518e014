import { Injectable, Logger } from '@nestjs/common';
import { Members } from '../../auth/index.js';
import type { WaitingMail } from '../../platform/outbound/mail-outbox.js';
import { NotificationChannelRepository } from '../channels/notification-channels.repository.js';
import { ChannelSenderRegistry } from '../domain/channel-sender.js';
import { mailboxKey, parseEmailTarget } from '../domain/mailbox.js';
import { TargetInvalid } from '../domain/target.js';
import { EmailSender } from '../email/email-sender.js';
import { renderConfirmationEmail, renderInvitationEmail } from '../email/emails.js';
import { MailLinks } from '../email/mail-links.js';
import { MailSuppressionRepository } from '../email/mail-suppressions.repository.js';
import type { OutgoingMail } from '../email/smtp-mailer.js';

export type OwnMailContent = Omit<OutgoingMail, 'date' | 'timeoutMs'>;

/** Writes mails that ask to confirm a channel, and invitations. Must run inside a unit of work. */
@Injectable()
export class OwnMailContents {
  private readonly log = new Logger(OwnMailContents.name);

  constructor(
    private readonly channels: NotificationChannelRepository,
    private readonly senders: ChannelSenderRegistry,
    private readonly members: Members,
    private readonly links: MailLinks,
    private readonly suppressions: MailSuppressionRepository,
  ) {}

  /** @returns `not now` if this process lacks the key for the link, null if the mail must not or need not be sent */
  write(mail: WaitingMail): Promise<OwnMailContent | 'not now' | null> {
    return mail.kind === 'confirmation' ? this.writeConfirmation(mail) : this.writeInvitation(mail);
  }

  private async writeConfirmation({ id, subjectId, expiresAt }: WaitingMail): Promise<OwnMailContent | null> {
    const [channel] = await this.channels.findByIds([subjectId]);
    if (channel?.reason !== 'unconfirmed' || !(this.senders.find(channel.type) instanceof EmailSender)) return null;
    const target = { id: channel.id, accountId: channel.accountId, target: channel.canonicalTarget };
    const unsubscribe = this.links.unsubscribeUrl(target);
    const links = { agree: this.links.confirmationUrl(id), unsubscribe };
    const content = renderConfirmationEmail({ channel: target, expiresAt }, links);
    return { ...content, to: target.target, id: `question.${id}`, unsubscribe };
  }

  private async writeInvitation({ id, accountId, subjectId }: WaitingMail): Promise<OwnMailContent | 'not now' | null> {
    const invitation = await this.members.findInvitationToMail(subjectId);
    if (!invitation) return null;
    const to = toMailbox(invitation.email);
    if (to === null || (await this.suppressions.has({ accountId, mailbox: mailboxKey(to) }))) return null;
    if (invitation.token === null) {
      this.log.warn({ invitation: subjectId }, 'the link of an invitation was made with another key: it waits');
      return 'not now';
    }
    const unsubscribe = this.links.unsubscribeUrl({ id: subjectId, accountId, target: to });
    const links = { agree: this.links.invitationUrl(invitation.token), unsubscribe };
    return { ...renderInvitationEmail(invitation, links), to, id: `invitation.${id}`, unsubscribe };
  }
}

/** Returns null for an address to which no mail can go, such as `root@localhost`. */
function toMailbox(email: string): string | null {
  try {
    return parseEmailTarget(email).canonical;
  } catch (error) {
    if (error instanceof TargetInvalid) return null;
    throw error;
  }
}

import { Module } from '@nestjs/common';
import { EmailSender } from './email-sender.js';
import { MailLinks } from './mail-links.js';
import { MailSuppressionRepository } from './mail-suppressions.repository.js';
import { SmtpMailer } from './smtp-mailer.js';

const PARTS = [EmailSender, MailLinks, MailSuppressionRepository, SmtpMailer];

/** Sends mail through the relay of SMTP_URL, and stores which mailboxes have unsubscribed. */
@Module({ providers: PARTS, exports: PARTS })
export class EmailModule {}

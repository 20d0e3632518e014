import { TimeUnits } from '../../../src/kernel/time-units.js';
import type { HttpAdapterHost } from '@nestjs/core';
import { readConfig } from '../../../src/config/config.js';
import { EmailSender } from '../../../src/notifications/email/email-sender.js';
import { SmtpMailer } from '../../../src/notifications/email/smtp-mailer.js';
import { MailLinks } from '../../../src/notifications/email/mail-links.js';
import { SecretBox } from '../../../src/platform/crypto/secret-box.js';

const nowhere = { httpAdapter: { getHttpServer: () => ({ address: () => ({ port: 3000 }) }) } };

/** A sender by itself, with the relay and the links it needs. Without SMTP_URL it has no relay. */
export function anEmailSender(env: Readonly<Record<string, string>>) {
  const config = readConfig({ MAIL_FROM: 'Domain Desk <alerts@namewatch.example>', ...env });
  const relay = new SmtpMailer(config);
  const box = new SecretBox(SecretBox.generateKey());
  const links = new MailLinks(config, box, nowhere as unknown as HttpAdapterHost);
  return {
    sender: new EmailSender(config, TimeUnits.fromScale(config.timeScale), relay, links),
    links,
    relay,
    close: () => relay.onApplicationShutdown(),
  };
}

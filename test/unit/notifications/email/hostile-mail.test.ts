import { describe, expect, it } from '@jest/globals';
import { renderBundleEmail, renderEventEmail } from '../../../../src/notifications/email/emails.js';
import { DashboardLinks } from '../../../../src/kernel/dashboard-links.js';
import type { EmailMessage } from '../../../../src/notifications/email/smtp-mailer.js';
import {
  ACCOUNT_FIELDS,
  anEventWith,
  HOSTILE_TEXTS,
  REGISTRY_FIELDS,
} from '../../../support/builders/hostile-events.js';
import { aMessage } from '../../../support/builders/notification-events.js';

const LINKS = {
  dashboard: DashboardLinks.at({ publicUrl: 'https://names.example/', ui: true }),
  unsubscribe: 'https://names.example/stop',
};
const OWN_LINKS = /https:\/\/names\.example\//g;
const UNPRINTABLE = /(?!\n)\p{Cc}|[\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

const mailsWith = (changes: object): EmailMessage[] => {
  const message = aMessage('ada@example.com');
  const event = { ...message.event, ...anEventWith(changes) };
  const several = { ...message, events: [event], total: 3 };
  return [renderEventEmail({ ...message, event }, LINKS), renderBundleEmail(several, LINKS)];
};
const forEachText = (fill: (text: string) => object, check: (mail: EmailMessage) => unknown) =>
  Object.values(HOSTILE_TEXTS).forEach((text) => mailsWith(fill(text)).forEach(check));
const tagsOf = (html: string) => html.replaceAll(/ style="[^"]*"/g, '').match(/<[^>]*>/g);

describe('a mail about an event with hostile text', () => {
  it.each(Object.entries({ ...REGISTRY_FIELDS, ...ACCOUNT_FIELDS }))(
    'has as many lines and the same tags and subject as with harmless text in %s',
    (_, fill) => {
      const harmless = mailsWith(fill('harmless'));
      for (const text of Object.values(HOSTILE_TEXTS))
        for (const [index, mail] of mailsWith(fill(text)).entries()) {
          expect(mail.subject).toBe(harmless[index]?.subject);
          expect(mail.text.split('\n')).toHaveLength(harmless[index]?.text.split('\n').length ?? 0);
          expect(tagsOf(mail.html)).toEqual(tagsOf(harmless[index]?.html ?? ''));
          expect(UNPRINTABLE.exec(mail.text + mail.html)).toBeNull();
        }
    },
  );

  it.each(Object.entries(REGISTRY_FIELDS))(
    'contains only links to Namewatch if the hostile text is in %s',
    (_, fill) => {
      forEachText(fill, ({ text, html }) => {
        expect(/:\/\/|\bwww\./i.exec(text.replaceAll(OWN_LINKS, ''))).toBeNull();
        expect(/:\/\/|\bwww\./i.exec(html.replaceAll(OWN_LINKS, ''))).toBeNull();
      });
    },
  );

  it('keeps its subject on one line if the hostile text is in the domain name', () => {
    for (const text of Object.values(HOSTILE_TEXTS))
      for (const { subject } of mailsWith({ domain: `${text}\r\nBcc: eve@example.com`, phase: text }))
        expect(subject).not.toMatch(UNPRINTABLE);
  });
});

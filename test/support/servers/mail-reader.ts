import { Clock } from '../../../src/kernel/clock.js';
import type { MailCatcher } from '../../world/mailbox.js';
import { anEvent } from '../builders/notification-events.js';
import type { NotificationService } from './notification-service.js';

/** Returns the settings of a service that sends its mail to this relay. */
export const mailVia = ({ url }: MailCatcher) => ({
  PUBLIC_URL: 'https://namewatch.example',
  SMTP_URL: url,
  MAIL_FROM: 'alerts@namewatch.example',
});

/** A person who gets mail by the email channel of an account of its own, and what the mail says. */
export async function aMailReader(notifications: NotificationService, relay: MailCatcher, address = 'ada@example.com') {
  const account = await notifications.service.openAccount();
  const open = async (type: string, target: string) => {
    const call = { method: 'POST', path: '/v1/notifications', body: { type, target }, key: account.key };
    return String((await notifications.service.call(call)).body['id']);
  };
  const channel = await open('email', address);
  const other = await open('scripted', `other of ${account.id}`);
  const happens = () =>
    notifications.happens(anEvent({}, { accountId: account.id, at: notifications.of(Clock).now() }));
  const caught = relay.caught.all.length;
  await happens();
  await notifications.deliverDue();
  const mail = (await relay.caught.waitFor(caught + 1))[caught];
  const header = mail?.parsed.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
  const [, path = ''] = /^<https:\/\/namewatch\.example(\/u\/[^>]+)>$/.exec(header) ?? [];
  return { account, channel, other, happens, mail, path };
}

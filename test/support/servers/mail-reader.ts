import { Clock } from '../../../src/kernel/clock.js';
import { MailCatcher } from '../fakes/mail-catcher.js';
import { anEvent } from '../builders/notification-events.js';
import { NotificationService } from './notification-service.js';

/** A relay, and a service that sends its mail there. */
export async function startRelayWithService(settings: Record<string, string> = {}) {
  const relay = await MailCatcher.start();
  const mail = { SMTP_URL: relay.url, MAIL_FROM: 'alerts@namewatch.example' };
  const notifications = await NotificationService.start({
    PUBLIC_URL: 'https://namewatch.example',
    ...mail,
    ...settings,
  });
  const close = async () => {
    await notifications.close();
    await relay.close();
  };
  return { relay, notifications, close };
}

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

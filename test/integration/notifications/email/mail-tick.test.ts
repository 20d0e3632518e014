import { afterEach, describe, expect, it } from '@jest/globals';
import { DeliveriesService } from '../../../../src/notifications/deliveries/deliveries.service.js';
import { Clock, HOUR } from '../../../../src/kernel/clock.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { entryOf, nameOf } from '../../../support/builders/numbered-names.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function aService(settings: Record<string, string> = {}) {
  const relay = await MailCatcher.start();
  open.push(() => relay.close());
  const mail = { SMTP_URL: relay.url, MAIL_FROM: 'alerts@namewatch.example' };
  const notifications = await NotificationService.start({ ROLE: 'all', ...mail, ...settings });
  open.push(() => notifications.close());
  return { relay, notifications };
}
const anEmailChannel = async ({ service }: NotificationService) => {
  const body = { type: 'email', target: 'ada@example.com' };
  return (await service.call({ method: 'POST', path: '/v1/notifications', body })).body;
};
const many = (notifications: NotificationService, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const event = notifications.event();
    return { ...event, payload: { ...(event.payload as object), ...entryOf(nameOf(n)) } };
  });

describe('a process that sends mail', () => {
  it('asks for confirmation with a working link, then sends 25 changes in at most two mails', async () => {
    const { relay, notifications } = await aService({ TIME_SCALE: '600' });
    await notifications.service.app.listen(0, '127.0.0.1');
    const { id, active } = await anEmailChannel(notifications);
    expect(active).toBe(false);
    const [question] = await relay.caught.waitFor(1);
    expect(question?.raw).not.toMatch(/^List-Unsubscribe/m);
    const link = /^http:\/\/127\.0\.0\.1:\d+\/confirm\/\S+$/m.exec(question?.parsed.text ?? '')?.[0] ?? '';
    expect(await (await fetch(link)).text()).toContain('<form method="post">');
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);

    await notifications.happens(...many(notifications, 25));
    await notifications.until(`select 1 from deliveries where state = 'delivered'`, [], 25);
    const mails = relay.caught.all.slice(1);
    expect(mails.length).toBeLessThanOrEqual(2);
    expect(mails.flatMap(({ parsed }) => parsed.text?.match(/^\* \S+ is now available$/gm) ?? [])).toHaveLength(25);
    await notifications.until(`select 1 from deliveries where channel_id = $1 and state <> 'delivered'`, [id], 0);
  }, 40_000);
});

describe('a service without a mail relay', () => {
  it('fails each mail at once, and asks addresses to confirm once a relay is configured', async () => {
    const { notifications } = await aService({ ROLE: 'api', SMTP_URL: '' });
    const { id, active } = await anEmailChannel(notifications);
    expect(active).toBe(false);
    const shown = await notifications.service.call({ path: `/v1/notifications/${String(id)}` });
    expect(shown.body).toMatchObject({ active: false, reason: 'mail_not_configured' });
    await notifications.happens(...many(notifications, 25));
    await notifications.deliverDue();
    const outcome = `select a.outcome, d.state from delivery_attempts a join deliveries d on d.id = a.delivery_id`;
    const failures = await notifications.rows(outcome);
    expect(failures).toEqual(Array.from({ length: 25 }, () => ({ outcome: 'mail_not_configured', state: 'failed' })));
    const channels = await notifications.rows('select active, first_failure_at from notification_channels');
    expect(channels).toEqual([{ active: false, first_failure_at: null }]);
    const now = notifications.of(Clock).now();
    const range = [new Date(now.getTime() - HOUR), now] as const;
    const { account } = notifications.service;
    expect(await notifications.of(DeliveriesService).replay(account.id, String(id), ...range)).toBe(25);

    const [path, body] = [`/v1/notifications/${String(id)}`, { active: true }];
    const tried = await notifications.service.call({ method: 'PATCH', path, body });
    expect(tried).toMatchObject({ status: 200, body: { active: false, reason: 'mail_not_configured' } });

    const DATABASE_URL = notifications.service.databaseUrl;
    const { relay, notifications: later } = await aService({ DATABASE_URL, PUBLIC_URL: 'https://namewatch.example' });
    const [question] = await relay.caught.waitFor(1, 20_000);
    expect(question?.parsed.subject).toMatch(/Do you want news about domain names at ada@example\.com\?$/);
    const reason = `select active, reason from notification_channels where id = $1`;
    expect(await later.rows(reason, [id])).toEqual([{ active: false, reason: 'unconfirmed' }]);
  });
});

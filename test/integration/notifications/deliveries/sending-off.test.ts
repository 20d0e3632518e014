import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';
import type { PeriodicTask } from '../../../../src/platform/scheduling/periodic-task.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import { DELIVERY_QUEUE } from '../../../../src/platform/queue/store-queue.js';
import { WebhookReceiver } from '../../../world/receiver.js';

const PENDING = `select 1 from deliveries where state = 'pending'`;

let receiver: WebhookReceiver;
let relay: MailCatcher;
let silent: NotificationService;
let settings: Record<string, string>;
beforeAll(async () => {
  receiver = await WebhookReceiver.startTrusted();
  relay = await MailCatcher.start();
  settings = {
    ROLE: 'all',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...receiver.settings,
    SMTP_URL: relay.url,
    MAIL_FROM: 'alerts@namewatch.example',
    PUBLIC_URL: 'https://namewatch.example',
  };
  silent = await NotificationService.start({ ...settings, SENDING: 'off' });
});
afterAll(async () => {
  await silent.close();
  await Promise.all([receiver.close(), relay.close()]);
});

const add = (type: string, target: string) =>
  silent.service.call({ method: 'POST', path: '/v1/notifications', body: { type, target } });
const subjects = () => relay.caught.all.map(({ parsed }) => parsed.subject);

/** Resolves when the name was checked and its delivery is stored. */
async function watchUntil(domain: string, deliveries: number): Promise<void> {
  await silent.service.call({ method: 'POST', path: '/v1/watchlist', body: { domain, notify_current: true } });
  await silent.until('select 1 from deliveries', [], deliveries);
}

async function expectNothingSent(): Promise<void> {
  expect(await silent.rows('select 1 from delivery_attempts')).toEqual([]);
  expect(receiver.received.all).toEqual([]);
}

describe('with SENDING=off', () => {
  it('an event is stored and its delivery stays pending', async () => {
    await add('webhook', receiver.url());
    for (const n of [1, 2, 3]) await watchUntil(`n${n}--available.test`, n);
    expect(await silent.rows(PENDING)).toHaveLength(3);
    expect(await silent.rows('select 1 from channel_leases')).toEqual([]);
    await expectNothingSent();
  });

  it('a job in a copied queue sends nothing either', async () => {
    const queue = silent.service.app.get<Queue>(getQueueToken(DELIVERY_QUEUE), { strict: false });
    await queue.add(DELIVERY_QUEUE, { claims: 100 });
    await watchUntil('n4--available.test', 4);
    await expectNothingSent();
  });

  it('no confirmation mail is sent', async () => {
    await add('email', 'grace@example.com');
    await silent.service.app.get<PeriodicTask>('send-own-mails', { strict: false }).trigger();
    expect(await silent.rows(`select 1 from mail_outbox where state = 'waiting'`)).toHaveLength(1);
    expect(subjects()).toEqual([]);
  });

  it('webhooks and mails wait until a process runs with SENDING=on', async () => {
    const sending = await NotificationService.start({ ...settings, DATABASE_URL: silent.service.databaseUrl });
    try {
      const received = await receiver.received.waitFor(4, 30_000);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
      await sending.until(PENDING, [], 0);
      await relay.caught.waitFor(1, 30_000);
      expect(subjects()).toEqual([expect.stringMatching(/Do you want news about domain names/)]);
    } finally {
      await sending.close();
    }
  });
});

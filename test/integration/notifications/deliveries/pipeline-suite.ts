import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createPostgresBackend, createRedisBackend, Queue, type QueueOptions } from 'bullmq';
import { accepted } from '../../../../src/notifications/index.js';
import { DELIVERY_QUEUE } from '../../../../src/platform/queue/store-queue.js';
import { eventually } from '../../../support/eventually.js';
import { MailCatcher } from '../../../world/mailbox.js';
import { NotificationService } from '../../../support/servers/notification-service.js';
import { verified, WebhookReceiver } from '../../../world/receiver.js';

const inAllCases = process.env['ALL_CASES'] === '1' ? it : it.skip;

/** The promises from an event to its receivers, whatever the queue runs on. */
export function pipelineSuite(settings: () => Record<string, string>): void {
  let notifications: NotificationService;
  let receiver: WebhookReceiver;
  let relay: MailCatcher;
  /** The service's queue, from outside. */
  let queue: Queue;

  beforeAll(async () => {
    receiver = await WebhookReceiver.startTrusted();
    relay = await MailCatcher.start();
    notifications = await NotificationService.start({
      ROLE: 'all',
      ...receiver.settings,
      SMTP_URL: relay.url,
      MAIL_FROM: 'alerts@namewatch.example',
      NOTIFICATIONS_EMAIL_CONFIRMATION: 'false',
      ...settings(),
    });
    queue = openQueue(notifications.service.databaseUrl, settings()['REDIS_URL']);
  });
  afterEach(async () => {
    await notifications.rows('delete from notification_channels');
  });
  afterAll(async () => {
    await queue.close();
    await notifications.close();
    await Promise.all([receiver.close(), relay.close()]);
  });

  const add = async (type: string, target: string) =>
    (await notifications.service.call({ method: 'POST', path: '/v1/notifications', body: { type, target } })).body;

  it('sends an event to a webhook and to a mail address', async () => {
    const { secret } = await add('webhook', receiver.url());
    await add('email', 'ada@example.com');
    const event = notifications.event();
    await notifications.happens(event);
    const [[webhook], [mail]] = await Promise.all([receiver.received.waitFor(1), relay.caught.waitFor(1)]);
    expect(webhook && verified(webhook, String(secret))).toMatchObject({ id: event.id, type: 'watchlist.available' });
    expect(mail?.parsed.subject).toBe('[Namewatch] lapsed.example is now available');
    await notifications.until(`select 1 from deliveries where event_id = $1 and state <> 'delivered'`, [event.id], 0);
  });

  it('happens exactly once for each of 20 events and 10 channels', async () => {
    for (let n = 0; n < 10; n += 1) await notifications.openChannel(`many-${n}`);
    const events = Array.from({ length: 20 }, () => notifications.event());
    await notifications.happens(...events);
    const sent = await notifications.sender.sent.waitFor(200);
    expect(new Set(sent.map(({ event, channel }) => event.id + channel.id)).size).toBe(200);
    await notifications.until(`select 1 from deliveries where state <> 'delivered'`, [], 0);
    expect(notifications.sender.sent.all).toHaveLength(200);
  });

  it('is still sent if its job is lost from the queue', async () => {
    await notifications.openChannel('lost');
    await queue.pause();
    const event = notifications.event();
    await notifications.happens(event);
    await eventually(
      () => queue.getJobs(['wait']),
      (jobs) => jobs.length > 0,
    );
    await queue.drain(true);
    await queue.resume();
    await notifications.until(`select 1 from deliveries where event_id = $1 and state = 'delivered'`, [event.id], 1);
  });

  it('is still sent if the queue contains invalid jobs', async () => {
    await notifications.openChannel('junk');
    const junk = [null, 'x', 7, [], {}, { claims: 'all' }, { claims: 0 }, { claims: 1_001 }, { claims: { $ne: null } }];
    for (const data of junk) await queue.add('deliver', data);
    const event = notifications.event();
    await notifications.happens(event);
    await notifications.until(`select 1 from deliveries where event_id = $1 and state = 'delivered'`, [event.id], 1);
    await eventually(
      () => queue.getJobCountByTypes('wait', 'active', 'failed', 'delayed'),
      (count) => count === 0,
    );
  });

  it('adds only one job to a paused queue, and locks no channel before a worker runs', async () => {
    await notifications.openChannel('jobs');
    await queue.pause();
    await notifications.happens(notifications.event());
    await eventually(
      () => queue.getJobs(['wait']),
      (jobs) => jobs.length > 0,
    );
    await sleep(1_000); // several ticks
    expect((await queue.getJobs(['wait'])).map(({ data }) => data as unknown)).toEqual([{ claims: 100 }]);
    expect(await notifications.rows('select 1 from channel_leases where token is not null')).toEqual([]);
    await queue.resume();
    await notifications.until(`select 1 from deliveries where state <> 'delivered'`, [], 0);
  });

  it('is not delayed by another receiver that hangs', async () => {
    const [hanging, quick] = [await notifications.openChannel('hanging'), await notifications.openChannel('quick')];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    notifications.sender.receive = async ({ channel }) => {
      if (channel.id === hanging) await held;
      return accepted(200, null);
    };
    await notifications.happens(notifications.event());
    await notifications.until(`select 1 from deliveries where channel_id = $1 and state = 'delivered'`, [quick], 1);
    release();
    await notifications.until(`select 1 from deliveries where channel_id = $1 and state = 'delivered'`, [hanging], 1);
  });

  inAllCases(
    'usually takes under a second while another account has 10 000 deliveries to 50 hanging hosts',
    async () => {
      const [busy, quiet] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
      const { databaseUrl: DATABASE_URL } = notifications.service;
      const start = () => NotificationService.start({ ROLE: 'worker', DATABASE_URL, ...settings() });
      const others = [await start(), await start()];
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      for (const { sender } of [notifications, ...others])
        sender.receive = async ({ channel }) => {
          if (channel.target.endsWith('.hangs')) await held;
          return accepted(200, null);
        };
      for (let n = 0; n < 50; n += 1) await notifications.openChannel(`${n}.hangs`, busy.key);
      const channel = await notifications.openChannel('answers', quiet.key);
      const happen = (accountId: string, many: number) =>
        notifications.happens(...Array.from({ length: many }, () => ({ ...notifications.event(), accountId })));
      await happen(busy.id, 200);
      await notifications.until('select 1 from channel_leases where token is not null', [], 50);
      const delays: number[] = [];
      for (let n = 1; n <= 10; n += 1) {
        const startedAt = performance.now();
        await happen(quiet.id, 1);
        await notifications.until(
          `select 1 from deliveries where channel_id = $1 and state = 'delivered'`,
          [channel],
          n,
        );
        delays.push(Math.round(performance.now() - startedAt));
      }
      console.info(`late by ${delays.join(', ')} ms`);
      await notifications.rows('update notification_channels set active = false');
      release();
      await notifications.until('select 1 from channel_leases where token is not null', [], 0);
      for (const other of others) await other.close();
      expect(delays.toSorted((one, more) => one - more)[5]).toBeLessThan(1_000);
    },
    60_000,
  );
}

function openQueue(databaseUrl: string, redisUrl?: string): Queue {
  const defaultJobOptions = { removeOnComplete: true, removeOnFail: true };
  if (redisUrl)
    return new Queue(DELIVERY_QUEUE, { connection: { url: redisUrl }, defaultJobOptions }, createRedisBackend);
  const connection = {
    connectionString: databaseUrl,
    schema: 'bullmq',
    max: 1,
  } as unknown as QueueOptions['connection'];
  return new Queue(DELIVERY_QUEUE, { connection, defaultJobOptions }, createPostgresBackend as never);
}

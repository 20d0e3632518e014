import { beforeEach, describe, expect, it } from '@jest/globals';
import { after, Clock, DAY, HOUR } from '../../../../src/kernel/clock.js';
import { SendSummaries } from '../../../../src/notifications/summaries/send-summaries.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
const WEEKLY = { every: 'week', on: 1, at: '08:00', zone: 'Europe/Berlin' };

let channel: string;
beforeEach(async () => {
  await notifications.rows('delete from events');
  await notifications.rows('delete from notification_channels');
  channel = await notifications.openChannel('receiver');
});

const change = (body: object) =>
  notifications.service.call({ method: 'PATCH', path: `/v1/notifications/${channel}`, body });
const nextAt = async () => {
  const [row] = await notifications.rows('select next_summary_at as at from notification_channels where id = $1', [
    channel,
  ]);
  return row?.['at'] as Date | null;
};
/** Moves the clock to shortly after the next summary. */
const untilDue = async () => {
  const at = await nextAt();
  if (!at) throw new Error('no summary is planned');
  notifications.advance(at.getTime() + 1 - notifications.of(Clock).now().getTime());
};
const run = () => notifications.of(SendSummaries).run();
const sent = async () => {
  const rows = await notifications.rows(
    `select e.body, d.channel_id as channel from events e join deliveries d on d.event_id = e.id
     where e.type = 'watchlist.summary' order by e.seq`,
  );
  return rows.map(({ body, channel: to }) => ({
    to,
    data: (JSON.parse(String(body)) as { data: Record<string, unknown> }).data,
  }));
};
interface Entry {
  readonly phase?: string;
  readonly expires?: string | null;
  readonly purpose?: string;
  readonly tags?: string;
  readonly renewal?: string | null;
  readonly isPaused?: boolean;
  readonly isFailing?: boolean;
}
const STATUSES: Readonly<Record<string, string>> = {
  available: 'available',
  redemption: 'pending_delete',
  pending_delete: 'pending_delete',
  expired_grace: 'expiring',
};
/** A day in UTC. */
const inDays = (days: number) =>
  after(notifications.of(Clock).now(), days * DAY)
    .toISOString()
    .slice(0, 10);
/** @param expires as an interval from now */
const watch = async (domain: string, entry: Entry = {}) => {
  const { phase = 'registered', expires = null, purpose = 'own', tags = '{}', renewal = null } = entry;
  await notifications.service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
  await notifications.rows(
    `update watch_entries set phase = $2, status = $3, expires_at = $4::timestamptz + $5::interval, purpose = $6, tags = $7,
       renewal = $8, paused = $9, failing = $10 where domain = $1`,
    [
      ...[
        domain,
        phase,
        STATUSES[phase] ?? 'registered',
        notifications.of(Clock).now(),
        expires,
        purpose,
        tags,
        renewal,
      ],
      ...[entry.isPaused ?? false, entry.isFailing ?? false],
    ],
  );
};

describe('a watchlist summary', () => {
  it('counts the names that need attention by reason, without paused ones', async () => {
    await change({ summary: WEEKLY });
    await untilDue();
    await watch('soon.test', { expires: '29 days' });
    await watch('later.test', { expires: '31 days' });
    await watch('own-date.test', { renewal: '{"on":"2000-01-01","note":null}' });
    await watch('grace.test', { phase: 'expired_grace', expires: '-3 days' });
    await watch('restore.test', { phase: 'redemption' });
    await watch('wanted.test', { phase: 'available', purpose: 'acquire' });
    await watch('seen.test', { phase: 'available', purpose: 'monitor' });
    await watch('lost.test', { phase: 'available' });
    await watch('dropping.test', { phase: 'pending_delete' });
    await watch('renew.test', { renewal: `{"on":"${inDays(20)}","note":null}` });
    await watch('paused.test', { expires: '5 days', isPaused: true });
    await watch('failing.test', { isFailing: true });
    await run();
    expect(await sent()).toEqual([
      {
        to: channel,
        data: {
          ...{ channel_id: channel, label: null, names: 11, due_at: expect.any(String) as unknown },
          lost: { count: 1, domains: ['lost.test'] },
          about_to_be_deleted: { count: 1, domains: ['dropping.test'] },
          available_and_wanted: { count: 1, domains: ['wanted.test'] },
          in_redemption: { count: 1, domains: ['restore.test'] },
          in_grace: { count: 1, domains: ['grace.test'] },
          expires_within_30_days: { count: 1, domains: ['soon.test'] },
          not_as_expected: { count: 0, domains: [] },
          failing: { count: 1, domains: ['failing.test'] },
          never_answered: { count: 11, domains: expect.any(Array) as unknown },
          renewals: { count: 1, domains: ['renew.test'] },
        },
      },
    ]);
  });

  it('covers only names that have one of the channel’s tags', async () => {
    await watch('brand.test', { phase: 'expired_grace', tags: '{brand,x}' });
    await change({ summary: WEEKLY, tags: ['brand', 'shop'] });
    await untilDue();
    await run();
    expect((await sent()).map(({ data }) => data['in_grace'])).toEqual([{ count: 1, domains: ['brand.test'] }]);
    await change({ tags: ['other'] });
    await untilDue();
    await run();
    expect(await sent()).toHaveLength(1); // there is none of these: nothing to say
  });

  it('is sent once, and only to its own channel, even if six processes send at once', async () => {
    await notifications.openChannel('another');
    await change({ summary: { ...WEEKLY, send_empty: true } });
    await untilDue();
    await Promise.all(Array.from({ length: 6 }, run));
    expect((await sent()).map(({ to }) => to)).toEqual([channel]);
    const next = await nextAt();
    await run();
    expect(await sent()).toHaveLength(1);
    expect(next && next.getTime() - notifications.of(Clock).now().getTime()).toBeGreaterThan(6 * DAY);
  });

  it('is sent even if the summary of another channel fails first', async () => {
    const broken = await notifications.openChannel('broken');
    await change({ summary: { ...WEEKLY, send_empty: true } });
    await notifications.rows(
      `update notification_channels set summary = '{"every":"decade","zone":"UTC"}', next_summary_at = now() - interval '1 day'
       where id = $1`,
      [broken],
    );
    await untilDue();
    await expect(run()).rejects.toThrow(broken);
    expect((await sent()).map(({ to }) => to)).toEqual([channel]);
  });

  it('is sent once if three were missed, and the next comes at the usual time', async () => {
    await change({ summary: { ...WEEKLY, send_empty: true } });
    const missed = await nextAt();
    await untilDue();
    notifications.advance(15 * DAY);
    await run();
    const [only, ...others] = await sent();
    expect(others).toEqual([]);
    expect(only?.data['due_at']).toBe(missed?.toISOString());
    expect(await nextAt()).toEqual(new Date((missed?.getTime() ?? 0) + 21 * DAY + summerTimeShift(missed)));
  });

  it('is not sent while its channel is off or its account suspended, but resumes afterwards', async () => {
    const { id } = notifications.service.account;
    await change({ summary: { ...WEEKLY, send_empty: true } });
    await notifications.rows('update accounts set suspended_at = now() where id = $1', [id]);
    await untilDue();
    await run();
    expect(await sent()).toEqual([]);
    await notifications.rows('update accounts set suspended_at = null where id = $1', [id]);
    await change({ active: false });
    await run();
    expect(await sent()).toEqual([]);
    await change({ active: true });
    await run();
    expect(await sent()).toEqual([]); // a report that was due while it was off is not made up for
    await untilDue();
    await run();
    expect(await sent()).toHaveLength(1);
  });

  it('is rescheduled when its settings change, and no longer planned when they are removed', async () => {
    const { body } = await change({ summary: WEEKLY });
    expect(body['summary']).toEqual({ ...WEEKLY, send_empty: false });
    expect(body['next_summary_at']).toBe((await nextAt())?.toISOString());
    await change({ summary: { ...WEEKLY, every: 'month', on: 31, zone: 'Pacific/Auckland' } });
    expect((await nextAt())?.toISOString()).not.toBe(body['next_summary_at']);
    await change({ summary: null });
    expect(await nextAt()).toBeNull();
  });

  it.each([
    { every: 'day' },
    { on: 0 },
    { on: 32 },
    { at: '8:00' },
    { at: '24:00' },
    { zone: 'Nowhere/Lost' },
    { zone: "'; drop table accounts" },
    { more: 1 },
  ])('is refused with 400 for this setting: %j', async (wrong) => {
    expect((await change({ summary: { ...WEEKLY, ...wrong } })).status).toBe(400);
    expect(await nextAt()).toBeNull();
  });
});

/** Milliseconds by which 08:00 in Berlin is elsewhere in UTC three weeks later. */
function summerTimeShift(at: Date | null): number {
  const hourOf = (time: Date) =>
    Number(new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: 'Europe/Berlin' }).format(time));
  if (at === null) return 0;
  return (hourOf(at) - hourOf(new Date(at.getTime() + 21 * DAY))) * HOUR;
}

import { beforeAll, describe, expect, it } from '@jest/globals';
import { DAY, HOUR } from '../../../../src/kernel/clock.js';
import { EventFeed } from '../../../../src/notifications/events/event-feed.repository.js';
import { PurgeEvents } from '../../../../src/notifications/events/purge-events.js';
import { failed } from '../../../../src/notifications/index.js';
import { eventually } from '../../../support/eventually.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start({ EVENT_RETENTION_DAYS: '2' }));
let retention: PurgeEvents;
beforeAll(async () => {
  retention = notifications.of(PurgeEvents);
  await notifications.openChannel('receiver');
});

const happens = async (many: number) => {
  const events = Array.from({ length: many }, () => notifications.event());
  await notifications.happens(...events);
  return events.map(({ id }) => id);
};
const kept = async () => (await notifications.rows('select id from events order by seq')).map(({ id }) => id);
const read = (after?: string) =>
  notifications.service.call({ path: `/v1/events${after === undefined ? '' : `?after=${after}`}` });
const getNextCursor = (answer: { body: Record<string, unknown> }) => (answer.body['meta'] as { next: string }).next;

describe('events older than the retention time', () => {
  it('are deleted with their deliveries, and a reader that missed some gets 410', async () => {
    const start = getNextCursor(await read());
    const old = await happens(1_001);
    await notifications.rows(`update deliveries set state = 'delivered', next_attempt_at = null`);
    notifications.advance(DAY);
    const [young] = await happens(1);
    const all = await eventually(
      () => read(start),
      ({ body }) => (body['data'] as unknown[]).length > 0,
    );
    notifications.advance(DAY + HOUR);
    await retention.run();
    expect(await kept()).toEqual([young]);
    expect(await notifications.rows('select 1 from deliveries where event_id = any($1)', [old])).toEqual([]);
    expect((await read(start)).status).toBe(410);
    expect((await read(getNextCursor(all))).status).toBe(410); // a hundred of many
    const firstPage = await eventually(read, ({ body }) => (body['data'] as unknown[]).length > 0);
    expect((firstPage.body['data'] as { id: string }[]).map(({ id }) => id)).toEqual([young]);
    expect((await read(getNextCursor(firstPage))).status).toBe(200);
  });

  it('cause the error cursor_expired in a stream that missed some, even with a type filter', async () => {
    const feed = notifications.of(EventFeed);
    const { id: accountId } = notifications.service.account;
    const after = await feed.end(accountId);
    await happens(1);
    await notifications.rows(`update deliveries set state = 'delivered', next_attempt_at = null`);
    notifications.advance(3 * DAY);
    await retention.run();
    const filtered = feed.streamPage({ accountId, after, limit: 10, type: 'watchlist.available' });
    await expect(filtered).rejects.toMatchObject({ code: 'cursor_expired' });
  });

  it('are kept while one of their deliveries is pending', async () => {
    notifications.sender.receive = () => failed('connect');
    const [pending] = await happens(1);
    await notifications.deliverDue();
    notifications.advance(30 * DAY);
    await retention.run();
    expect(await kept()).toContain(pending);
    await notifications.rows(`update deliveries set state = 'failed', next_attempt_at = null`);
    await retention.run();
    expect(await kept()).toEqual([]);
  });
});

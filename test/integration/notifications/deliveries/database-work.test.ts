import { afterEach, describe, expect, it } from '@jest/globals';
import { statementsDuring } from '../../../support/database/statements.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
afterEach(async () => {
  await notifications.rows('delete from notification_channels');
});

/** Others are at work in the same process, on tables of theirs. */
const OTHERS = /^(?![^]*\b(events|deliver(y|ies)\w*|notification_channels|take_turn|channels_claim|attempts_start)\b)/;
const open = async (many: number) => {
  for (let n = 0; n < many; n += 1) await notifications.openChannel(`${n}.example`);
};
const events = (many: number) => Array.from({ length: many }, () => notifications.event());

/** A version on the page of the one before it has no index entries of its own, if no indexed column changed. */
const pagesOf = (table: string, id: string) =>
  notifications.rows(`select ${id} as id, (ctid::text::point)[0] as page from ${table} order by 1`);

/** First, while the tables are new: rows that were deleted leave places elsewhere. */
describe('deliveries and attempts that were inserted together', () => {
  it('stay on the same database page when they are updated together', async () => {
    await open(50);
    await notifications.happens(...events(2));

    const deliveries = await pagesOf('deliveries', 'id');
    const claims = await notifications.claim();
    expect(claims.map(({ started }) => started.length)).toEqual(Array.from({ length: 50 }, () => 2));
    expect(await pagesOf('deliveries', 'id')).toEqual(deliveries);

    const attempts = await pagesOf('delivery_attempts', 'delivery_id');
    await Promise.all(claims.map((claim) => notifications.deliver(claim)));
    expect(await notifications.rows('select distinct outcome from delivery_attempts')).toEqual([{ outcome: 'ok' }]);
    expect(await pagesOf('delivery_attempts', 'delivery_id')).toEqual(attempts);
  });
});

describe('the number of SQL statements', () => {
  it('is two to publish events, whatever the number of events and channels', async () => {
    await open(1);
    const few = await statementsDuring(() => notifications.happens(...events(1)), OTHERS);
    await open(20);
    const many = await statementsDuring(() => notifications.happens(...events(200)), OTHERS);
    expect(few).toHaveLength(2);
    expect(many).toHaveLength(2);
    expect(await notifications.rows('select count(*)::int as n from deliveries')).toEqual([{ n: 1 + 200 * 20 }]);
  });

  it('is five to claim, send and finish 100 deliveries of 50 channels', async () => {
    const deliverAll = async () => {
      const claims = await notifications.claim();
      await Promise.all(claims.map((claim) => notifications.deliver(claim)));
      return claims.length;
    };
    await open(50);
    await notifications.happens(...events(2));
    const sent = await statementsDuring(async () => expect(await deliverAll()).toBe(50), OTHERS);
    expect(sent).toHaveLength(5);
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1');
    expect(states).toEqual([{ state: 'delivered', n: 100 }]);
  });
});

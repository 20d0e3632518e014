import { createRequire } from 'node:module';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
afterEach(async () => {
  await notifications.rows('delete from notification_channels');
});

/** Ours and the ORM's, which brings its own. */
const ormRequire = createRequire(createRequire(import.meta.url).resolve('@mikro-orm/postgresql'));
const DRIVERS = [...new Set<typeof pg.Client>([pg.Client, (ormRequire('pg') as typeof pg).Client])];
/** Others are at work in the same process, on tables of theirs. */
const OURS = /\b(events|deliver(y|ies)\w*|notification_channels|pg_advisory_xact_lock)\b/;

/** What is sent to PostgreSQL while `work` runs, by any client. */
async function recordStatements(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = [];
  const restore = DRIVERS.map(({ prototype }) => {
    const query = Reflect.get(prototype, 'query') as (...args: unknown[]) => unknown;
    const noted = function (this: pg.Client, ...args: unknown[]) {
      const [first] = args as [string | { text: string }];
      sent.push(typeof first === 'string' ? first : first.text);
      return Reflect.apply(query, this, args);
    };
    Reflect.set(prototype, 'query', noted);
    return () => Reflect.set(prototype, 'query', query);
  });
  try {
    await work();
  } finally {
    for (const one of restore) one();
  }
  return sent.filter((text) => OURS.test(text));
}
const open = async (many: number) => {
  for (let n = 0; n < many; n += 1) await notifications.openChannel(`${n}.example`);
};
const events = (many: number) => Array.from({ length: many }, () => notifications.event());

/** A version on the page of the one before it has no index entries of its own, if no indexed column changed. */
const pagesOf = (table: string, id: string) =>
  notifications.rows(`select ${id} as id, (ctid::text::point)[0] as page from ${table} order by 1`);

/** First, while the tables are new: rows that were deleted leave places elsewhere. */
describe('rows that are inserted together', () => {
  it('stay on their pages when all of them are attempted together', async () => {
    await open(50);
    await notifications.happens(...events(2));

    const deliveries = await pagesOf('deliveries', 'id');
    const claims = await notifications.claim();
    expect(claims).toHaveLength(100);
    expect(await pagesOf('deliveries', 'id')).toEqual(deliveries);

    const attempts = await pagesOf('delivery_attempts', 'delivery_id');
    await Promise.all(claims.map((claim) => notifications.deliver(claim)));
    expect(await notifications.rows('select distinct outcome from delivery_attempts')).toEqual([{ outcome: 'ok' }]);
    expect(await pagesOf('delivery_attempts', 'delivery_id')).toEqual(attempts);
  });
});

describe('the statements', () => {
  it('of a publication are two, whatever the number of events and channels', async () => {
    await open(1);
    const few = await recordStatements(() => notifications.happens(...events(1)));
    await open(20);
    const many = await recordStatements(() => notifications.happens(...events(200)));
    expect(few).toHaveLength(2);
    expect(many).toHaveLength(2);
    expect(await notifications.rows('select count(*)::int as n from deliveries')).toEqual([{ n: 1 + 200 * 20 }]);
  });

  it('of attempts are two to claim and start, and three to finish, whatever their number', async () => {
    const deliverAll = async () => {
      const claims = await notifications.claim();
      await Promise.all(claims.map((claim) => notifications.deliver(claim)));
      return claims.length;
    };
    await open(50);
    await notifications.happens(...events(2));
    const sent = await recordStatements(async () => expect(await deliverAll()).toBe(100));
    expect(sent).toHaveLength(5);
    const states = await notifications.rows('select state, count(*)::int as n from deliveries group by 1');
    expect(states).toEqual([{ state: 'delivered', n: 100 }]);
  });
});

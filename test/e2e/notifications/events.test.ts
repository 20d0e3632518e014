import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { after, MINUTE } from '../../../src/kernel/clock.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { EventFeed } from '../../../src/notifications/events/event-feed.repository.js';
import { PublishEvents } from '../../../src/notifications/events/publish-events.js';
import { eventually } from '../../support/eventually.js';
import { anEvent, MONDAY } from '../../support/builders/notification-events.js';
import { running } from '../../support/running.js';
import { NotificationService } from '../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
let account: { id: string; key: string };
beforeAll(async () => {
  account = await notifications.service.openAccount();
});

interface Page {
  readonly data: readonly { id: string; type: string; timestamp: string; data: Record<string, unknown> }[];
  readonly meta: { readonly next: string; readonly has_more: boolean };
}
const answer = (query = '', key = account.key) => notifications.service.call({ path: `/v1/events${query}`, key });
const page = async (query = '', key = account.key) => (await answer(query, key)).body as unknown as Page;
const happens = async (many = 1, of = account.id, changes = {}) => {
  const events = Array.from({ length: many }, () => anEvent(changes, { accountId: of }));
  await notifications.happens(...events);
  return events.map(({ id }) => id);
};
/** Other databases of the server have transactions of their own, and hold events back for a moment. */
const pageOf = (many: number, query = '', key = account.key) =>
  eventually(
    () => page(query, key),
    ({ data }) => data.length === many,
  );
const idsOf = ({ data }: Page) => data.map(({ id }) => id);
/** Some other work that has begun to write and is not done. */
const anotherTransaction = async () => {
  const client = new pg.Client({ connectionString: notifications.service.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return {
    end: async () => {
      await client.query('commit');
      await client.end();
    },
  };
};

describe('GET /v1/events', () => {
  it('returns events as receivers get them, oldest first, with a cursor for the next page', async () => {
    const before = await page();
    expect(before).toMatchObject({ data: [], meta: { has_more: false, next: expect.any(String) } });
    const ids = await happens(3);
    await pageOf(3, `?after=${before.meta.next}`);
    const first = await page(`?after=${before.meta.next}&limit=2`);
    expect(idsOf(first)).toEqual(ids.slice(0, 2));
    expect(first.meta.has_more).toBe(true);
    const [event] = await notifications.rows('select body from events where id = $1', [ids[0]]);
    expect(first.data[0]).toEqual(JSON.parse(String(event?.['body'])));
    const second = await page(`?after=${first.meta.next}`);
    expect(idsOf(second)).toEqual(ids.slice(2));
    expect(second.meta.has_more).toBe(false);
    const third = await page(`?after=${second.meta.next}`);
    expect(third).toEqual({ data: [], meta: { next: second.meta.next, has_more: false } });
  });

  it('filters by type and by entry', async () => {
    const entry_id = 'wl_01jd6z0v8q3m4n5p6r7s8taaaa';
    const ids = await happens(1, account.id, { entry_id });
    expect(idsOf(await pageOf(1, `?entry_id=${entry_id}`))).toEqual(ids);
    expect(idsOf(await page(`?entry_id=${entry_id}&type=watchlist.available`))).toEqual(ids);
    expect(idsOf(await page(`?entry_id=${entry_id}&type=watchlist.expiring`))).toEqual([]);
  });

  it('holds back newer events until an older open transaction has ended, so none is skipped', async () => {
    const { next } = (await page('?limit=1000')).meta;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const slow = anEvent({}, { accountId: account.id, at: after(MONDAY, MINUTE) });
    const quick = anEvent({}, { accountId: account.id, at: MONDAY });
    let written: () => void = () => undefined;
    const isWritten = new Promise<void>((resolve) => (written = resolve));
    const late = notifications.of(UnitOfWork).run(async () => {
      await notifications.of(PublishEvents).run([slow]);
      written();
      await held;
    });
    await isWritten;
    await notifications.happens(quick);
    expect(idsOf(await page(`?after=${next}`))).toEqual([]);
    const feed = notifications.of(EventFeed);
    const streamed = await feed.end(account.id);
    release();
    await late;
    expect(idsOf(await pageOf(2, `?after=${next}`))).toEqual([slow.id, quick.id]);
    expect(await feed.after({ accountId: account.id, after: streamed, limit: 10 })).toHaveLength(2);
  });

  it('returns each event exactly once, in whatever order transactions commit', async () => {
    let { next } = (await page('?limit=1000')).meta;
    const seen: string[] = [];
    const read = async () => {
      const found = await page(`?after=${next}&limit=7`);
      seen.push(...idsOf(found));
      next = found.meta.next;
    };
    const other = await anotherTransaction();
    const writing = Promise.all(Array.from({ length: 40 }, () => happens()));
    for (let n = 0; n < 10; n += 1) await read();
    await other.end();
    const ids = (await writing).flat();
    await eventually(read, () => seen.length >= ids.length);
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it.each(['?after=x', '?after=', '?type=gone'])('refuses this query with 400: %s', async (query) => {
    const { status, body } = await answer(query);
    const field = /\?(\w+)/.exec(query)?.[1] ?? '';
    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer: `#query/${field}` }] } });
  });

  it('returns the same cursor while only other accounts have new events', async () => {
    const [reader, stranger] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
    await happens(2, reader.id);
    await pageOf(2, '', reader.key);
    for (const query of ['limit=10', 'limit=10&type=watchlist.expiring']) {
      const { next } = (await page(`?${query}`, reader.key)).meta;
      const before = (await page('', stranger.key)).meta;
      await happens(3, stranger.id);
      await pageOf(3, `?after=${before.next}`, stranger.key);
      expect((await page(`?${query}`, reader.key)).meta.next).toBe(next);
      expect((await page(`?${query}&after=${next}`, reader.key)).meta.next).toBe(next);
    }
  });

  it('moves the cursor past events that the filter leaves out', async () => {
    const { id, key } = await notifications.service.openAccount();
    const { next } = (await page('?type=watchlist.expiring', key)).meta;
    await happens(2, id);
    const all = await pageOf(2, '', key);
    const filtered = await page(`?type=watchlist.expiring&after=${next}`, key);
    expect(filtered).toEqual({ data: [], meta: { next: all.meta.next, has_more: false } });
  });

  it('rejects a cursor of another account, a cursor of the audit trail, and a made-up cursor', async () => {
    const [reader, stranger] = [await notifications.service.openAccount(), await notifications.service.openAccount()];
    await happens(1, reader.id);
    const { next } = (await pageOf(1, '', reader.key)).meta;
    const trail = await notifications.service.call({ path: '/v1/audit', key: reader.key });
    const ofTrail = (trail.body['meta'] as { next: string }).next;
    const madeUp = Buffer.from('762.1').toString('base64url');
    expect((await answer(`?after=${next}`, reader.key)).status).toBe(200);
    expect((await answer(`?after=${next}`, stranger.key)).body).toMatchObject({ status: 400, code: 'invalid_request' });
    for (const cursor of [ofTrail, madeUp, `${next}A`, next.slice(1), 'A'.repeat(43)])
      expect((await answer(`?after=${cursor}`, reader.key)).body).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ pointer: '#query/after' }],
      });
  });

  it('answers 410 if events after the cursor are already deleted', async () => {
    const late = await notifications.service.openAccount();
    const start = (await page('', late.key)).meta.next;
    await happens(1, late.id);
    const read = (await pageOf(1, '', late.key)).meta.next;
    await notifications.rows(
      `insert into event_feed_starts select account_id, xid, seq from events where account_id = $1`,
      [late.id],
    );
    await notifications.rows('delete from events where account_id = $1', [late.id]);
    expect(await answer(`?after=${start}`, late.key)).toMatchObject({ status: 410, body: { code: 'cursor_expired' } });
    expect((await answer(`?after=${read}`, late.key)).status).toBe(200);
    const fresh = (await page('', late.key)).meta.next;
    expect((await answer(`?after=${fresh}`, late.key)).status).toBe(200);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { TransactionCursor } from '../../../../src/kernel/paging/transaction-cursor.js';
import { CursorSeal } from '../../../../src/platform/crypto/cursor-seal.js';
import { TransactionOrder } from '../../../../src/platform/database/transaction-order.js';
import { after, MINUTE } from '../../../../src/kernel/clock.js';
import { eventually } from '../../../support/eventually.js';
import { anEvent, MONDAY } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const notifications = running(() => NotificationService.start());
beforeAll(async () => {
  await notifications.service.app.listen(0, '127.0.0.1');
});

const read = async (cursor?: string) => {
  const { body } = await notifications.service.call({
    path: `/v1/events${cursor === undefined ? '' : `?after=${cursor}`}`,
  });
  const { data, meta } = body as unknown as { data: { id: string }[]; meta: { next: string } };
  return { ids: data.map(({ id }) => id), next: meta.next };
};
const happens = async () => {
  const event = notifications.event();
  await notifications.happens(event);
  return event.id;
};
/** Restores a dump where fewer transactions have been: its numbers are from the future. */
const restoreElsewhere = () =>
  notifications.rows(`update events set xid = (xid::text::bigint + 1000000000)::text::xid8`);

/** Neither ascending nor descending: a transaction that takes long has a lower number and later times than a quick one. */
const TIMES = [2, 0, 3, 1].map((minutes) => after(MONDAY, minutes * MINUTE));

/** Writes an account's events as transactions with these numbers would have, the first as event `seq`. @returns them in order */
const writeEvents = async (accountId: string, { xids, seq }: { xids: readonly number[]; seq: number }) => {
  await notifications.rows(`alter table events alter column seq restart with ${seq}`);
  const events = xids.map((_, n) => anEvent({}, { accountId, at: TIMES[n] ?? MONDAY }));
  for (const [n, event] of events.entries()) {
    await notifications.happens(event);
    await notifications.rows('update events set xid = $2::text::xid8 where id = $1', [event.id, xids[n]]);
  }
  await notifications.of(TransactionOrder).onModuleInit(); // so that all of them lie in the past
  const inOrder = events.map(({ id }, n) => ({ id, xid: xids[n] ?? 0 })).sort((one, other) => one.xid - other.xid);
  return inOrder.map(({ id }) => id);
};
/** Page by page, until the service says that there are no more. */
const readAllPages = async (limit: number, key: string) => {
  const ids: string[] = [];
  let path = `/v1/events?limit=${limit}`;
  for (;;) {
    const { body } = await notifications.service.call({ path, key });
    const { data, meta } = body as unknown as { data: { id: string }[]; meta: { next: string; has_more: boolean } };
    ids.push(...data.map(({ id }) => id));
    if (!meta.has_more) return ids;
    path = `/v1/events?limit=${limit}&after=${meta.next}`;
  }
};
/** The events that a stream sends to a reader that has read nothing yet. */
const readStream = async (count: number, { accountId, key }: { accountId: string; key: string }) => {
  const leaving = new AbortController();
  const start = notifications.of(CursorSeal).seal(TransactionCursor.START, `events of ${accountId}`);
  const reply = await fetch(`${await notifications.service.app.getUrl()}/v1/events/stream`, {
    headers: { authorization: `Bearer ${key}`, 'last-event-id': start },
    signal: leaving.signal,
  });
  let received = '';
  const ids = () => [...received.matchAll(/^data: .*?"id":"(evt_\w+)"/gm)].map(([, id]) => String(id));
  for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += chunk;
    if (ids().length >= count) break;
  }
  leaving.abort();
  return ids();
};

describe('the order of events', () => {
  describe.each([
    { where: 'transaction 1000', written: { xids: [998, 999, 1000, 1001], seq: 20 } },
    { where: 'transaction 10000', written: { xids: [9_998, 9_999, 10_000, 10_001], seq: 30 } },
    { where: 'the tenth event of a transaction', written: { xids: [5_000, 5_000, 5_000, 5_000], seq: 8 } },
    { where: 'the hundredth event of a transaction', written: { xids: [5_000, 5_000, 5_000, 5_000], seq: 98 } },
    {
      where: 'a transaction that began first and wrote last',
      written: { xids: [7_001, 7_001, 7_000, 7_000], seq: 200 },
    },
  ])('around $where', ({ written }) => {
    const prepare = async () => {
      const { id, key } = await notifications.service.openAccount();
      return { ids: await writeEvents(id, written), accountId: id, key };
    };

    it('follows transaction and event numbers, not times, in pages of every size', async () => {
      const { ids, key } = await prepare();
      const isComplete = (read: string[]) => read.length === ids.length; // transactions elsewhere may hold events back
      for (const limit of [1, 2, 3, 100])
        expect(await eventually(() => readAllPages(limit, key), isComplete)).toEqual(ids);
    });

    it('follows transaction and event numbers, not times, in the event stream', async () => {
      const { ids, ...account } = await prepare();
      expect(await readStream(ids.length, account)).toEqual(ids);
    });
  });

  it('puts new events after the restored ones in a database restored from a dump', async () => {
    const [first, second] = [await happens(), await happens()];
    await restoreElsewhere();
    expect((await read()).ids).toEqual([]);
    await notifications.of(TransactionOrder).onModuleInit(); // as every process does when it starts
    const before = await eventually(read, ({ ids }) => ids.length === 2);
    expect(before.ids).toEqual([first, second]);

    const third = await happens();
    const rest = await eventually(
      () => read(before.next),
      ({ ids }) => ids.length > 0,
    );
    expect(rest.ids).toEqual([third]);
    expect((await read()).ids).toEqual([first, second, third]);
  });

  it('stays the same when a process starts and the transaction numbers are right', async () => {
    await happens();
    const ahead = await notifications.rows('select transactions_ahead from database_state');
    await notifications.of(TransactionOrder).onModuleInit();
    expect(await notifications.rows('select transactions_ahead from database_state')).toEqual(ahead);
  });

  it('still puts a new event last after a second restore', async () => {
    const { next } = await read();
    await restoreElsewhere();
    await notifications.of(TransactionOrder).onModuleInit();
    const last = await happens();
    const { ids } = await eventually(
      () => read(next),
      (page) => page.ids.includes(last),
    );
    expect(ids.at(-1)).toBe(last);
  });
});

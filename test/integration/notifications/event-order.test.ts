import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventOrder } from '../../../src/notifications/infrastructure/event-order.js';
import { eventually } from '../../support/eventually.js';
import { NotificationService } from '../../support/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterAll(() => notifications.close());

const read = async (after?: string) => {
  const { body } = await notifications.service.call({
    path: `/v1/events${after === undefined ? '' : `?after=${after}`}`,
  });
  const { data, meta } = body as unknown as { data: { id: string }[]; meta: { next: string } };
  return { ids: data.map(({ id }) => id), next: meta.next };
};
const happens = async () => {
  const event = notifications.event();
  await notifications.happens(event);
  return event.id;
};
/** What a dump holds when it is restored where fewer transactions have been: numbers from the future. */
const restoreElsewhere = () =>
  notifications.rows(`update events set xid = (xid::text::bigint + 1000000000)::text::xid8`);

describe('the order of events', () => {
  it('goes on in a database that a dump was restored into', async () => {
    const [first, second] = [await happens(), await happens()];
    await restoreElsewhere();
    expect((await read()).ids).toEqual([]);
    await notifications.of(EventOrder).onModuleInit(); // as every process does when it starts
    const before = await eventually(read, ({ ids }) => ids.length === 2);
    expect(before.ids).toEqual([first, second]);

    const third = await happens();
    const after = await eventually(
      () => read(before.next),
      ({ ids }) => ids.length > 0,
    );
    expect(after.ids).toEqual([third]);
    expect((await read()).ids).toEqual([first, second, third]);
  });

  it('is left alone where it is right', async () => {
    await happens();
    const ahead = await notifications.rows('select ahead from event_order');
    await notifications.of(EventOrder).onModuleInit();
    expect(await notifications.rows('select ahead from event_order')).toEqual(ahead);
  });

  it('outlives a second move', async () => {
    const { next } = await read();
    await restoreElsewhere();
    await notifications.of(EventOrder).onModuleInit();
    const last = await happens();
    const { ids } = await eventually(
      () => read(next),
      (page) => page.ids.includes(last),
    );
    expect(ids.at(-1)).toBe(last);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NotificationService } from '../../../support/servers/notification-service.js';

let notifications: NotificationService;
beforeAll(async () => {
  notifications = await NotificationService.start();
});
afterAll(() => notifications.close());

/** A version on the page of the one before it has no index entries of its own, if no indexed column changed. */
const pagesOf = (table: string, id: string) =>
  notifications.rows(`select ${id} as id, (ctid::text::point)[0] as page from ${table} order by 1`);

describe('rows that are inserted together', () => {
  it('stay on their pages when all of them are attempted together', async () => {
    const hosts = Array.from({ length: 50 }, (_, n) => `${n}.example`);
    for (const host of hosts) await notifications.openChannel(host);
    await notifications.happens(notifications.event(), notifications.event());

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

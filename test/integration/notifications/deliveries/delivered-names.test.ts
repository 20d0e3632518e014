import { beforeEach, describe, expect, it } from '@jest/globals';
import { MINUTE } from '../../../../src/kernel/clock.js';
import type { RecordChangedEventData, WatchlistEventData } from '../../../../src/watchlist/language.js';
import { anEvent } from '../../../support/builders/notification-events.js';
import { running } from '../../../support/running.js';
import { NotificationService } from '../../../support/servers/notification-service.js';

const ENTRY = 'wl_01jd6z0v8q3m4n5p6r7s8t9vwx';
const NO_NAME = {
  entry_id: null,
  domain: null,
  domain_unicode: null,
  status: null,
  previous_status: null,
  phase: null,
  previous_phase: null,
  move: null,
  kind: null,
  threshold_days: null,
};

const notifications = running(() => NotificationService.start());
let channel: string;
beforeEach(async () => {
  await notifications.rows('delete from events');
  await notifications.rows('delete from notification_channels');
  channel = await notifications.openChannel('receiver');
});

const get = async (path: string) => {
  const { status, body } = await notifications.service.call({ path: `/v1/${path}` });
  return { status, meta: body['meta'], data: body['data'] as Record<string, unknown>[] };
};
/** Something that happens to an entry of the account now. */
const happens = (changes: Partial<WatchlistEventData & RecordChangedEventData>, type = 'watchlist.available') => {
  notifications.advance(MINUTE);
  return notifications.happens(anEvent(changes, { type, accountId: notifications.service.account.id }));
};
const read = async () => (await get(`notifications/${channel}/deliveries`)).data;

describe('a delivery in the API', () => {
  it('shows the domain name of its event, and what happened to the name', async () => {
    await happens({ domain: 'xn--bcher-kva.example', domain_unicode: 'bücher.example' });
    expect(await read()).toMatchObject([
      {
        entry_id: ENTRY,
        domain: 'xn--bcher-kva.example',
        domain_unicode: 'bücher.example',
        previous_status: 'pending_delete',
        status: 'available',
        previous_phase: 'pending_delete',
        phase: 'available',
        move: 'dropped',
        kind: null,
        threshold_days: null,
      },
    ]);
  });

  it('shows which part of the registration record changed', async () => {
    const same = { status: 'registered', previous_status: 'registered', move: null } as const;
    const change = { kind: 'registrar', before: { name: 'A', iana_id: null }, after: { name: 'B', iana_id: null } };
    await happens({ ...same, ...change, purpose: 'own' } as object, 'watchlist.record_changed');
    expect(await read()).toMatchObject([{ ...same, kind: 'registrar' }]);
  });

  it('shows how many days before expiry a reminder was due', async () => {
    await happens({ status: 'expiring', move: null, threshold_days: 30 }, 'watchlist.expiring');
    expect(await read()).toMatchObject([{ threshold_days: 30, move: null }]);
  });

  it('has no domain name when it is a test', async () => {
    const test = { method: 'POST', path: `/v1/notifications/${channel}/test` };
    expect((await notifications.service.call(test)).body).toMatchObject(NO_NAME);
    expect(await read()).toMatchObject([NO_NAME]);
  });

  it('shows the same domain name when it is sent again', async () => {
    await happens({});
    await notifications.deliverDue();
    const [{ id } = {}] = await read();
    const { body } = await notifications.service.call({
      method: 'POST',
      path: `/v1/deliveries/${String(id)}/redeliver`,
    });
    expect(body).toMatchObject({ domain: 'lapsed.example', entry_id: ENTRY, state: 'pending' });
  });
});

describe('the deliveries of a watchlist entry', () => {
  it('are listed for all channels, newest first, without those of other entries', async () => {
    const other = await notifications.openChannel('another receiver');
    await happens({ previous_status: 'registered', status: 'pending_delete', move: 'deletion_started' });
    await happens({ entry_id: `wl_${'1'.repeat(26)}`, domain: 'other.example' });
    await happens({});
    const { data, meta } = await get(`watchlist/${ENTRY}/deliveries`);
    expect(meta).toEqual({ page: 1, per_page: 20, total: 4 });
    expect(data.map(({ move }) => move)).toEqual(['dropped', 'dropped', 'deletion_started', 'deletion_started']);
    expect(new Set(data.map((one) => one['channel_id']))).toEqual(new Set([channel, other]));
    const pages = [1, 2, 9].map((page) => get(`watchlist/${ENTRY}/deliveries?per_page=3&page=${page}`));
    expect((await Promise.all(pages)).map((page) => [page.data.length, page.meta])).toEqual([
      [3, { page: 1, per_page: 3, total: 4 }],
      [1, { page: 2, per_page: 3, total: 4 }],
      [0, { page: 9, per_page: 3, total: 4 }],
    ]);
  });

  it('are an empty list without events, and stay readable after the entry is removed', async () => {
    const add = { method: 'POST', path: '/v1/watchlist', body: { domain: 'registered.test' } };
    const id = String((await notifications.service.call(add)).body['id']);
    expect(await get(`watchlist/${id}/deliveries`)).toMatchObject({ status: 200, data: [], meta: { total: 0 } });
    await happens({ entry_id: id });
    await notifications.service.call({ method: 'DELETE', path: `/v1/watchlist/${id}` });
    expect(await get(`watchlist/${id}/deliveries`)).toMatchObject({ data: [{ entry_id: id, state: 'disabled' }] });
    expect((await get(`watchlist/wl_${'0'.repeat(26)}/deliveries`)).status).toBe(404);
  });
});

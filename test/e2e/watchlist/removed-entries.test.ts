import { describe, expect, it } from '@jest/globals';
import { AccountAdminService, AccountLifecycle } from '../../../src/auth/index.js';
import { PurgeHistory } from '../../../src/watchlist/upkeep/purge-history.js';
import { FollowAccounts } from '../../../src/watchlist/upkeep/follow-accounts.js';
import { auditRecordsOf } from '../../support/database/audit-records.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService());

const add = async (domain: string, key = service.account.key, more: object = {}) => {
  const { body } = await service.call({ method: 'POST', path: '/v1/watchlist', key, body: { domain, ...more } });
  return String(body['id']);
};
const change = (id: string, body: object, key = service.account.key) =>
  service.call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body, key });
const remove = (id: string, key = service.account.key) =>
  service.call({ method: 'DELETE', path: `/v1/watchlist/${id}`, key });
const historyOf = (id: string, key = service.account.key) => service.call({ path: `/v1/watchlist/${id}/history`, key });
const parse = (text: unknown) => (typeof text === 'string' ? (JSON.parse(text) as Record<string, unknown>) : null);
/** The audit records of an act: action, target, before, after. */
const recordsOf = async (act: () => Promise<unknown>) =>
  (await auditRecordsOf(service, act)).map(({ action, target_id, state_before, state_after }) => {
    return [action, target_id, parse(state_before), parse(state_after)];
  });

describe('the audit record of a watchlist entry', () => {
  it('contains the chosen settings, but not the text of the note, when a name is added', async () => {
    let id = '';
    const more = { interval_minutes: 1440, tags: ['brand'], note: 's3cret', remind_days: [30, 7] };
    const left = await recordsOf(async () => (id = await add('added--registered.test', undefined, more)));
    const after = { interval_minutes: 1440, expiring_window_days: 30, tags: ['brand'], purpose: 'monitor' };
    expect(left).toEqual([
      ['watchlist.added', id, null, { domain: 'added--registered.test', ...after, remind_days: [30, 7] }],
    ]);
  });

  it('contains changed fields before and after a change, but not the text of a note', async () => {
    const id = await add('changed--registered.test', undefined, { note: 'one' });
    const left = await recordsOf(async () => {
      await change(id, { tags: ['brand'], note: 's3cret', expected: { locked: true } });
      await change(id, { tags: ['brand'] }); // as it is
      await change(id, { paused: true });
      await change(id, { paused: false, purpose: 'own' });
    });
    const domain = 'changed--registered.test';
    expect(left).toEqual([
      [
        'watchlist.changed',
        id,
        { tags: [], expected_locked: null },
        { domain, tags: ['brand'], expected_locked: true, changed_notes: ['note'] },
      ],
      ['watchlist.paused', id, { paused: false }, { domain, paused: true }],
      ['watchlist.resumed', id, { paused: true, purpose: 'monitor' }, { domain, paused: false, purpose: 'own' }],
    ]);
    expect(JSON.stringify(left)).not.toContain('s3cret');
  });

  it('contains the last state of the entry when the entry is removed', async () => {
    const id = await add('removed--registered.test', undefined, { tags: ['brand'] });
    const before = { domain: 'removed--registered.test', status: 'registered', tags: ['brand'] };
    expect(await recordsOf(() => remove(id))).toEqual([
      ['watchlist.removed', id, expect.objectContaining(before), null],
    ]);
  });

  it('is written once if a request is repeated with its Idempotency-Key, and not for refused requests', async () => {
    const body = { domain: 'once--registered.test' };
    const request = { method: 'POST', path: '/v1/watchlist', body, headers: { 'idempotency-key': 'once' } };
    const left = await recordsOf(async () => {
      expect((await service.call(request)).body['id']).toBe((await service.call(request)).body['id']);
      expect((await service.call({ ...request, headers: {} })).status).toBe(409);
      expect((await change('wl_00000000000000000000000000', { tags: [] })).status).toBe(404);
    });
    expect(left).toHaveLength(1);
  });

  it('is not written for a check of the name', async () => {
    const id = await add('looked-at--expiring.test');
    const left = await recordsOf(() =>
      eventually(
        () => historyOf(id),
        ({ body }) => (body['data'] as unknown[]).length > 0,
      ),
    );
    expect(left).toEqual([]);
  });

  it('contains counts of added, changed and removed names when a file is imported', async () => {
    const sync = (names: readonly string[], more = '') => {
      const csv = `domain,tags\n${names.map((name) => `${name},shop${more}`).join('\n')}\n`;
      const query = 'mode=sync&scope_tag=shop&max_removals=1000';
      return service.call({
        method: 'POST',
        path: `/v1/watchlist/import?${query}`,
        body: csv,
        headers: { 'content-type': 'text/csv' },
      });
    };
    const names = Array.from({ length: 30 }, (_, n) => `shop-${n}--registered.test`);
    const added = await recordsOf(() => sync(names));
    const changed = await recordsOf(() => sync(names.slice(0, 10), ';sale'));
    const imported = (left: unknown[][]) => left.map(([action]) => action === 'watchlist.imported');
    /** A name that is being checked has a transaction of its own. */
    const sum = (left: unknown[][]) => {
      const counts: Record<string, unknown> = {};
      for (const [, , , after] of left)
        for (const [name, value] of Object.entries(after as Record<string, unknown>))
          counts[name] = typeof value === 'number' ? value + Number(counts[name] ?? 0) : value;
      return counts;
    };
    expect(sum(added)).toEqual({ created: 30, scope_tag: 'shop' });
    expect(sum(changed)).toEqual({ changed: 10, removed: 20, scope_tag: 'shop' });
    expect(new Set([...imported(added), ...imported(changed)])).toEqual(new Set([true]));
  });

  it('is not written when the account is suspended or gets another plan', async () => {
    const { id, key } = await service.openAccount();
    await add('suspended--registered.test', key);
    const left = await recordsOf(async () => {
      await service.get(FollowAccounts).run();
      await service.get(AccountAdminService).changePlan(id, 'free');
      await service.get(AccountLifecycle).suspend(id);
      await service.get(FollowAccounts).run();
    });
    const { rows } = await service.query(
      `select next_check_at from watched_names where domain = 'suspended--registered.test'`,
    );
    expect(rows).toEqual([{ next_check_at: null }]);
    expect(left.map(([action]) => action)).toEqual(['account.plan_changed', 'account.suspended']);
  });
});

describe('the history of a removed name', () => {
  const aRemovedName = async (domain: string, key = service.account.key) => {
    const id = await add(domain, key);
    const before = await eventually(
      () => historyOf(id, key),
      ({ body }) => (body['data'] as unknown[]).length === 1,
    );
    const removal = await remove(id, key);
    return { id, key, before, removal };
  };
  const datesOf = ({ body }: Answer) => body['data'] as { last_seen_at: string }[];

  it('stays readable with the id of the removing request, while the entry answers 404', async () => {
    const { id, before, removal } = await aRemovedName('gone--expiring.test');
    const after = await historyOf(id);
    expect(after).toMatchObject({ status: 200, body: { data: before.body['data'], meta: before.body['meta'] } });
    const requestId = removal.headers['x-request-id'];
    const domain = 'gone--expiring.test';
    expect(after.body['removed']).toMatchObject({ domain, removed_at: expect.any(String), request_id: requestId });
    expect(before.body['removed']).toBeNull();
    const trail = await eventually(
      () => service.call({ path: `/v1/audit?request=${String(requestId)}` }),
      ({ body }) => (body['data'] as unknown[]).length === 1,
    );
    expect(trail.body['data']).toMatchObject([{ action: 'watchlist.removed', target_id: id }]);
    for (const path of ['', '/changes'])
      expect(await service.call({ path: `/v1/watchlist/${id}${path}` })).toMatchObject({ status: 404 });
    expect((await change(id, { tags: [] })).status).toBe(404);
    expect((await remove(id)).status).toBe(404);
  });

  it('is separate from the history of a new entry for the same name', async () => {
    const { id } = await aRemovedName('again--expiring.test');
    const next = await add('again--expiring.test');
    expect(next).not.toBe(id);
    expect((await historyOf(next)).body['removed']).toBeNull();
    expect((await historyOf(id)).body['removed']).not.toBeNull();
  });

  it('is deleted when the plan’s retention time ends: first its intervals, then the removed entry', async () => {
    const free = await aRemovedName('old--expiring.test', (await service.openAccount('free')).key);
    const business = await aRemovedName('old--expiring.test', (await service.openAccount('business')).key);
    const age = (days: number, column: string, table: string, id: string) =>
      service.query(
        `update ${table} set ${column} = now() - make_interval(days => ${days})
        where ${table === 'removed_entries' ? 'id' : 'entry_id'} = $1`,
        [id],
      );
    for (const { id } of [free, business]) await age(91, 'last_seen_at', 'watch_history', id);
    await service.get(PurgeHistory).run();
    expect([
      datesOf(await historyOf(free.id, free.key)),
      datesOf(await historyOf(business.id, business.key)),
    ]).toMatchObject([[], [{}]]);
    for (const { id } of [free, business]) await age(91, 'removed_at', 'removed_entries', id);
    await service.get(PurgeHistory).run();
    expect([await historyOf(free.id, free.key), await historyOf(business.id, business.key)]).toMatchObject([
      { status: 404 },
      { status: 200 },
    ]);
  });
});

describe('the removed entries', () => {
  const removedOf = async (query: string, key: string) => {
    const { status, body } = await service.call({ path: `/v1/watchlist/removed${query}`, key });
    expect(status).toBe(200);
    return body as { data: Record<string, string>[]; meta: { page: number; per_page: number; total: number } };
  };
  const isRemoval = ({
    action,
    after,
  }: {
    readonly action: string;
    readonly after: { readonly removed?: number } | null;
  }) => action === 'watchlist.removed' || after?.removed !== undefined;
  /** A file adds and removes in two transactions, and the record of the second may be listed later. */
  const leadsTo = (request: string | undefined, key: string) =>
    eventually(
      async () => {
        const { body } = await service.call({ path: `/v1/audit?request=${String(request)}`, key });
        return (body['data'] as Parameters<typeof isRemoval>[0][]).find(isRemoval);
      },
      (record) => record !== undefined,
    );
  const sync = async (tag: string, key: string) => {
    const path = `/v1/watchlist/import?mode=sync&scope_tag=${tag}&max_removals=20`;
    const file = {
      body: `domain,tags\n${tag}-stays--registered.test,${tag}\n`,
      headers: { 'content-type': 'text/csv' },
    };
    return service.call({ method: 'POST', path, key, ...file });
  };

  it('can be found by name, and show which request or imported file removed the name', async () => {
    const { key } = await service.openAccount();
    const alone = await add('alone--registered.test', key);
    const removal = await remove(alone, key);
    const filed = await Promise.all(
      ['one', 'two', 'three'].map((name) => add(`filed-${name}--registered.test`, key, { tags: ['filed'] })),
    );
    const file = await sync('filed', key);
    const { data, meta } = await removedOf('', key);
    expect(meta).toEqual({ page: 1, per_page: 20, total: 4 });
    expect(data.map(({ id }) => id)).toEqual([...filed.toSorted().toReversed(), alone]);
    const [one] = (await removedOf('?domain=ALONE--registered.test.', key)).data;
    const domain = 'alone--registered.test';
    expect(one).toEqual({
      id: alone,
      domain,
      domain_unicode: domain,
      added_at: expect.any(String),
      removed_at: expect.any(String),
      request_id: removal.headers['x-request-id'],
    });
    expect(await leadsTo(one?.['request_id'], key)).toMatchObject({ action: 'watchlist.removed', target_id: alone });
    const [two] = (await removedOf('?domain=filed-two--registered.test', key)).data;
    expect(two).toMatchObject({ id: filed[1], request_id: file.headers['x-request-id'] });
    expect(await leadsTo(two?.['request_id'], key)).toMatchObject({
      action: 'watchlist.imported',
      after: { removed: 3, scope_tag: 'filed' },
    });
    expect((await historyOf(String(two?.['id']), key)).body['removed']).toEqual(two);
  });

  it('show the request of their own removal, even if several are removed at once', async () => {
    const { key } = await service.openAccount();
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => add(`many-${name}--registered.test`, key)));
    await Promise.all(ids.map((id) => remove(id, key)));
    const { data } = await removedOf('', key);
    expect(data.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { id, request_id: request } of data)
      expect(await leadsTo(request, key)).toMatchObject({ action: 'watchlist.removed', target_id: id });
  });

  it('are listed newest first, in pages, for a name in Unicode or xn-- form', async () => {
    const { key } = await service.openAccount();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(await add('bücher--registered.test', key));
      await remove(String(ids[0]), key);
    }
    for (const domain of ['B%C3%BCcher--registered.test', new URL('http://bücher--registered.test').hostname]) {
      const first = await removedOf(`?domain=${domain}&per_page=2`, key);
      const second = await removedOf(`?domain=${domain}&per_page=2&page=2`, key);
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids);
      expect(second.meta).toEqual({ page: 2, per_page: 2, total: 3 });
      expect(first.data[0]).toMatchObject({ domain_unicode: 'bücher--registered.test' });
    }
    expect((await removedOf('?domain=registered.test', key)).data).toEqual([]);
  });

  it.each([
    ['?domain=nothing', 'domain_single_label'],
    ['?domain=', 'domain_malformed'],
    ['?domain=a.test&domain=b.test', 'invalid_request'],
    ['?page=0', 'invalid_request'],
    ['?name=a.test', 'invalid_request'],
  ])('are not listed for the invalid query %s, with the error code %s', async (query, code) => {
    const { body } = await service.call({ path: `/v1/watchlist/removed${query}` });
    expect(body['code']).toBe(code);
  });
});

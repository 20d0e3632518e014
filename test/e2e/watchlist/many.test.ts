import { describe, expect, it } from '@jest/globals';
import { auditRecordsOf } from '../../support/database/audit-records.js';
import { jsonLinesOf, NDJSON } from '../../support/json-lines.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api' }));

const anAccount = async (plan = 'selfhost') => service.openAccount(plan);
const importAll = async (key: string, rows: readonly object[]) =>
  (
    await service.call({
      method: 'POST',
      path: '/v1/watchlist/import',
      key,
      body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
      headers: { 'content-type': NDJSON },
    })
  ).body;
const changeMany = (key: string, query: string, body: object, accept = '*/*') =>
  service.call({ method: 'PATCH', path: `/v1/watchlist?${query}`, key, body, headers: { accept } });
const removeMany = (key: string, query: string, accept = '*/*') =>
  service.call({ method: 'DELETE', path: `/v1/watchlist?${query}`, key, headers: { accept } });
const watched = async (key: string, query = '') => {
  return jsonLinesOf(await service.call({ path: `/v1/watchlist/export?format=ndjson${query}`, key }));
};
const settingsOf = async (key: string, ...fields: string[]) =>
  (await watched(key)).map((entry) => [entry['domain'], ...fields.map((field) => entry[field])]);
const parse = (text: unknown) => JSON.parse(String(text)) as Record<string, unknown>;
const NONE = { unchanged: 0, refused: 0, gone: 0, refusals: [] };
const names = (count: number, label = 'n') =>
  Array.from({ length: count }, (_, n) => ({ domain: `${label}${String(n).padStart(3, '0')}.test`, tags: ['brand'] }));

describe('a bulk change of watchlist entries', () => {
  it('changes all matching entries, and writes one audit record with filter, fields and counts', async () => {
    const { key } = await anAccount();
    const other = await anAccount();
    for (const one of [key, other.key])
      await importAll(one, [
        { domain: 'a.test', tags: ['brand', 'old'], interval_minutes: 60 },
        { domain: 'b.test', tags: ['brand'], note: 's3cret', interval_minutes: 1440 },
        { domain: 'c.test', tags: ['else'] },
      ]);
    const body = { interval_minutes: 60, add_tags: ['renew'], remove_tags: ['old'], note: 'n0te', purpose: 'own' };
    const before = await settingsOf(other.key, 'tags', 'interval_minutes');
    const preview = await changeMany(key, 'tag=brand&dry_run=true', { interval_minutes: 60 });
    expect(preview.body).toEqual({ ...NONE, dry_run: true, matched: 2, changed: 1, unchanged: 1, first: ['b.test'] });
    const records = await auditRecordsOf(service, async () => {
      const { status, body: answer } = await changeMany(key, 'tag=brand&expect=2', body);
      expect(status).toBe(200);
      expect(answer).toEqual({ ...NONE, dry_run: false, matched: 2, changed: 2, first: ['a.test', 'b.test'] });
    });
    expect(await settingsOf(key, 'tags', 'interval_minutes', 'note', 'purpose')).toEqual([
      ['a.test', ['brand', 'renew'], 60, 'n0te', 'own'],
      ['b.test', ['brand', 'renew'], 60, 'n0te', 'own'],
      ['c.test', ['else'], 360, null, 'monitor'],
    ]);
    expect(await settingsOf(other.key, 'tags', 'interval_minutes')).toEqual(before);
    expect(records.map(({ action, state_after }) => [action, parse(state_after)])).toEqual([
      [
        'watchlist.changed_many',
        {
          ...{ filter: 'tag=brand', matched: 2, changed: 2, interval_minutes: 60, purpose: 'own' },
          ...{ add_tags: ['renew'], remove_tags: ['old'], changed_notes: ['note'] },
        },
      ],
    ]);
    const again = await changeMany(key, 'tag=brand', body);
    expect(again.body).toMatchObject({ matched: 2, changed: 0, unchanged: 2, first: [] });
  });

  it('changes the entries that the plan allows, and says why it refuses the others', async () => {
    const { id, key } = await anAccount('free');
    await importAll(key, [
      { domain: 'a.test' },
      { domain: 'b.test' },
      { domain: 'c.test', tags: Array.from({ length: 20 }, (_, n) => `t${n}`) },
    ]);
    const allowedBefore = `update watch_entries set interval_minutes = 60 where account_id = $1 and domain <> 'b.test'`;
    await service.query(allowedBefore, [id]);
    const refusals = [
      {
        code: 'interval_not_allowed',
        message: 'The free plan does not allow an interval of 60 minutes.',
        entries: 1,
        first: ['b.test'],
      },
      { code: 'invalid_request', message: 'A name may have 20 tags.', entries: 1, first: ['c.test'] },
    ];
    const body = { interval_minutes: 60, add_tags: ['x'] };
    const preview = await changeMany(key, 'all=true&dry_run=true', body);
    expect(preview.body).toMatchObject({ matched: 3, changed: 1, refused: 2, refusals });
    const { body: done } = await changeMany(key, 'all=true', body);
    expect(done).toMatchObject({ matched: 3, changed: 1, refused: 2, refusals, first: ['a.test'] });
    expect(await settingsOf(key, 'interval_minutes')).toEqual([
      ['a.test', 60],
      ['b.test', 1440],
      ['c.test', 60],
    ]);
  });

  it('changes nothing if the expected count is wrong, or the filter or body is invalid', async () => {
    const { key } = await anAccount();
    await importAll(key, names(3));
    const before = await watched(key);
    for (const dry of ['', '&dry_run=true']) {
      const other = await changeMany(key, `tag=brand&expect=2${dry}`, { paused: true });
      expect(other).toMatchObject({ status: 412, body: { code: 'precondition_failed', matched: 3 } });
    }
    expect(await removeMany(key, 'all=true&expect=4', NDJSON)).toMatchObject({ status: 412 });
    const refused: [string, object][] = [
      ['', { paused: true }],
      ['dry_run=true&expect=3', { paused: true }],
      ['all=true&tag=brand', { paused: true }],
      ['tag=', { paused: true }],
      ['tags=brand', { paused: true }],
      ['search=%00', { paused: true }],
      ['import=aud_%27;drop', { paused: true }],
      ['all=true', {}],
      ['all=true', { domain: 'x.test' }],
      ['all=true', { paused: 'yes' }],
      ['all=true', { tags: ['a'], add_tags: ['b'] }],
      ['all=true', { add_tags: ['a'], remove_tags: ['a'] }],
      ['all=true', { add_tags: ['a\u0000'] }],
    ];
    for (const [query, body] of refused)
      expect([query, body, (await changeMany(key, query, body)).status]).toEqual([query, body, 400]);
    expect((await removeMany(key, '')).status).toBe(400);
    expect(await watched(key)).toEqual(before);
  });

  it('can make each entry’s current record the expected one, and refuses entries without a record', async () => {
    const { id, key } = await anAccount();
    await importAll(key, [{ domain: 'shown-record.test', tags: ['x'] }, { domain: 'no-record.test' }]);
    await service.query(
      `update watched_names set facts = '{"outcome":"found"}', facts_confirmed_at = now() + interval '1 second'
       where domain = 'shown-record.test'`,
    );
    await service.query(
      `insert into registration_records (domain, kind, value, first_seen_at, confirmed_at) values
         ('shown-record.test', 'nameservers', '["ns1.hoster.test"]', now(), now()),
         ('shown-record.test', 'statuses', '["client transfer prohibited"]', now(), now())`,
    );
    const body = { expect_current: true };
    const preview = await changeMany(key, 'all=true&dry_run=true', body);
    const message = 'The registry shows no name servers, registrar or lock of this name.';
    const refusals = [{ code: 'invalid_request', message, entries: 1, first: ['no-record.test'] }];
    const outcome = { matched: 2, changed: 1, refused: 1, refusals, first: ['shown-record.test'] };
    expect(preview.body).toMatchObject({ dry_run: true, ...outcome });
    expect((await changeMany(key, 'all=true', body)).body).toMatchObject({ dry_run: false, ...outcome });
    expect(await settingsOf(key, 'expected', 'tags')).toEqual([
      ['no-record.test', null, []],
      ['shown-record.test', { nameservers: ['ns1.hoster.test'], locked: true }, ['x']],
    ]);
    expect((await changeMany(key, 'tag=x', body)).body).toMatchObject({ changed: 0, unchanged: 1 });
    expect((await changeMany(key, 'tag=x', { ...body, expected: null })).status).toBe(400);
    const stranger = await anAccount();
    await importAll(stranger.key, [{ domain: 'shown-record.test' }]);
    await service.query(
      `update watch_entries set created_at = now() + interval '1 hour' where domain = 'shown-record.test' and account_id <> $1`,
      [id],
    );
    expect((await changeMany(stranger.key, 'all=true', body)).body).toMatchObject({ changed: 0, refused: 1 });
  });

  it('treats SQL and HTML in a filter as plain text', async () => {
    const { key } = await anAccount();
    const text = `'"; drop table watch_entries; -- <script>%_\\ {x}`.slice(0, 50);
    await importAll(key, [{ domain: 'a.test', tags: [text] }, { domain: 'b.test' }]);
    const { body } = await changeMany(key, `tag=${encodeURIComponent(text)}`, { add_tags: ['&tag=x'], note: text });
    expect(body).toMatchObject({ matched: 1, changed: 1 });
    expect(await settingsOf(key, 'note', 'tags')).toEqual([
      ['a.test', text, [text, '&tag=x']],
      ['b.test', null, []],
    ]);
    const { body: list } = await service.call({ path: '/v1/watchlist', key });
    const [first] = list['data'] as { id: string }[];
    const two = `id=${String(first?.id)}&id=wl_unknown`;
    expect((await changeMany(key, `${two}&dry_run=true`, { paused: true })).body).toMatchObject({ matched: 1 });
    expect((await changeMany(key, 'id=x%27', { paused: true })).status).toBe(400);
    expect((await changeMany(key, 'search=%25', { paused: true })).body).toMatchObject({ matched: 1 });
  });

  it('streams its progress and then the result if the client accepts NDJSON', async () => {
    const { key } = await anAccount();
    await importAll(key, names(250));
    expect(jsonLinesOf(await changeMany(key, 'tag=brand', { paused: true }, NDJSON))).toEqual([
      { done: 200, matched: 250 },
      { done: 250, matched: 250 },
      expect.objectContaining({ dry_run: false, matched: 250, changed: 250 }),
    ]);
    const nothing = await changeMany(key, 'tag=none', { paused: true }, NDJSON);
    expect(jsonLinesOf(nothing).at(-1)).toMatchObject({ matched: 0, changed: 0 });
  });

  it('loses no change when another bulk change and a removal run at the same time', async () => {
    const { key } = await anAccount();
    await importAll(key, names(300));
    const [one, two, removed] = await Promise.all([
      changeMany(key, 'tag=brand', { add_tags: ['one'] }),
      changeMany(key, 'tag=brand', { add_tags: ['two'], interval_minutes: 60 }),
      removeMany(key, 'domain=n2'),
    ]);
    expect([one.status, two.status, removed.status]).toEqual([200, 200, 200]);
    expect(removed.body).toMatchObject({ matched: 100, removed: 100 });
    for (const { body } of [one, two])
      expect(Number(body['changed']) + Number(body['gone'])).toBe(Number(body['matched']));
    const left = await watched(key);
    expect(left).toHaveLength(200);
    expect(left.every(({ tags }) => (tags as string[]).toSorted().join() === 'brand,one,two')).toBe(true);
  });
});

describe('a bulk removal of watchlist entries', () => {
  it.each([{ tag: 'brand' }, {}, 'null'])(
    'is refused, and removes nothing, if the request has the body %j',
    async (body) => {
      const { key } = await anAccount();
      await importAll(key, names(2));
      const headers = { 'content-type': 'application/json' };
      const answer = await service.call({ method: 'DELETE', path: '/v1/watchlist?all=true', key, body, headers });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(await watched(key)).toHaveLength(2);
    },
  );

  it('writes one audit record, and lists each removed entry with the id of the request', async () => {
    const { key } = await anAccount();
    await importAll(key, [...names(3), { domain: 'kept.test' }]);
    const preview = await removeMany(key, 'tag=brand&dry_run=true');
    expect(preview.body).toMatchObject({ dry_run: true, matched: 3, removed: 3, first: { length: 3 } });
    expect(await watched(key)).toHaveLength(4);
    const records = await auditRecordsOf(service, async () => {
      expect((await removeMany(key, 'tag=brand&expect=3')).body).toMatchObject({ matched: 3, removed: 3 });
    });
    expect(await settingsOf(key)).toEqual([['kept.test']]);
    expect(records.map(({ action, state_after }) => [action, parse(state_after)])).toEqual([
      ['watchlist.removed_many', { filter: 'tag=brand', matched: 3, removed: 3 }],
    ]);
    const { body } = await service.call({ path: '/v1/watchlist/removed', key });
    expect(body['data']).toEqual(
      names(3).map(() => expect.objectContaining({ request_id: records[0]?.['request_id'] })),
    );
  });

  it('removes only the names that an import added, if filtered by that import', async () => {
    const { key } = await anAccount();
    await importAll(key, [{ domain: 'before.test' }]);
    const rows = [...names(3), { domain: 'before.test' }];
    const records = await auditRecordsOf(service, async () => {
      const first = await importAll(key, rows);
      expect(first).toMatchObject({ created: 3, existing: 1, import_id: expect.stringMatching(/^run_/) });
    });
    const id = String(records[0]?.['target_id']);
    expect(records).toMatchObject([{ action: 'watchlist.imported', target_id: expect.stringMatching(/^run_/) }]);
    expect(await importAll(key, rows)).not.toHaveProperty('import_id');
    expect((await watched(key, `&import=${id}`)).map(({ domain }) => domain)).toEqual(
      names(3).map(({ domain }) => domain),
    );
    const stranger = await anAccount();
    expect((await removeMany(stranger.key, `import=${id}`)).body).toMatchObject({ matched: 0, removed: 0 });
    expect((await removeMany(key, `import=${id}&expect=3`)).body).toMatchObject({ removed: 3 });
    expect(await settingsOf(key)).toEqual([['before.test']]);
  });
});

import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { AuditTrail } from '../../../src/auth/index.js';
import { RefusedAuthentications } from '../../../src/auth/authentication/refused-authentications.js';
import { formatApiKey } from '../../../src/kernel/api-key-format.js';
import { newId } from '../../../src/kernel/identifier.js';
import { TransactionOrder } from '../../../src/platform/database/transaction-order.js';
import { auditRecords, auditRecordsOf } from '../../support/database/audit-records.js';
import { asServingUser } from '../../support/database/database.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { type Answer, type Call, startTestService } from '../../support/servers/test-service.js';

const service = running(() => startTestService({ ROLE: 'api', TRUST_PROXY: 'on' }));

const records = (condition?: string, values?: unknown[]) => auditRecords(service, condition, values);
const recordsOf = (act: () => Promise<unknown>) => auditRecordsOf(service, act);
const call = (request: Call) => service.call(request);

describe('an audit record', () => {
  it('shows the changed values, but for a secret header only that the header changed', async () => {
    const body = { type: 'webhook', target: 'https://hooks.example.test/t0ken', headers: { 'x-token': 's3cret' } };
    const [added] = await recordsOf(() => call({ method: 'POST', path: '/v1/notifications', body }));
    const path = `/v1/notifications/${String(added?.['target_id'])}`;
    const [changed, ...none] = await recordsOf(async () => {
      await call({
        method: 'PATCH',
        path,
        body: { headers: { 'x-token': 'n3w-s3cret' }, event_types: ['watchlist.available'] },
      });
      await call({ method: 'PATCH', path, body: { event_types: ['watchlist.available'] } }); // as it is
    });
    expect(none).toEqual([]);
    expect(JSON.parse(String(added?.['state_after']))).toEqual({
      type: 'webhook',
      label: null,
      summary: null,
      target: 'hooks.example.test/…',
      event_types: [],
      tags: [],
      headers: ['x-token'],
      active: true,
      reason: null,
    });
    expect(JSON.parse(String(changed?.['state_before']))).toEqual({ event_types: [] });
    expect(JSON.parse(String(changed?.['state_after']))).toEqual({
      event_types: ['watchlist.available'],
      changed_headers: ['x-token'],
    });
    expect(JSON.stringify(await records())).not.toMatch(/t0ken|s3cret|nw_/);
  });

  it('has the client’s address from the proxy, a shortened user agent, and names with HTML unchanged', async () => {
    const name = '<script>alert(1)</script>"; drop table audit_records; --';
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'user-agent': `\u00e9${'x'.repeat(5_000)}`,
      'x-request-id': `r1 \u00e9${'y'.repeat(500)}`,
    };
    const [left] = await recordsOf(() => call({ method: 'POST', path: '/v1/keys', body: { name }, headers }));
    expect(left).toMatchObject({
      address: '203.0.113.9',
      user_agent: `?${'x'.repeat(199)}`,
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_request_id: `r1 ?${'y'.repeat(96)}`,
    });
    expect(JSON.parse(String(left?.['state_after']))).toMatchObject({ name });
  });

  it('cannot be changed or deleted by the service’s database user', async () => {
    const serving = new pg.Client(await asServingUser(service.databaseUrl));
    await serving.connect();
    try {
      for (const change of [`update audit_records set action = 'x'`, 'delete from audit_records'])
        await expect(serving.query(change)).rejects.toThrow('audit records are never changed');
      await expect(serving.query('truncate audit_records')).rejects.toThrow('permission denied');
      const { rows } = await serving.query(`select delete_audit_records_of($1, 10) as deleted`, [service.account.id]);
      expect(rows).toEqual([{ deleted: 0 }]); // its deletion has not begun
    } finally {
      await serving.end();
    }
  });
});

describe('GET /v1/audit', () => {
  const page = (query: string, key: string) => call({ path: `/v1/audit?${query}`, key });
  const names = ({ body }: Answer) =>
    (body['data'] as { after: { name: string } | null }[]).map((one) => one.after?.name);

  it('returns each record of the account exactly once over all pages, and none of other accounts', async () => {
    const [anna, bert] = [await service.openAccount(), await service.openAccount()];
    for (const name of ['a', 'b', 'c']) await call({ method: 'POST', path: '/v1/keys', key: anna.key, body: { name } });
    await eventually(
      () => page('', anna.key), // a record is shown when every transaction before it has ended
      ({ body }) => (body['data'] as unknown[]).length === 4,
    );
    const seen: unknown[] = [];
    for (let [query, more] = ['limit=1', true]; more;) {
      const { body } = await page(query, anna.key);
      const { next, has_more } = body['meta'] as { next: string; has_more: boolean };
      seen.push(...(body['data'] as { action: string }[]).map(({ action }) => action));
      [query, more] = [`limit=1&after=${next}`, has_more];
    }
    expect(seen).toEqual(['account.created', 'key.issued', 'key.issued', 'key.issued']);
    expect((await page('', bert.key)).body['data']).toHaveLength(1); // its own creation
  });

  it('orders records by the number of their transaction, not by their time', async () => {
    const { id, key } = await service.openAccount();
    for (const name of ['a', 'b', 'c']) await call({ method: 'POST', path: '/v1/keys', key, body: { name } });
    await service.query(
      `update audit_records r set xid = (997 + n)::text::xid8, occurred_at = timestamptz '2026-01-01' - n * interval '1 min'
       from (select id, row_number() over (order by seq) as n from audit_records where account_id = $1) numbered
       where numbered.id = r.id`,
      [id],
    );
    await service.get(TransactionOrder).onModuleInit(); // so that all of them lie in the past
    const inOrder = ['test', 'a', 'b', 'c'];
    const all = await eventually(
      () => page('', key),
      ({ body }) => (body['data'] as unknown[]).length === inOrder.length,
    );
    expect(names(all)).toEqual(inOrder);
    const first = await page('limit=2', key);
    const { next } = first.body['meta'] as { next: string };
    expect([...names(first), ...names(await page(`limit=2&after=${next}`, key))]).toEqual(inOrder);
    const newestFirst = await service.get(AuditTrail).latest(id, 10, {});
    expect(newestFirst.map(({ after }) => after?.['name'])).toEqual([...inOrder].reverse());
  });

  it('filters by action, actor, target, request and time, and refuses malformed filters', async () => {
    const { id, key } = await service.openAccount();
    const request = { method: 'POST', path: '/v1/keys', key, body: { name: 'k', scopes: ['audit:read'] } };
    const issued = await call({ ...request, headers: { 'x-request-id': 'r1' } });
    const reader = String(issued.body['key']);
    await eventually(
      () => page('', reader),
      ({ body: found }) => (found['data'] as unknown[]).length === 2,
    );
    await service.query(`update audit_records set occurred_at = '2026-01-01T00:00:00Z'
      where account_id = '${id}' and action = 'account.created'`);
    const issuer = `key_${key.slice(3, 29)}`;
    expect(names(await page('action=key.issued', reader))).toEqual(['k']);
    expect(names(await page('action=account.*', reader))).toEqual(['test']);
    expect(names(await page(`actor=${issuer}`, reader))).toEqual(['k']);
    expect(names(await page('actor=service', reader))).toEqual(['test']);
    expect(names(await page(`target=${id}`, reader))).toEqual(['test']);
    expect(names(await page(`request=${String(issued.headers['x-request-id'])}`, reader))).toEqual(['k']);
    expect(names(await page('request=r1&action=ledger.closed', reader))).toEqual([]);
    expect(names(await page('since=2026-01-01T00:00:00.001Z', reader))).toEqual(['k']);
    expect(names(await page('until=2026-01-01T00:00:00.001Z', reader))).toEqual(['test']);
    for (const query of [
      'action=x',
      'action=key.isued',
      'action=keys',
      'target=',
      'request=%00',
      'since=yesterday',
      'after=1',
      'limit=0',
      'actor=',
    ])
      expect(await page(query, reader)).toMatchObject({ status: 400 });
  });
});

describe('refused credentials', () => {
  const flush = () => service.get(RefusedAuthentications).flush();
  const guess = (id: string) => formatApiKey(id, BigInt(`0x${Math.random().toString(16).slice(2)}`));
  const use = (key: string, address = '198.51.100.7') =>
    call({ path: '/v1/me', key, headers: { 'x-forwarded-for': address } });

  it('are counted in one audit record per key; unknown keys share one without an account', async () => {
    const { id, key } = await service.openAccount();
    const keyId = `key_${key.slice(3, 29)}`;
    await flush();
    const left = await recordsOf(async () => {
      for (let n = 0; n < 3; n += 1) expect((await use(guess(keyId))).status).toBe(401);
      for (let n = 0; n < 2; n += 1) await use(guess(newId('key')));
      await call({ path: '/v1/me', key: null }); // no credential, no attempt
      await flush();
    });
    const refused = { action: 'authentication.refused', actor_type: 'unknown', address: '198.51.100.7' };
    expect(left).toEqual([
      expect.objectContaining({ ...refused, account_id: id, target_id: keyId }),
      expect.objectContaining({ ...refused, account_id: null, target_id: null }),
    ]);
    expect(left.map(({ state_after }) => JSON.parse(String(state_after)) as unknown)).toEqual([
      { reason: 'wrong_secret', count: 3, since: expect.any(String) },
      { reason: 'unknown', count: 2, since: expect.any(String) },
    ]);
  });

  it('leave no audit record if the account of the key no longer exists', async () => {
    const attempt = { reason: 'revoked', accountId: newId('acc'), keyId: newId('key') } as const;
    service.get(RefusedAuthentications).add(attempt, '192.0.2.1');
    expect(await recordsOf(flush)).toEqual([]);
    expect(await recordsOf(flush)).toEqual([]);
  });
});

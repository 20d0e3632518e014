import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { IdempotencyStore } from '../../../src/platform/idempotency/idempotency-store.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { eventually } from '../../support/eventually.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';
import { dumpDatabase, leaksIn } from '../../support/database/dump-database.js';

const WATCHLIST = '/v1/watchlist';
const service = running(() => startTestService({ ROLE: 'api' }));

const post = (path: string, body: unknown, idempotencyKey: string, key?: string): Promise<Answer> => {
  const headers = { 'idempotency-key': idempotencyKey };
  return service.call({
    method: 'POST',
    path,
    headers,
    ...(key ? { key } : {}),
    ...(body === undefined ? {} : { body }),
  });
};
const watch = (domain: string, idempotencyKey: string, key?: string) =>
  post(WATCHLIST, { domain }, idempotencyKey, key);
const entriesOf = async (domain: string) =>
  (await service.query('select 1 from watch_entries where domain = $1', [domain])).rowCount;
const isReplayed = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';

describe('a request repeated with the same Idempotency-Key', () => {
  it('gets the first answer again, and has no second effect', async () => {
    const key = randomUUID();
    const [first, second] = [await watch('again.test', key), await watch('again.test', key)];
    expect(first.status).toBe(201);
    expect(isReplayed(first)).toBe(false);
    expect({ ...second, headers: {} }).toEqual({ ...first, headers: {} });
    expect(isReplayed(second)).toBe(true);
    expect(second.headers['location']).toBe(first.headers['location']);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await entriesOf('again.test')).toBe(1);
  });

  it('runs once if sent twenty times at once; the others get 409 or the same answer', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 20 }, () => watch('twenty.test', key)));
    expect(await entriesOf('twenty.test')).toBe(1);
    expect(answers.filter((answer) => answer.status === 201 && !isReplayed(answer))).toHaveLength(1);
    for (const { status, body, headers } of answers.filter((answer) => answer.status !== 201)) {
      expect({ status, code: body['code'] }).toEqual({ status: 409, code: 'idempotency_in_flight' });
      expect(headers['retry-after']).toBe('1');
    }
    expect(isReplayed(await watch('twenty.test', key))).toBe(true);
  });

  it('is refused with 422 if its body or query differs', async () => {
    const key = randomUUID();
    await watch('mismatch.test', key);
    const other = await watch('other.test', key);
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect(await entriesOf('other.test')).toBe(0);
    const importFile = (query: string) =>
      service.call({
        method: 'POST',
        path: `/v1/watchlist/import${query}`,
        body: 'domain\nmismatched.test\n',
        headers: { 'idempotency-key': key, 'content-type': 'text/csv' },
      });
    expect((await importFile('')).status).toBe(200);
    expect((await importFile('?mode=sync&scope_tag=a')).status).toBe(422);
  });

  it('counts as a new request on another path or from another account', async () => {
    const [key, other] = [randomUUID(), await service.openAccount()];
    expect((await watch('scoped.test', key)).status).toBe(201);
    const theirs = await watch('scoped.test', key, other.key);
    expect([theirs.status, isReplayed(theirs)]).toEqual([201, false]);
    expect((await post('/v1/keys', { name: 'scoped' }, key)).status).toBe(201);
  });

  it('gets its first refusal again, even if it would succeed now', async () => {
    const key = randomUUID();
    const entry = await service.call({ method: 'POST', path: WATCHLIST, body: { domain: 'taken.test' } });
    const refused = await watch('taken.test', key);
    expect(refused).toMatchObject({ status: 409, body: { code: 'already_watched', id: entry.body['id'] } });
    await service.call({ method: 'DELETE', path: `${WATCHLIST}/${String(entry.body['id'])}` });
    const again = await watch('taken.test', key);
    expect(again).toMatchObject({ status: 409, body: refused.body });
    expect(again.headers['content-type']).toBe('application/problem+json');
    expect(isReplayed(again)).toBe(true);
    expect(await entriesOf('taken.test')).toBe(0);
  });

  it.each(['watch_entries', 'idempotent_responses'])(
    'runs again after the first attempt failed with 500 while writing to %s',
    async (table) => {
      const [key, domain] = [randomUUID(), `failed-${table.replace('_', '-')}.test`];
      await service.query(
        `create or replace function fail() returns trigger as 'begin raise ''no''; end' language plpgsql`,
      );
      await service.query(`create trigger fail before insert on ${table} execute function fail()`);
      expect(await watch(domain, key)).toMatchObject({ status: 500, body: { code: 'internal_error' } });
      expect(await entriesOf(domain)).toBe(0);
      await service.query(`drop trigger fail on ${table}`);
      const again = await watch(domain, key);
      expect([again.status, isReplayed(again)]).toEqual([201, false]);
      expect(await entriesOf(domain)).toBe(1);
    },
  );

  it('counts as a new request once the stored answer has expired', async () => {
    const key = randomUUID();
    await watch('tomorrow.test', key);
    await service.query(`update idempotent_responses set expires_at = now() - interval '1 ms'`);
    expect(await watch('tomorrow.test', key)).toMatchObject({ status: 409, body: { code: 'already_watched' } });
    await service.get(IdempotencyStore).purgeExpired();
    const { rows } = await service.query<{ left: string }>('select count(*) as left from idempotent_responses');
    expect(rows).toEqual([{ left: '1' }]);
  });

  it.each(['', 'ä', 'k'.repeat(256), 'tab\there'])('is refused with 400 if the key is %j', async (key) => {
    const { status, body } = await watch('malformed.test', key);
    expect(status).toBe(400);
    expect(body['errors']).toMatchObject([{ pointer: '#header/Idempotency-Key', code: 'malformed' }]);
    expect(await entriesOf('malformed.test')).toBe(0);
  });

  it('is accepted with a key of 255 printable characters', async () => {
    expect((await watch('long-key.test', `" ~${'k'.repeat(252)}`)).status).toBe(201);
  });
});

describe('the stored answer of an Idempotency-Key', () => {
  it('returns secrets again, but has none of them readable in the database', async () => {
    const key = `canary-${randomUUID()}`;
    const hook = { type: 'webhook', target: 'https://hooks.example.test/kept', headers: { 'x-token': randomUUID() } };
    const [opened, again] = [await post('/v1/notifications', hook, key), await post('/v1/notifications', hook, key)];
    expect(opened.status).toBe(201);
    expect(again.body).toEqual(opened.body);
    const issued = await post('/v1/keys', { name: 'kept' }, key);
    const secrets = {
      webhook: String(opened.body['secret']),
      header: hook.headers['x-token'],
      key: String(issued.body['key']),
      idempotencyKey: key,
    };
    expect(leaksIn(await dumpDatabase(service.databaseUrl), secrets)).toEqual([]);
  });

  it('is returned for repeated test, redelivery and replay requests', async () => {
    const opened = await post('/v1/notifications', { type: 'email', target: 'ada@example.test' }, randomUUID());
    const channel = `/v1/notifications/${String(opened.body['id'])}`;
    const twice = async (path: string, body?: unknown) => {
      const key = randomUUID();
      const [first, second] = [await post(path, body, key), await post(path, body, key)];
      expect(second.body).toEqual(first.body);
      expect([isReplayed(first), isReplayed(second)]).toEqual([false, true]);
      return first;
    };
    const test = await twice(`${channel}/test`);
    expect(test).toMatchObject({ status: 202, body: { state: 'pending', event_type: 'channel.test', attempts: [] } });
    const delivery = String(test.body['id']);
    await service.query(`update deliveries set state = 'failed', next_attempt_at = null where id = $1`, [delivery]);
    const redelivered = await twice(`/v1/deliveries/${delivery}/redeliver`);
    expect(redelivered).toMatchObject({ status: 202, body: { state: 'pending', id: delivery } });
    const now = new Date();
    const range = { from: new Date(now.getTime() - 60_000).toISOString(), to: now.toISOString() };
    expect((await twice(`${channel}/replay`, range)).status).toBe(202);
  });

  it('does not exist for requests that only read: checks and dry runs of imports', async () => {
    const key = randomUUID();
    const check = (domain: string) => post('/v1/domains/check?max_age=0', { domains: [domain] }, key);
    const file = (domain: string) =>
      service.call({
        method: 'POST',
        path: '/v1/watchlist/import?dry_run=true',
        body: `domain\n${domain}\n`,
        headers: { 'idempotency-key': key, 'content-type': 'text/csv' },
      });
    for (const read of [check, file])
      for (const domain of ['registered.test', 'registered.test', 'available.test']) {
        const answer = await read(domain);
        expect([answer.status, isReplayed(answer)]).toEqual([200, false]);
      }
  });

  it('is returned for the same import file, but not for a streamed import', async () => {
    const file = (body: string, more: Record<string, string> = {}, key = 'import') => {
      const headers = { 'content-type': 'text/csv', 'idempotency-key': key, ...more };
      return service.call({ method: 'POST', path: '/v1/watchlist/import', body, headers });
    };
    const [first, second] = [await file('domain\nimported.test\n'), await file('domain\nimported.test\n')];
    expect(first).toMatchObject({ status: 200, body: { created: 1 } });
    expect([second.body, isReplayed(second)]).toEqual([first.body, true]);
    expect(await file('domain\nother.test\n')).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    const lines = { accept: 'application/x-ndjson' };
    const stream = () => file('domain\nimported.test\n', lines, 'lines');
    expect(await stream()).toMatchObject({ status: 200 });
    const again = await eventually(stream, ({ status }) => status !== 409); // the key is free after the last line
    expect([again.status, isReplayed(again)]).toEqual([200, false]);
  });

  it('is documented for every POST under /v1 except startSession and checkDomains', async () => {
    const document = ApiDocument.committed();
    const posts = document.operations.filter(({ method, path }) => method === 'POST' && path.startsWith('/v1/'));
    const signsOf = (operation: Operation) => [
      operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
      document.problemCodes(operation).includes('idempotency_mismatch'),
      document.problemCodes(operation).includes('idempotency_in_flight'),
      JSON.stringify(operation.responses).includes('Idempotency-Replayed'),
    ];
    const silent = posts.filter((operation) => !signsOf(operation).some(Boolean));
    // A kept reply would keep the secret of a cookie, or say what was free a day ago.
    expect(silent.map(({ operationId }) => operationId)).toEqual(['startSession', 'checkDomains']);
    for (const operation of posts.filter((one) => !silent.includes(one)))
      expect([operation.operationId, ...signsOf(operation)]).toEqual([operation.operationId, true, true, true, true]);
    const others = document.operations.filter(({ method }) => method !== 'POST');
    for (const operation of others)
      expect([operation.operationId, signsOf(operation).some(Boolean)]).toEqual([operation.operationId, false]);
    expect(posts.length).toBeGreaterThan(6);
  });
});

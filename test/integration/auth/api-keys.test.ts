import { describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually } from '../../support/eventually.js';
import { afterWaiting } from '../../support/fakes/process-time.js';
import { generateApiKey } from '../../../src/auth/index.js';
import { formatApiKey } from '../../../src/kernel/api-key-format.js';
import { running } from '../../support/running.js';
import { type Answer, startTestService, type TestService } from '../../support/servers/test-service.js';
import { statementsDuring } from '../../support/database/statements.js';

const BY_THE_CLOCK = /^(clock_|lookups_|registry_|request_|select 1$)/;
const COUNT = 'rate_limit_windows_count';

const one = running(() => startTestService({ ROLE: 'api' }));
/** Another process, on the same database. */
const other = running(() => startTestService({ ROLE: 'api', DATABASE_URL: one.databaseUrl }));

const issue = async () => {
  const { body } = await one.call({
    method: 'POST',
    path: '/v1/keys',
    body: { name: 'k', scopes: ['watchlist:read'] },
  });
  return { id: String(body['id']), key: String(body['key']) };
};
const use = async (service: TestService, key: string) => (await service.call({ path: '/v1/watchlist', key })).status;

function withoutIds(answer: Answer | null) {
  const { request_id: _, ...body } = answer?.body ?? {};
  const { 'x-request-id': _id, date: _date, ...headers } = answer?.headers ?? {};
  return { status: answer?.status, headers, body };
}

describe('an API key', () => {
  it('stops working in all processes within a second after it is revoked', async () => {
    const { id, key } = await issue();
    expect([await use(one, key), await use(other, key)]).toEqual([200, 200]);
    expect((await one.call({ method: 'DELETE', path: `/v1/keys/${id}` })).status).toBe(204);
    for (const service of [one, other]) expect(await afterWaiting(1_000, () => use(service, key))).toBe(401);
  });

  it('is refused if it is revoked while its request is still being sent', async () => {
    await one.app.listen(0, '127.0.0.1');
    const { port } = new URL(await one.app.getUrl());
    const { body } = await one.call({ method: 'POST', path: '/v1/keys', body: { name: 'thief', scopes: ['admin'] } });
    const key = String(body['key']);
    const socket = connect(Number(port), '127.0.0.1');
    const [json, answer] = ['{"name": "a key that outlives"}', text(socket)];
    const lines = ['POST /v1/keys HTTP/1.1', 'host: here', `authorization: Bearer ${key}`, 'connection: close'];
    socket.write([...lines, 'content-type: application/json', `content-length: ${json.length}`, '', ''].join('\r\n'));
    socket.write(json.slice(0, 10));
    expect((await one.call({ method: 'DELETE', path: `/v1/keys/${String(body['id'])}` })).status).toBe(204);
    await eventually(
      () => one.call({ path: '/v1/me', key }),
      ({ status }) => status === 401,
    );
    socket.write(json.slice(10));
    expect(await answer).toMatch(/^HTTP\/1.1 401 /);
  });

  it('is refused with the same answer and SQL if its id is unknown or its secret wrong', async () => {
    const { id } = await issue();
    const revoked = await issue();
    await one.call({ method: 'DELETE', path: `/v1/keys/${revoked.id}` });
    const forged = [generateApiKey().text, formatApiKey(id, 1n), formatApiKey(revoked.id, 1n)];
    const seen: { statements: string[]; answer: unknown }[] = [];
    for (const key of forged) {
      let answer: Answer | null = null;
      const ask = async () => void (answer = await one.call({ path: '/v1/watchlist', key }));
      const statements = await statementsDuring(ask, BY_THE_CLOCK);
      seen.push({ statements, answer: withoutIds(answer) });
    }
    expect(seen[0]).toMatchObject({ statements: ['api_keys_stored', COUNT], answer: { status: 401 } });
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });

  it('is checked without an SQL statement once it is cached', async () => {
    const { key } = await issue();
    await use(one, key);
    const run = await statementsDuring(() => use(one, key), BY_THE_CLOCK);
    expect(run.sort()).toEqual(['list_count', 'list_created_at_desc', COUNT]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kindOf } from '../../support/builders/generated-calls.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { saying } from '../../support/fakes/registry-faults.js';
import { type Answer, startTestService, type TestService } from '../../support/servers/test-service.js';

/** The document is drift-checked, so that a new route cannot be forgotten here. */
const document = new ApiDocument(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')) as Record<string, unknown>,
);
/** The stream does not end; it has a test of its own. */
const asked = document.operations.filter(({ security, path }) => security.length > 0 && !path.endsWith('/stream'));
const reading = asked.filter(({ method, path }) => method === 'GET' && !path.endsWith('/check'));
const kindOfId = ({ parameters }: Operation) =>
  parameters.flatMap((one) => (one.in === 'path' ? (kindOf(one) ?? []) : []))[0];

/** In everything that Anna has. */
const MARK = 'annas';
/** Bert watches it, and Anna only checks it: accounts that watch the same name share its later checks. */
const BOTH = 'both.example';
const EXPIRES_AT = new Date(Date.now() + 300 * 86_400_000);

let registry: FakeRegistry;
let service: TestService;
let anna: string;
let bert: string;
const bertsIds: Record<string, string> = {};
beforeAll(async () => {
  registry = await FakeRegistry.start();
  for (const domain of [BOTH, `${MARK}.example`]) registry.holds(domain, { expiresAt: EXPIRES_AT });
  registry.says(`${MARK}-fails.example`, saying(500, MARK));
  service = await startTestService({
    ...{ ROLE: 'api', ACCOUNT_ISOLATION: 'on' },
    ...{ RDAP_OVERRIDES: `example=${registry.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
  });
  ({ key: anna } = await service.openAccount());
  ({ key: bert } = await service.openAccount());
  for (const kind of ['nc', 'dl', 'key'])
    bertsIds[kind] = await createFixture(kind, (call) => service.call(call), bert);
  const body = { domain: BOTH, interval_minutes: 60 };
  const entry = await service.call({ method: 'POST', path: '/v1/watchlist', body, key: bert });
  bertsIds['wl'] = String(entry.body['id']);
  await service.call({ path: `/v1/domains/check?domain=${BOTH}`, key: bert });
});
afterAll(async () => {
  await service.close();
  await registry.stop();
});

const ask = (operation: Operation, id: string) =>
  service.call({ ...document.exampleCall(operation, { id }), key: bert });

/** Everything that Bert can read but what differs from one request to the next anyway. */
async function bertsView(): Promise<Record<string, unknown>> {
  const views: Record<string, unknown> = {};
  for (const operation of reading) {
    const { status, headers, body } = await ask(operation, bertsIds[kindOfId(operation) ?? ''] ?? '');
    const { date: _date, 'x-request-id': _id, ...others } = headers;
    const shown = Object.entries(others).filter(([name]) => !/ratelimit/.test(name));
    views[operation.operationId] = { status, headers: Object.fromEntries(shown), body };
  }
  return views;
}

/** All that an account can do, by a busy one. @returns everything that names it or what it has */
async function actAsAnna(): Promise<string[]> {
  const call = (method: string, path: string, body?: unknown) => service.call({ method, path, body, key: anna });
  const answers: Answer[] = [];
  await call('GET', `/v1/domains/check?domain=${BOTH}&max_age=0`);
  for (const domain of [`${MARK}.example`, `${MARK}-fails.example`, `${MARK}--expiring.test`]) {
    await call('GET', `/v1/domains/check?domain=${domain}&max_age=0`);
    answers.push(await call('POST', '/v1/watchlist', { domain, tags: [MARK], note: MARK }));
    await call('GET', `/v1/domains/check?domain=${domain}&max_age=0`);
  }
  const file = { method: 'POST', path: '/v1/watchlist/import', body: `domain\n${MARK}--registered.test\n`, key: anna };
  await service.call({ ...file, headers: { 'content-type': 'text/csv' } });
  await call('POST', '/v1/domains/check', { domains: [BOTH, `${MARK}--available.test`] });
  const hook = { type: 'webhook', target: `https://hooks.example.test/${MARK}`, tags: [MARK] };
  answers.push(await call('POST', '/v1/notifications', hook), await call('POST', '/v1/keys', { name: MARK }));
  answers.push(await call('POST', `/v1/notifications/${String(answers.at(-2)?.body['id'])}/test`, {}));
  await call('DELETE', `/v1/watchlist/${String(answers[0]?.body['id'])}`);
  const me = await call('GET', '/v1/me');
  return [
    MARK,
    ...[...answers, me].flatMap(({ body }) => JSON.stringify(body).match(/\b(wl|nc|dl|key|acc)_\w{26}/g) ?? []),
  ];
}

const timesIn = (text: string) => [...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g)].map(([at]) => at);

describe('with ACCOUNT_ISOLATION, while another account is busy', () => {
  let before: Record<string, unknown>;
  let [began, ended] = ['', ''];
  let hers: string[];
  beforeAll(async () => {
    // The feed shows an event when every transaction before it has ended, those of other suites on this server included.
    const views = await eventually(
      async () => [await bertsView(), await bertsView()] as const,
      ([one, next]) => JSON.stringify(one) === JSON.stringify(next),
    );
    [before] = views;
    began = new Date().toISOString();
    hers = await actAsAnna();
    ended = new Date().toISOString();
  });

  it.each(reading.map((operation) => operation.operationId))(
    '%s stays as it is, headers and cursors too',
    async (id) => {
      expect((await bertsView())[id]).toEqual(before[id]);
    },
  );

  it.each(asked.map((operation) => [operation.operationId, operation] as const))(
    '%s shows nothing that is the other account’s, and no time of what it did',
    async (_, operation) => {
      const kind = kindOfId(operation);
      const id = kind === undefined ? '' : await createFixture(kind, (call) => service.call(call), bert);
      const { status, headers, body } = await ask(operation, id);
      expect(status).toBeLessThan(500);
      const text = JSON.stringify([headers, body]);
      for (const secret of hers) expect(text).not.toContain(secret);
      expect(timesIn(text).filter((at) => began <= at && at <= ended)).toEqual([]);
    },
  );

  it.each([`${MARK}.example`, BOTH])('a check of %s is as if nobody else had asked', async (domain) => {
    const asking = new Date().toISOString();
    const { headers, body } = await service.call({ path: `/v1/domains/check?domain=${domain}&max_age=0`, key: bert });
    expect(headers['age']).toBe('0');
    expect(String(body['checked_at']) >= asking).toBe(true);
  });

  it('the stream sends nothing', async () => {
    const { body } = await service.call({ path: '/v1/events/stream?for_seconds=1', key: bert });
    expect(body['text']).toBe('retry: 3000\n\n');
  });
});

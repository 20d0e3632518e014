import { beforeAll, describe, expect, it } from '@jest/globals';
import { ClaimDueNames } from '../../../src/watchlist/checks/claim-due-names.js';
import { CheckDueNames } from '../../../src/watchlist/checks/check-due-names.js';
import { FakeRegistry } from '../../world/registry.js';
import { rdapRecord } from '../../support/builders/rdap-answers.js';
import { saying, slowly } from '../../world/registry-faults.js';
import { eventually } from '../../support/eventually.js';
import { type Answer, startTestService } from '../../support/servers/test-service.js';
import { running } from '../../support/running.js';
import { kindOf } from '../../support/builders/generated-calls.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const IN_DELETION = { statuses: ['pendingDelete'], expiresAt: inDays(-40) };

/** No scheduler and no worker takes part: names are looked up by checks, or directly. */
const registry = running(() => FakeRegistry.start());
const service = running(() =>
  startTestService({
    ROLE: 'api',
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  }),
);

type Json = Record<string, unknown>;
const open = async () => (await service.openAccount()).key;
const check = (domain: string, key: string, more = '') =>
  service.call({ path: `/v1/domains/check?domain=${domain}${more}`, key });
const watch = async (domain: string, key: string) => {
  const body = { domain, interval_minutes: 60 };
  return (await service.call({ method: 'POST', path: '/v1/watchlist', body, key })).body as Json & { id: string };
};
const listed = async (key: string) =>
  ((await service.call({ path: '/v1/watchlist?expand=lifecycle,evidence,failing', key })).body['data'] as Json[])[0];
const show = async (id: string, key: string) =>
  (await service.call({ path: `/v1/watchlist/${id}?expand=lifecycle,evidence`, key })).body;
const timesIn = (body: unknown) => [...JSON.stringify(body).matchAll(/"(\d{4}-\d\d-\d\dT[^"]+)"/g)].map(([, at]) => at);
/** Those in texts too, such as a cursor that is shown or an answer of a registry. */
const allTimesIn = (text: string) => [...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g)].map(([at]) => at);
/** As a worker checks a due name. */
const checkDue = async (domain: string) => {
  await service.query(`update watched_names set next_check_at = now() - interval '1 s' where domain = $1`, [domain]);
  for (const batch of await service.get(ClaimDueNames).run()) await service.get(CheckDueNames).run(batch);
};

/** The feed shows an event when every transaction before it has ended, those of other suites on this server included. */
const eventsOf = (key: string, count: number) =>
  eventually(
    () => service.call({ path: '/v1/events', key }),
    ({ body }) => (body['data'] as unknown[]).length >= count,
  );

describe('a check by one of two accounts', () => {
  it('is answered from earlier checks of the same account only', async () => {
    const [first, second] = [await open(), await open()];
    registry.holds('checked.example', { expiresAt: inDays(300) });
    await check('checked.example', first);
    await service.query('select pg_sleep(1.1)'); // so that an Age would show
    const asked = new Date().toISOString();
    const answer = await check('checked.example', second);
    expect([registry.queries('checked.example'), answer.headers['age']]).toEqual([2, '0']);
    expect(String(answer.body['checked_at']) >= asked).toBe(true);
    expect((await check('checked.example', second)).body['checked_at']).toBe(answer.body['checked_at']);
    const bulk = { method: 'POST', path: '/v1/domains/check', body: { domains: ['checked.example'] } };
    await service.call({ ...bulk, key: second });
    expect(registry.queries('checked.example')).toBe(2);
    await service.call({ ...bulk, key: await open() });
    expect(registry.queries('checked.example')).toBe(3);
  });

  it('asks the registry again even while the other account is checking the same name', async () => {
    const [first, second] = [await open(), await open()];
    registry.says('joint.example', slowly(500, saying(200, rdapRecord('joint.example', { expiresAt: inDays(300) }))));
    const under = check('joint.example', first);
    await service.query('select pg_sleep(0.1)');
    const asked = new Date().toISOString();
    const [one, other] = await Promise.all([under, check('joint.example', second)]);
    expect([one.status, other.status, registry.queries('joint.example')]).toEqual([200, 200, 2]);
    expect(String(other.body['checked_at']) >= asked).toBe(true);
  });

  it('is not answered from the scheduled lookup of a watched name', async () => {
    const watching = await open();
    registry.holds('seen.example', { expiresAt: inDays(300) });
    await watch('seen.example', watching);
    await checkDue('seen.example');
    expect((await check('seen.example', watching)).status).toBe(200);
    expect(registry.queries('seen.example')).toBe(2);
  });
});

describe('a new entry for a name that another account watches', () => {
  const begins = async (domain: string, key: string) => {
    const first = await open();
    await watch(domain, first);
    await check(domain, first);
    return { first, entry: await watch(domain, key) };
  };

  it('begins without the other account’s results, and shows no time before its creation', async () => {
    const key = await open();
    registry.holds('begun.example', IN_DELETION);
    const { first, entry } = await begins('begun.example', key);
    const blank = { status: 'registered', last_checked_at: null, lifecycle: null, evidence: [], failing: null };
    expect(entry).toMatchObject({ status: 'registered' });
    expect(await listed(key)).toMatchObject(blank);
    expect(await show(entry.id, key)).toMatchObject({ ...blank, expires_at: null, pending_confirmation: null });
    const { body: file } = await service.call({ path: '/v1/watchlist/export?format=csv', key });
    expect(file['text']).toMatch(/^begun\.example,60,30,,,monitor,+\r?$/m);
    const matching = async (filter: string) =>
      ((await service.call({ path: `/v1/watchlist?${filter}`, key })).body['meta'] as Json)['total'];
    expect([await matching('answered=false'), await matching('answered=true')]).toEqual([1, 0]);

    await check('begun.example', first, '&max_age=0'); // another lookup, which is for both
    expect([await matching('answered=false'), await matching('answered=true')]).toEqual([0, 1]);
    const history = await service.call({ path: `/v1/watchlist/${entry.id}/history`, key });
    const events = await eventsOf(key, 1);
    expect(events.body['data']).toMatchObject([{ data: { move: 'discovered', status: 'pending_delete' } }]);
    const { expires_at, lifecycle, ...shown } = await show(entry.id, key);
    expect([expires_at, lifecycle]).toEqual([IN_DELETION.expiresAt.toISOString(), expect.anything()]);
    const intervals = (history.body['data'] as Json[]).map(({ expires_at: _, ...one }) => one);
    const sent = (events.body['data'] as { data: Json }[]).map(({ data: { expires_at: _, ...one } }) => one);
    for (const at of timesIn([shown, intervals, sent])) expect(String(at) >= String(entry['created_at'])).toBe(true);
  });

  it('begins without the other account’s results if it was imported, too', async () => {
    const key = await open();
    registry.holds('imported.example', IN_DELETION);
    const first = await open();
    await watch('imported.example', first);
    await check('imported.example', first);
    const file = { path: '/v1/watchlist/import', body: 'domain\nimported.example\n' };
    await service.call({ method: 'POST', ...file, headers: { 'content-type': 'text/csv' }, key });
    expect(await listed(key)).toMatchObject({ status: 'registered', last_checked_at: null, lifecycle: null });
  });

  it('does not show an unconfirmed change that only the other account saw', async () => {
    const key = await open();
    const { entry } = await begins('sighted.example', key);
    expect(await show(entry.id, key)).toMatchObject({ pending_confirmation: null, last_checked_at: null });
    await check('sighted.example', key, '&max_age=0');
    const { pending_confirmation: pending } = await show(entry.id, key);
    for (const at of timesIn(pending)) expect(String(at) >= String(entry['created_at'])).toBe(true);
  });

  it('does not show that lookups already failed before the entry was added', async () => {
    const key = await open();
    registry.says('failing.example', saying(500, ''));
    const { first } = await begins('failing.example', key);
    await check('failing.example', first, '&max_age=0');
    const entry = await listed(key);
    const failing = entry?.['failing'] as { since: string } | undefined;
    expect(String(failing?.since) >= String(entry?.['created_at'])).toBe(true);
    expect(await show(String(entry?.['id']), key)).toMatchObject({ failing: { failures: 1 } });
  });
});

describe('an event about failing checks', () => {
  it('shows no result and no time from before the entry was added', async () => {
    const [first, key] = [await open(), await open()];
    registry.holds('silent.example', { expiresAt: inDays(300) });
    await watch('silent.example', first);
    await check('silent.example', first);
    const { id } = await watch('silent.example', key);
    await service.query(`update watch_entries set created_at = now() - interval '2 hours' where id = $1`, [id]);
    await service.query(
      `update watched_names set failures = 5, failing_since = now() - interval '5 hours', failure_code = 'registry_timeout',
         facts_confirmed_at = now() - interval '6 hours', facts_since = now() - interval '6 hours' where domain = 'silent.example'`,
    );
    registry.says('silent.example', saying(500, ''));
    await check('silent.example', key, '&max_age=0');
    registry.holds('silent.example', { expiresAt: inDays(300) });
    await check('silent.example', key, '&max_age=0');
    const created = String((await show(id, key))['created_at']);
    const { body } = await eventsOf(key, 2);
    const [failing, recovered] = body['data'] as { type: string; data: Json }[];
    expect(failing).toMatchObject({ type: 'watchlist.check_failing', data: { since: created, expires_at: null } });
    expect(recovered).toMatchObject({ type: 'watchlist.check_recovered', data: { since: created } });
    for (const { data } of [failing, recovered].filter((event) => event !== undefined)) {
      const { expires_at: _, ...sent } = data;
      for (const at of timesIn(sent)) expect(String(at) >= created).toBe(true);
    }
  });
});

describe('the list of registries', () => {
  it('does not reveal the domain of another account that serves to test the registry', async () => {
    registry.holds('secret.example', { expiresAt: inDays(300) });
    await check('secret.example', await open());
    const { body } = await service.call({ path: '/v1/registries?tld=example' });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body['data']).toMatchObject([{ tlds: [{ canary: { domain: null, found: true } }] }]);
  });
});

/** The document is drift-checked, so that a new route cannot be forgotten here. */
const document = ApiDocument.committed();
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

let anna: string;
let bert: string;
const bertsIds: Record<string, string> = {};
beforeAll(async () => {
  for (const domain of [BOTH, `${MARK}.example`]) registry.holds(domain, { expiresAt: EXPIRES_AT });
  registry.says(`${MARK}-fails.example`, saying(500, MARK));
  ({ key: anna } = await service.openAccount());
  ({ key: bert } = await service.openAccount());
  for (const kind of ['nc', 'dl', 'key']) bertsIds[kind] = await createFixture(kind, service, bert);
  const body = { domain: BOTH, interval_minutes: 60 };
  const entry = await service.call({ method: 'POST', path: '/v1/watchlist', body, key: bert });
  bertsIds['wl'] = String(entry.body['id']);
  await service.call({ path: `/v1/domains/check?domain=${BOTH}`, key: bert });
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

describe('an account, while another account is busy,', () => {
  let [before, after]: Record<string, unknown>[] = [];
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
    after = await bertsView();
  });

  it.each(reading.map((operation) => operation.operationId))(
    'gets the same answer, headers and cursors as before from %s',
    (id) => {
      expect(after?.[id]).toEqual(before?.[id]);
    },
  );

  it.each(asked.map((operation) => [operation.operationId, operation] as const))(
    'sees neither data of the other account nor when it acted, in %s',
    async (_, operation) => {
      const kind = kindOfId(operation);
      const id = kind === undefined ? '' : await createFixture(kind, service, bert);
      const { status, headers, body } = await ask(operation, id);
      expect(status).toBeLessThan(500);
      const text = JSON.stringify([headers, body]);
      for (const secret of hers) expect(text).not.toContain(secret);
      expect(allTimesIn(text).filter((at) => began <= at && at <= ended)).toEqual([]);
    },
  );

  it('gets no event of the other account from the event stream', async () => {
    // It begins where the feed ends, before events of transactions that are newer than any that is still open.
    const ownEvents = `select count(*)::int as made from events e join api_keys k using (account_id) where k.id = $1`;
    const { rows } = await service.query(ownEvents, [`key_${bert.slice(3, 29)}`]);
    await eventually(
      () => service.call({ path: '/v1/events?limit=100', key: bert }),
      ({ body }) => (body['data'] as unknown[]).length === rows[0]?.['made'],
    );
    const { body } = await service.call({ path: '/v1/events/stream?for_seconds=1', key: bert });
    expect(body['text']).toBe('retry: 3000\n\n');
  });
});

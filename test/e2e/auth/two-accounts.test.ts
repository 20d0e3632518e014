import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeyRepository } from '../../../src/auth/accounts/api-keys.repository.js';
import { DomainName } from '../../../src/domains/language.js';
import { UnitOfWork } from '../../../src/kernel/unit-of-work.js';
import { DeliveryRepository } from '../../../src/notifications/deliveries/deliveries.repository.js';
import { DeliveryReader } from '../../../src/notifications/deliveries/delivery-reader.repository.js';
import { TransactionCursor } from '../../../src/kernel/paging/transaction-cursor.js';
import { EventFeed } from '../../../src/notifications/events/event-feed.repository.js';
import { ChannelReader } from '../../../src/notifications/channels/channel-reader.repository.js';
import { NotificationChannelRepository } from '../../../src/notifications/channels/notification-channels.repository.js';
import { EntryReader } from '../../../src/watchlist/entries/entry-reader.repository.js';
import { HistoryRepository } from '../../../src/watchlist/records/history.repository.js';
import { RegistrationRecordRepository } from '../../../src/watchlist/records/registration-records.repository.js';
import { SqlClient } from '../../../src/platform/database/sql-client.js';
import { WatchEntryRepository } from '../../../src/watchlist/watch-entries.repository.js';
import { WatchlistExportReader } from '../../../src/watchlist/transfer/watchlist-export.repository.js';
import { ApiDocument, type Operation } from '../../support/documents/api-document.js';
import { eventually } from '../../support/eventually.js';
import { kindOf } from '../../support/builders/generated-calls.js';
import { createFixture } from '../../support/builders/fixtures.js';
import { type Answer, type Call, startTestService, type TestService } from '../../support/servers/test-service.js';

/** The document is drift-checked, so that a new route cannot be forgotten here. */
const document = ApiDocument.committed();
const kinds = (operation: Operation) =>
  operation.parameters.flatMap((one) => (one.in === 'path' ? (kindOf(one) ?? []) : []));
const asked = document.operations.filter(({ security }) => security.length > 0);
const withId = asked.filter((operation) => kinds(operation).length > 0);
const withoutId = asked.filter((operation) => kinds(operation).length === 0);
const byName = (operations: readonly Operation[]) => operations.map((one) => [one.operationId, one] as const);

/** In everything that Anna has; Bert must never read it. */
const MARK = 'annas';
const ANNAS_WATCH = { domain: `${MARK}--expiring.test`, tags: [MARK], note: MARK, notify_current: true };
const REMOVED = `${MARK}-removed--expiring.test`;
const ANNAS_HOOK = { type: 'webhook', target: `https://hooks.example.test/${MARK}`, tags: [MARK] };

let service: TestService;
let anna: string;
let bert: string;
const things: Record<string, string> = {};
beforeAll(async () => {
  service = await startTestService({ ROLE: 'api' });
  anna = service.account.key;
  ({ key: bert } = await service.openAccount());
  const post = async (path: string, body: object) =>
    String((await service.call({ method: 'POST', path, body, key: anna })).body['id']);
  things['wl'] = await post('/v1/watchlist', ANNAS_WATCH);
  things['removed'] = await post('/v1/watchlist', { domain: REMOVED });
  await service.call({ method: 'DELETE', path: `/v1/watchlist/${things['removed']}`, key: anna });
  things['nc'] = await post('/v1/notifications', ANNAS_HOOK);
  things['dl'] = await post(`/v1/notifications/${things['nc']}/test`, {});
  things['key'] = await post('/v1/keys', { name: MARK });
  things['ses'] = await post('/v1/sessions', {});
  things['inv'] = await post('/v1/invitations', { email: `${MARK}@example.test`, role: 'admin' });
  things['adr'] = await post('/v1/client-pages', { tags: [MARK], title: MARK });
  things['per'] = await createFixture('per', service, anna);
  // Both feeds show a record when every transaction before it has ended, those of other suites on this server included.
  for (const [path, last] of [
    ['/v1/events', 'evt_'],
    ['/v1/audit', 'member.joined'],
  ] as const)
    await eventually(
      () => service.call({ path, key: anna }),
      ({ body }) => JSON.stringify(body).includes(last),
    );
});
afterAll(() => service.close());

function ask(operation: Operation, id: string, key: string): Promise<Answer> {
  return service.call({ ...document.exampleCall(operation, { id }), key });
}

/** Says no more than the same request about what never was. */
function malformedCall(operation: Operation, id: string): Call {
  const { path, body, ...call } = document.exampleCall(operation, { id });
  const nonsense = `${path}${path.includes('?') ? '&' : '?'}nonsense=1`;
  return { ...call, path: nonsense, ...(body === undefined ? {} : { body: { nonsense: true } }) };
}

/** Everything in the responses of Anna’s reading operations, but for when her key was used and where a feed goes on. */
async function annasView(): Promise<unknown> {
  const reading = asked.filter(({ method, path }) => method === 'GET' && !/check|registries|stream|\/me$/.test(path));
  const views = reading.map(async (operation) => {
    const { body } = await ask(operation, things[kinds(operation)[0] ?? ''] ?? '', anna);
    return JSON.stringify(body).replaceAll(/"(last_used_at|next)":("[^"]*"|null)/g, '');
  });
  return Promise.all(views);
}

/** Without what differs from request to request anyway. */
function sameForAll({ status, headers, body }: Answer, id: string): unknown {
  const { request_id: _, ...rest } = body;
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  const limits = /^ratelimit|^x-ratelimit/;
  const shared = Object.entries(others).filter(([name]) => !limits.test(name));
  return { status, body: JSON.stringify(rest).replaceAll(id, '{id}'), headers: Object.fromEntries(shared) };
}

describe('data of another account', () => {
  it.each(byName(withId))('is answered with the same 404 as data that never existed by %s', async (_, operation) => {
    const [kind = ''] = kinds(operation);
    const id = things[kind] ?? `no resource is known for ids ${kind}_…`;
    const before = await annasView();
    const answer = await ask(operation, id, bert);
    expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(JSON.stringify(answer.body)).not.toContain(MARK);
    const missing = `${kind}_${'0'.repeat(26)}`;
    expect(sameForAll(answer, id)).toEqual(sameForAll(await ask(operation, missing, bert), missing));
    const [malformed, malformedMissing] = await Promise.all(
      [id, missing].map((one) => service.call({ ...malformedCall(operation, one), key: bert })),
    );
    expect([400, 404]).toContain(malformed?.status);
    expect(malformed && sameForAll(malformed, id)).toEqual(malformedMissing && sameForAll(malformedMissing, missing));
    expect(await annasView()).toEqual(before);
  });

  it.each(byName(withoutId))('does not appear in the answer of %s', async (_, operation) => {
    if (operation.path.endsWith('/stream')) return; // it has a test of its own below
    const before = await annasView();
    const answer = await ask(operation, '', bert);
    expect(answer.status).toBeLessThan(500);
    const text = JSON.stringify(answer.body);
    for (const secret of [MARK, ...Object.values(things)]) expect(text).not.toContain(secret);
    expect(await annasView()).toEqual(before);
  });

  it('does not keep this account from adding the same name and webhook', async () => {
    const watch = await service.call({ method: 'POST', path: '/v1/watchlist', body: ANNAS_WATCH, key: bert });
    const hook = await service.call({ method: 'POST', path: '/v1/notifications', body: ANNAS_HOOK, key: bert });
    expect([watch.status, hook.status]).toEqual([201, 201]);
    for (const { body } of [watch, hook]) expect(Object.values(things)).not.toContain(body['id']);
  });

  it('is not found by an entry id in the query of /v1/events', async () => {
    const events = await service.call({ path: `/v1/events?entry_id=${things['wl']}`, key: bert });
    expect(events).toMatchObject({ status: 200, body: { data: [] } });
  });
});

const CHANGE_RECORD = {
  name: '',
  text: `insert into registration_records
           (domain, kind, value, first_seen_at, confirmed_at, previous, previous_seen_at, evidence)
         values ($1, 'ds', '[]', now(), now(), '["annas"]', now(), '[]')`,
};

/** Both the rows and the count of them have to be the account's own. */
function sizeOf(page: { readonly rows: readonly unknown[]; readonly total: number } | null): number | null {
  if (!page) return null;
  const { rows, total } = page;
  expect(rows).toHaveLength(total);
  return total || null;
}

/** The sources of the routes. */
describe('a database repository', () => {
  const read = <Port>(port: abstract new (...parameters: never[]) => Port): Port =>
    service.app.get<Port>(port, { strict: false });
  const id = (kind: string) => String(things[kind]);
  const domain = DomainName.restore(ANNAS_WATCH.domain);
  const reads: Record<string, (accountId: string) => Promise<unknown>> = {
    entry: (account) => read(EntryReader).findDetails(account, id('wl')),
    history: async (account) => sizeOf(await read(HistoryRepository).findPage(account, id('wl'), 1, 20)),
    'removed entries': async (account) => sizeOf(await read(HistoryRepository).findRemoved(account, null, 1, 20)),
    'removed entries of a name': async (account) =>
      sizeOf(await read(HistoryRepository).findRemoved(account, REMOVED, 1, 20)),
    'changes of a record': async (account) =>
      sizeOf(await read(RegistrationRecordRepository).findChanges(account, id('wl'), 1, 20)),
    list: async (account) => (await read(WatchlistExportReader).findAfter({ accountId: account }, '', 10))[0],
    'watch on a name': async (account) =>
      (await read(WatchEntryRepository).isWatching(account, domain, new Date())) || null,
    'name of an entry': (account) => within(() => read(WatchEntryRepository).findDomain(account, id('wl'))),
    'entry to change': async (account) =>
      (await within(() => read(WatchEntryRepository).findAllForUpdate(account, [domain.ascii])))[0],
    channel: (account) => read(ChannelReader).find(account, id('nc')),
    'channel to change': (account) => within(() => read(NotificationChannelRepository).findLocked(id('nc'), account)),
    deliveries: async (account) => sizeOf(await read(DeliveryReader).page(account, id('nc'), 1, 20)),
    'deliveries about an entry': async (account) =>
      sizeOf(await read(DeliveryReader).pageOfEntry(account, id('wl'), 1, 20)),
    delivery: (account) => read(DeliveryReader).find(account, id('dl')),
    'delivery to repeat': (account) => within(() => read(DeliveryRepository).findLocked(account, id('dl'))),
    events: async (accountId) => {
      const request = { accountId, after: TransactionCursor.START, limit: 10, entryId: id('wl') };
      return (await read(EventFeed).after(request))[0];
    },
    key: (account) => within(() => read(ApiKeyRepository).find(id('key'), account)),
  };
  const within = <Read>(work: () => Promise<Read>) => read(UnitOfWork).run(work);
  let stranger: string;

  beforeAll(async () => {
    // A lookup of the name gives it a history and an event.
    await service.call({ path: `/v1/domains/check?domain=${ANNAS_WATCH.domain}&max_age=0`, key: anna });
    await read(SqlClient).run(CHANGE_RECORD, [ANNAS_WATCH.domain]);
    ({ id: stranger } = await service.openAccount());
    // Events are shown once every transaction that began before them is over.
    await eventually(
      () => reads['events']?.(service.account.id) ?? Promise.resolve(null),
      (event) => Boolean(event),
    );
  });

  it.each(Object.entries(reads))(
    'finds this for its own account, but nothing for another account: %s',
    async (_, readFor) => {
      expect(await readFor(service.account.id)).toBeTruthy();
      expect((await readFor(stranger)) ?? null).toBeNull();
    },
  );
});

describe('data of one’s own account', () => {
  it.each(byName(withId))('is found by operation %s', async (_, operation) => {
    const [kind = ''] = kinds(operation);
    const id = await createFixture(kind, service, anna);
    const { status, body } = await ask(operation, id, anna);
    // A thing that was made a moment ago is on its way; only its owner sees that.
    expect(status < 300 || body['code'] === 'delivery_pending' ? 'there' : { status, body }).toBe('there');
  });
});

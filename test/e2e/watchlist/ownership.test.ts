import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

let registry: FakeRegistry;
let service: TestService;
beforeAll(async () => {
  registry = await FakeRegistry.start();
  const overrides = { RDAP_OVERRIDES: `example=${registry.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' };
  service = await startTestService({ TIME_SCALE: '3600', ...overrides }); // an hour takes a second
});
afterAll(async () => {
  await service.close();
  await registry.stop();
});

const add = async (body: Record<string, unknown>) =>
  String((await service.call({ method: 'POST', path: '/v1/watchlist', body })).body['id']);
const show = async (id: string) => (await service.call({ path: `/v1/watchlist/${id}` })).body;
const patch = (id: string, body: unknown) => service.call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body });
const eventsOf = async (id: string) => {
  const { body } = await service.call({ path: `/v1/events?entry_id=${id}` });
  return (body['data'] as { type: string; data: object }[]).map(({ type, data }) => ({ type, ...data }));
};
/** The half of an ETag that stands for the settings. */
const settingsOf = ({ etag }: Record<string, unknown>) => String(etag).split('.')[0];

describe('the reminders of an entry', () => {
  it('are the default ones, or those that were chosen', async () => {
    const id = await add({ domain: 'reminded.test' });
    expect(await show(id)).toMatchObject({ remind_days: [60, 30, 14, 7, 3, 1], renewal: null });
    const renewal = { on: '2028-02-29', note: 'Invoice.' };
    const { headers } = await service.call({ path: `/v1/watchlist/${id}` });
    const { body } = await patch(id, { remind_days: [7, 90, 30], renewal });
    expect(body).toMatchObject({ remind_days: [90, 30, 7], renewal });
    expect((await service.call({ path: `/v1/watchlist/${id}` })).headers['etag']).not.toBe(headers['etag']);
    expect((await patch(id, { renewal: { on: '2029-03-01' } })).body).toMatchObject({
      renewal: { on: '2029-03-01', note: null },
    });
    expect((await patch(id, { remind_days: [], renewal: null })).body).toMatchObject({
      remind_days: [],
      renewal: null,
    });
    const { body: reset, headers: unchanged } = await patch(id, { remind_days: null });
    expect(reset).toMatchObject({ remind_days: [60, 30, 14, 7, 3, 1] });
    expect(settingsOf(unchanged)).toBe(settingsOf(headers));
    expect((await patch(id, { intent: 'acquire' })).body).toMatchObject({ remind_days: [] });
  });

  it.each<[object, string]>([
    [{ remind_days: [0] }, '/remind_days'],
    [{ remind_days: [366] }, '/remind_days'],
    [{ remind_days: [7, 7] }, '/remind_days'],
    [{ remind_days: ['7'] }, '/remind_days'],
    [{ remind_days: 7 }, '/remind_days'],
    [{ remind_days: Array.from({ length: 11 }, (_, day) => day + 1) }, '/remind_days'],
    [{ renewal: '2027-03-01' }, '/renewal'],
    [{ renewal: [] }, '/renewal'],
    [{ renewal: {} }, '/renewal/on'],
    [{ renewal: { on: '2027-02-29' } }, '/renewal/on'],
    [{ renewal: { on: '2027-03-01T00:00:00Z' } }, '/renewal/on'],
    [{ renewal: { on: '1999-01-01' } }, '/renewal/on'],
    [{ renewal: { on: '2027-03-01', note: 'a\nb' } }, '/renewal/note'],
    [{ renewal: { on: '2027-03-01', note: 'x'.repeat(201) } }, '/renewal/note'],
    [{ renewal: { on: '2027-03-01', by: 'me' } }, '/renewal/by'],
  ])('reject %j', async (settings, pointer) => {
    const call = { method: 'POST', path: '/v1/watchlist', body: { domain: 'refused-reminder.test', ...settings } };
    expect(await service.call(call)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });

  it('run on a date of the watcher where the registry publishes none, and move no status', async () => {
    registry.holds('dateless.example');
    const on = inDays(20).toISOString().slice(0, 10);
    const id = await add({ domain: 'dateless.example', remind_days: [45, 10], renewal: { on, note: '<b>Ada</b>' } });
    const events = await eventually(
      () => eventsOf(id),
      (found) => found.length > 0,
    );
    expect(events).toMatchObject([
      { type: 'watchlist.expiring', status: 'registered', expires_at: null, threshold_days: 45, renewal: { on } },
    ]);
    expect(await show(id)).toMatchObject({ status: 'registered', phase: 'registered', change_seq: 0 });
  });
});

describe('what a watcher expects of a registration record', () => {
  it('is compared with it, where the registry says something', async () => {
    registry.holds('expected.example', { expiresAt: inDays(300), nameservers: ['ns1.example.net', 'ns2.example.net'] });
    const expected = { nameservers: ['NS2.example.net.', 'ns1.example.net'], registrar_id: '292', locked: true };
    const id = await add({ domain: 'expected.example', interval_minutes: 60, expected });
    const stored = { ...expected, nameservers: ['ns1.example.net', 'ns2.example.net'] };
    const shown = await eventually(
      () => show(id),
      ({ drift }) => (drift as string[]).length > 0,
    );
    expect(shown).toMatchObject({ expected: stored, drift: ['locked'] });
    const other = await patch(id, { expected: { nameservers: ['ns9.example.net'] } });
    expect(other.body).toMatchObject({ expected: { nameservers: ['ns9.example.net'] }, drift: ['nameservers'] });
    expect((await patch(id, { expected: null })).body).toMatchObject({ expected: null, drift: [] });
  });

  it.each([
    { nameservers: ['not a host'] },
    { nameservers: 'ns1.example.net' },
    { nameservers: Array.from({ length: 33 }, (_, i) => `ns${i}.example.net`) },
    { registrar_id: 292 },
    { registrar_id: '0292' },
    { locked: 'yes' },
    { owner: 'me' },
    [],
  ])('rejects %j', async (expected) => {
    const { status } = await service.call({
      method: 'POST',
      path: '/v1/watchlist',
      body: { domain: 'no.test', expected },
    });
    expect(status).toBe(400);
  });
});

describe('the registration record of an entry', () => {
  it('is shown in entry and list, and its changes are events and a page of their own', async () => {
    registry.holds('owned.example', { expiresAt: inDays(300), registrar: 'One', nameservers: ['NS1.example.net.'] });
    const id = await add({ domain: 'owned.example', interval_minutes: 60 });
    await eventually(
      async () => registry.queries('owned.example'),
      (count) => count > 2,
    );
    registry.holds('owned.example', { expiresAt: inDays(300), registrar: 'Two', nameservers: ['ns1.example.net'] });
    const changes = await eventually(
      async () => (await service.call({ path: `/v1/watchlist/${id}/changes` })).body,
      ({ meta }) => (meta as { total: number }).total > 0,
    );
    const change = { kind: 'registrar', before: { name: 'One', iana_id: null }, after: { name: 'Two', iana_id: null } };
    expect(changes).toMatchObject({ data: [{ ...change, evidence: [{ source: 'rdap' }] }], meta: { total: 1 } });
    const [stored] = changes['data'] as Record<string, string>[];
    const times = ['previous_seen_at', 'first_seen_at', 'confirmed_at'].map((field) => stored?.[field]);
    expect(times).toEqual([...new Set(times)].sort());
    const record = { registrar: change.after, nameservers: ['ns1.example.net'], statuses: ['active'] };
    const { body: entry } = await service.call({ path: `/v1/watchlist/${id}?expand=record` });
    expect(entry).toMatchObject({ record, change_seq: 0 });
    const { body: list } = await service.call({ path: '/v1/watchlist?domain=owned.&expand=record' });
    expect(list).toMatchObject({ data: [{ id, record }] });
    const events = await eventually(
      () => eventsOf(id),
      (all) => all.length > 0,
    );
    expect(events).toMatchObject([{ type: 'watchlist.record_changed', ...change, status: 'registered' }]);
  });
});

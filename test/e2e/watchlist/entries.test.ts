import { describe, expect, it } from '@jest/globals';
import { FakeRegistry } from '../../world/registry.js';
import { eventually } from '../../support/eventually.js';
import { registryFaults } from '../../world/registry-faults.js';
import { running } from '../../support/running.js';
import { startTestService } from '../../support/servers/test-service.js';

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY);

const registry = running(() => FakeRegistry.start());
const service = running(() =>
  startTestService({
    TIME_SCALE: '3600', // an hour takes a second
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  }),
);

const add = async (body: Record<string, unknown>) => {
  const { status, body: created } = await service.call({ method: 'POST', path: '/v1/watchlist', body });
  expect(status).toBe(201);
  return String(created['id']);
};
const show = async (id: string) => (await service.call({ path: `/v1/watchlist/${id}` })).body;
const patch = (id: string, body: unknown, key?: string) =>
  service.call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body, ...(key === undefined ? {} : { key }) });
const historyOf = async (id: string) => {
  const { body } = await service.call({ path: `/v1/watchlist/${id}/history` });
  return body['data'] as Record<string, unknown>[];
};
const eventsOf = async (id: string) => {
  const { body } = await service.call({ path: `/v1/events?entry_id=${id}&limit=1000` });
  return (body['data'] as { type: string; data: Record<string, unknown> }[]).map(({ type, data }) => ({
    type,
    ...data,
  }));
};
const hasHistory = (id: string) =>
  eventually(
    () => historyOf(id),
    (intervals) => intervals.length === 1,
  );
const eventsAfter = (id: string, count: number) =>
  eventually(
    () => eventsOf(id),
    (events) => events.length > count,
  );
const isChecked = (id: string) =>
  eventually(
    () => show(id),
    (entry) => entry['last_checked_at'] !== null,
  );
const becomes = (id: string, wanted: Record<string, unknown>) =>
  eventually(
    () => show(id),
    (entry) => Object.entries(wanted).every(([field, value]) => entry[field] === value),
  );

describe('a watchlist entry', () => {
  it('shows the facts from the registry and the chosen settings', async () => {
    registry.holds('shown.example', { expiresAt: inDays(20) });
    const choice = { expiring_window_days: 10, tags: ['brand', 'brand', 'eu'], note: 'Ours.', purpose: 'own' };
    const id = await add({ domain: 'shown.example', interval_minutes: 60, ...choice });
    const entry = await becomes(id, { phase: 'registered', change_seq: 0, failing: null });
    const checked = await isChecked(id);
    expect(Object.keys(entry).join(' ')).toBe(
      'id domain status interval_minutes last_checked_at created_at domain_unicode phase expires_at expiring_window_days ' +
        'effective_interval_minutes interval_reason next_check_at paused tags note purpose remind_days renewal expected ' +
        'drift change_seq pending_confirmation failing updated_at',
    );
    expect(checked).toMatchObject({
      ...choice,
      tags: ['brand', 'eu'],
      effective_interval_minutes: 60,
      interval_reason: null,
      paused: false,
      pending_confirmation: null,
    });
    expect(Date.parse(String(checked['expires_at']))).toBeGreaterThan(Date.now());
  });

  it('is returned with only five fields when created, even if more settings were sent', async () => {
    const body = { domain: 'registered.test', tags: ['a'], purpose: 'acquire' };
    const created = await service.call({ method: 'POST', path: '/v1/watchlist', body });
    expect(Object.keys(created.body)).toEqual(['id', 'domain', 'status', 'interval_minutes', 'created_at']);
  });

  it.each([
    [{ tags: ['bell\u0007'] }, '/tags'],
    [{ note: 'nul\u0000' }, '/note'],
    [{ interval_minutes: null }, '/interval_minutes'],
    [{ domain: 'other.test' }, '/domain'],
  ])('stays unchanged when this change is refused: %j', async (body, pointer) => {
    const id = await add({ domain: `refusing${pointer.replace(/[^a-z]/g, '-')}--registered.test` });
    const before = await show(id);
    const errors = [{ pointer: expect.stringContaining(pointer) }];
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { code: 'invalid_request', errors } });
    expect((await show(id))['updated_at']).toEqual(before['updated_at']);
  });

  it('refuses a new interval that the plan does not allow, and accepts an allowed interval', async () => {
    const id = await add({ domain: 'plan--registered.test', interval_minutes: 60 });
    expect(await patch(id, { interval_minutes: 61 })).toMatchObject({
      status: 422,
      body: { code: 'interval_not_allowed' },
    });
    expect(await patch(id, { interval_minutes: 60, note: null })).toMatchObject({ status: 200 });
    expect(await patch(id, { interval_minutes: 15 })).toMatchObject({ status: 200, body: { interval_minutes: 15 } });
  });
});

describe('a paused watchlist entry', () => {
  it('is not checked and does not change until it is resumed, and then changes once', async () => {
    registry.holds('paused.example', { expiresAt: inDays(300) });
    const id = await add({ domain: 'paused.example', interval_minutes: 60 });
    await isChecked(id);
    expect((await patch(id, { paused: true })).body).toMatchObject({ paused: true, next_check_at: null });
    registry.holds('paused.example', { statuses: ['redemptionPeriod', 'pendingDelete'] });
    registry.holds('paused.example', { statuses: ['pendingDelete'] });
    const check = await service.call({ path: '/v1/domains/check?domain=paused.example&max_age=0' });
    expect(check.body).toMatchObject({ status: 'pending_delete' });
    expect(await show(id)).toMatchObject({ status: 'registered', change_seq: 0 });
    await patch(id, { paused: false });
    await becomes(id, { status: 'pending_delete', change_seq: 1 });
    const events = await eventsAfter(id, 0);
    expect(events).toMatchObject([{ move: 'deletion_started', change_seq: 1 }]);
  });
});

describe('the history of an entry', () => {
  it('lists an interval for each status and phase, with the registry answers as evidence', async () => {
    registry.holds('lived.example', { registeredAt: new Date(0), expiresAt: inDays(300) });
    const id = await add({ domain: 'lived.example', interval_minutes: 60 });
    await hasHistory(id);
    registry.holds('lived.example', { statuses: ['redemptionPeriod', 'pendingDelete'] });
    await becomes(id, { phase: 'redemption' });
    registry.releases('lived.example');
    await becomes(id, { status: 'available' });
    const intervals = await historyOf(id);
    expect(intervals.map(({ phase, move, change_seq }) => [phase, move, change_seq])).toEqual([
      ['available', 'dropped', 2],
      ['redemption', 'deletion_started', 1],
      ['registered', null, 0],
    ]);
    const [dropped] = intervals;
    expect(dropped?.['evidence']).toMatchObject([
      { source: 'rdap', outcome: 'absent', http_status: 404 },
      { rule: 'dns.off' },
      { rule: expect.stringMatching(/^canary\./) },
      { source: 'rdap', outcome: 'absent', http_status: 404 },
      { rule: 'dns.off' },
      { rule: expect.stringMatching(/^canary\./) },
    ]);
    const seen = intervals.toReversed().flatMap(({ first_seen_at, last_seen_at }) => [first_seen_at, last_seen_at]);
    expect(seen).toEqual([...seen].sort());
  });

  it('answers with an empty page for a page number past the last page', async () => {
    const id = await add({ domain: 'history--expiring.test' });
    await hasHistory(id);
    const past = await service.call({ path: `/v1/watchlist/${id}/history?page=7&per_page=1` });
    expect(past.body).toEqual({ data: [], meta: { page: 7, per_page: 1, total: 1 }, removed: null });
  });
});

describe('failing checks of a name', () => {
  it('cause one event, and another event when checks succeed again, but no status change', async () => {
    registry.holds('failing.example', { expiresAt: inDays(300) });
    const id = await add({ domain: 'failing.example', interval_minutes: 5 });
    await isChecked(id);
    registry.says('failing.example', registryFaults.htmlNotFound);
    await eventsAfter(id, 0);
    const failing = await show(id);
    expect(failing).toMatchObject({ status: 'registered', failing: { code: 'registry_answer_unusable' } });
    const { since } = failing['failing'] as { since: string };
    expect(Date.parse(String(failing['last_checked_at']))).toBeLessThan(Date.parse(since));
    registry.holds('failing.example', { expiresAt: inDays(300) });
    const events = await eventsAfter(id, 1);
    expect(events).toMatchObject([
      { type: 'watchlist.check_failing', move: null, code: 'registry_answer_unusable', change_seq: 0 },
      { type: 'watchlist.check_recovered', move: null, code: 'registry_answer_unusable', change_seq: 0 },
    ]);
    expect(await show(id)).toMatchObject({ status: 'registered', failing: null, change_seq: 0 });
  });
});

/** The half of an ETag that stands for the settings. */
const settingsOf = ({ etag }: Record<string, unknown>) => String(etag).split('.')[0];

describe('the reminders of an entry', () => {
  it('are the default ones until other days or a renewal date are chosen', async () => {
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
    expect((await patch(id, { purpose: 'acquire' })).body).toMatchObject({ remind_days: [] });
  });

  it.each<[object, string]>([
    [{ remind_days: [7, 7] }, '/remind_days'],
    [{ renewal: { on: '2027-02-29' } }, '/renewal/on'],
    [{ renewal: { on: '2027-03-01T00:00:00Z' } }, '/renewal/on'],
    [{ renewal: { on: '1999-01-01' } }, '/renewal/on'],
    [{ renewal: { on: '2027-03-01', note: 'a\nb' } }, '/renewal/note'],
  ])('refuse these invalid settings: %j', async (settings, pointer) => {
    const call = { method: 'POST', path: '/v1/watchlist', body: { domain: 'refused-reminder.test', ...settings } };
    expect(await service.call(call)).toMatchObject({ status: 400, body: { errors: [{ pointer }] } });
  });
});

describe('the expected registration record of an entry', () => {
  it('is compared with what the registry says, and the fields that differ are listed', async () => {
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

  it.each([{ nameservers: ['not a host'] }, { registrar_id: '0292' }])(
    'is refused with these invalid values: %j',
    async (expected) => {
      const body = { domain: 'no.test', expected };
      expect((await service.call({ method: 'POST', path: '/v1/watchlist', body })).status).toBe(400);
    },
  );
});

describe('the registration record of an entry', () => {
  it('causes events when fields change, and when they start or stop matching the expected values', async () => {
    const LOCKED = ['client transfer prohibited'];
    const first = { expiresAt: inDays(300), nameservers: ['ns1.mine.net'], statuses: LOCKED };
    registry.holds('moved.example', first);
    const id = await add({ domain: 'moved.example', interval_minutes: 1440, purpose: 'own' });
    const expanded = async () => (await service.call({ path: `/v1/watchlist/${id}?expand=record` })).body;
    await eventually(expanded, ({ record }) => record !== null);
    registry.holds('moved.example', { ...first, nameservers: ['ns1.other.net'], statuses: ['active'] });
    const expected = { nameservers: ['ns1.mine.net'], locked: true };
    expect((await patch(id, { expected })).body).toMatchObject({ expected, drift: [] });
    expect(registry.queries('moved.example')).toBe(1); // no second lookup has agreed with what is shown
    const drifting = (events: Record<string, unknown>[]) =>
      events.flatMap((event) => (event['type'] === 'watchlist.drift_changed' ? [event['drift']] : []));
    const eventsAfterChecks = async () => {
      await service.query('update watched_names set next_check_at = now() where domain = $1', ['moved.example']);
      return eventsOf(id);
    };
    const told = await eventually(
      eventsAfterChecks,
      (events) => drifting(events).at(-1)?.toString() === 'nameservers,locked',
    );
    const changed: Record<string, unknown>[] = told.filter(({ type }) => type === 'watchlist.record_changed');
    expect(changed.map(({ kind, before, after }) => [kind, before, after]).toSorted()).toEqual([
      ['nameservers', ['ns1.mine.net'], ['ns1.other.net']],
      ['statuses', LOCKED, ['active']],
    ]);
    const { body: listed } = await service.call({ path: `/v1/watchlist/${id}/changes` });
    expect(listed).toMatchObject({ meta: { total: 2 } });
    const shown = { record: { nameservers: ['ns1.other.net'], locked: false }, drift: ['nameservers', 'locked'] };
    expect(await expanded()).toMatchObject(shown);

    registry.holds('moved.example', first);
    await eventually(eventsAfterChecks, (events) => drifting(events).at(-1)?.toString() === '');
    expect(await expanded()).toMatchObject({ record: { nameservers: ['ns1.mine.net'] }, drift: [] });
  });

  it('is updated after a pause, without an event for changes made during the pause', async () => {
    registry.holds('rested.example', { expiresAt: inDays(300), registrar: 'One' });
    const id = await add({ domain: 'rested.example', interval_minutes: 60 });
    const expanded = async () => (await service.call({ path: `/v1/watchlist/${id}?expand=record` })).body;
    await eventually(expanded, ({ record }) => record !== null);
    await patch(id, { paused: true });
    registry.holds('rested.example', { expiresAt: inDays(300), registrar: 'Two' });
    expect(await expanded()).toMatchObject({ record: { registrar: { name: 'One' } } });
    await patch(id, { paused: false });
    const names = new Set<unknown>();
    await eventually(expanded, ({ record }) => {
      const { registrar } = (record ?? {}) as { registrar?: { name: string } };
      names.add(registrar?.name);
      return registrar?.name === 'Two';
    });
    expect([...names].filter((name) => name !== undefined)).toEqual(['Two']);
    expect((await eventsOf(id)).map(({ type }) => type)).not.toContain('watchlist.record_changed');
  });

  it('is shown in the entry and the list, and its changes as events and at /changes', async () => {
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
    const events = await eventsAfter(id, 0);
    expect(events).toMatchObject([{ type: 'watchlist.record_changed', ...change, status: 'registered' }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeRegistry } from '../../support/fakes/fake-registry.js';
import { eventually } from '../../support/eventually.js';
import { registryFaults } from '../../support/fakes/registry-faults.js';
import { startTestService, type TestService } from '../../support/servers/test-service.js';

const DAY = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY);

let registry: FakeRegistry;
let service: TestService;
beforeAll(async () => {
  registry = await FakeRegistry.start();
  service = await startTestService({
    TIME_SCALE: '3600', // an hour takes a second
    RDAP_OVERRIDES: `example=${registry.url}`,
    LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
  });
});
afterAll(async () => {
  await service.close();
  await registry.stop();
});

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
const becomes = (id: string, wanted: Record<string, unknown>) =>
  eventually(
    () => show(id),
    (entry) => Object.entries(wanted).every(([field, value]) => entry[field] === value),
  );

describe('an entry', () => {
  it('shows its facts and its settings', async () => {
    registry.holds('shown.example', { expiresAt: inDays(20) });
    const choice = { expiring_window_days: 10, tags: ['brand', 'brand', 'eu'], note: 'Ours.', intent: 'own' };
    const id = await add({ domain: 'shown.example', interval_minutes: 60, ...choice });
    const entry = await becomes(id, { phase: 'registered', change_seq: 0, failing: null });
    const checked = await eventually(
      () => show(id),
      ({ last_checked_at }) => last_checked_at !== null,
    );
    expect(Object.keys(entry)).toEqual([
      ...['id', 'domain', 'status', 'interval_minutes', 'last_checked_at', 'created_at', 'domain_unicode', 'phase'],
      ...['expires_at', 'expiring_window_days', 'effective_interval_minutes', 'interval_reason', 'next_check_at'],
      ...['paused', 'tags', 'note', 'intent', 'remind_days', 'renewal', 'expected', 'drift', 'change_seq'],
      ...['pending_confirmation', 'failing', 'updated_at'],
    ]);
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

  it('is created with exactly the specified fields, whatever the settings', async () => {
    const body = { domain: 'registered.test', tags: ['a'], intent: 'acquire' };
    const created = await service.call({ method: 'POST', path: '/v1/watchlist', body });
    expect(Object.keys(created.body)).toEqual(['id', 'domain', 'status', 'interval_minutes', 'created_at']);
  });

  it.each([
    [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, '/tags'],
    [{ tags: ['x'.repeat(51)] }, '/tags'],
    [{ tags: ['bell\u0007'] }, '/tags'],
    [{ note: 'x'.repeat(1_001) }, '/note'],
    [{ note: 'nul\u0000' }, '/note'],
    [{ intent: 'steal' }, '/intent'],
    [{ expiring_window_days: 0 }, '/expiring_window_days'],
    [{ expiring_window_days: 366 }, '/expiring_window_days'],
    [{ paused: 'yes' }, '/paused'],
    [{ interval_minutes: null }, '/interval_minutes'],
    [{ status: 'available' }, '/status'],
    [{ domain: 'other.test' }, '/domain'],
  ])('rejects %j', async (body, pointer) => {
    const id = await add({ domain: `refusing-${Math.random().toString(36).slice(2)}--registered.test` });
    const before = await show(id);
    const answer = await patch(id, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: expect.stringContaining(pointer) }],
    });
    expect((await show(id))['updated_at']).toEqual(before['updated_at']);
  });

  it('rejects an interval outside the plan, but keeps the one it has', async () => {
    const id = await add({ domain: 'plan--registered.test', interval_minutes: 60 });
    expect(await patch(id, { interval_minutes: 61 })).toMatchObject({
      status: 422,
      body: { code: 'interval_not_allowed' },
    });
    expect(await patch(id, { interval_minutes: 60, note: null })).toMatchObject({ status: 200 });
    expect(await patch(id, { interval_minutes: 15 })).toMatchObject({ status: 200, body: { interval_minutes: 15 } });
  });
});

describe('changing an entry', () => {
  it('moves it at once when the expiring window changes', async () => {
    registry.holds('window.example', { expiresAt: inDays(100) });
    const id = await add({ domain: 'window.example', interval_minutes: 60 });
    await eventually(
      () => show(id),
      ({ last_checked_at }) => last_checked_at !== null,
    );
    expect((await patch(id, { expiring_window_days: 200 })).body).toMatchObject({ status: 'expiring', change_seq: 1 });
    const events = await eventually(
      () => eventsOf(id),
      (events) => events.length > 0,
    );
    expect(events).toMatchObject([{ type: 'watchlist.status_changed', move: 'reclassified' }]);
    expect(await historyOf(id)).toMatchObject([
      { status: 'expiring', move: 'reclassified', change_seq: 1 },
      { status: 'registered', move: null, change_seq: 0 },
    ]);
  });

  it('can pause it: no moves and no checks until it resumes, with one move', async () => {
    registry.holds('paused.example', { expiresAt: inDays(300) });
    const id = await add({ domain: 'paused.example', interval_minutes: 60 });
    await eventually(
      () => show(id),
      ({ last_checked_at }) => last_checked_at !== null,
    );
    expect((await patch(id, { paused: true })).body).toMatchObject({ paused: true, next_check_at: null });
    registry.holds('paused.example', { statuses: ['redemptionPeriod', 'pendingDelete'] });
    registry.holds('paused.example', { statuses: ['pendingDelete'] });
    const check = await service.call({ path: '/v1/domains/check?domain=paused.example&max_age=0' });
    expect(check.body).toMatchObject({ status: 'pending_delete' });
    expect(await show(id)).toMatchObject({ status: 'registered', change_seq: 0 });
    await patch(id, { paused: false });
    await becomes(id, { status: 'pending_delete', change_seq: 1 });
    const events = await eventually(
      () => eventsOf(id),
      (events) => events.length > 0,
    );
    expect(events).toMatchObject([{ move: 'deletion_started', change_seq: 1 }]);
  });
});

describe('the history of an entry', () => {
  it('has an interval for each status and phase, with its evidence', async () => {
    registry.holds('lived.example', { registeredAt: new Date(0), expiresAt: inDays(300) });
    const id = await add({ domain: 'lived.example', interval_minutes: 60 });
    await eventually(
      () => historyOf(id),
      (intervals) => intervals.length === 1,
    );
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
      { source: 'rdap', outcome: 'absent', http_status: 404 },
    ]);
    const seen = intervals.toReversed().flatMap(({ first_seen_at, last_seen_at }) => [first_seen_at, last_seen_at]);
    expect(seen).toEqual([...seen].sort());
  });

  it('is paginated, and stays when its entry is removed', async () => {
    const id = await add({ domain: 'history--expiring.test' });
    await eventually(
      () => historyOf(id),
      (intervals) => intervals.length === 1,
    );
    const past = await service.call({ path: `/v1/watchlist/${id}/history?page=7&per_page=1` });
    expect(past.body).toEqual({ data: [], meta: { page: 7, per_page: 1, total: 1 }, removed: null });
    await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}` });
    expect(await historyOf(id)).toHaveLength(1);
  });
});

describe('failing checks', () => {
  it('notify once after a while, and once when they succeed again, without changing the status', async () => {
    registry.holds('failing.example', { expiresAt: inDays(300) });
    const id = await add({ domain: 'failing.example', interval_minutes: 5 });
    await eventually(
      () => show(id),
      ({ last_checked_at }) => last_checked_at !== null,
    );
    registry.says('failing.example', registryFaults.htmlNotFound);
    await eventually(
      () => eventsOf(id),
      (events) => events.length > 0,
    );
    const failing = await show(id);
    expect(failing).toMatchObject({ status: 'registered', failing: { code: 'registry_answer_unusable' } });
    const { since } = failing['failing'] as { since: string };
    expect(Date.parse(String(failing['last_checked_at']))).toBeLessThan(Date.parse(since));
    registry.holds('failing.example', { expiresAt: inDays(300) });
    const events = await eventually(
      () => eventsOf(id),
      (all) => all.length > 1,
    );
    expect(events).toMatchObject([
      { type: 'watchlist.check_failing', move: null, code: 'registry_answer_unusable', change_seq: 0 },
      { type: 'watchlist.check_recovered', move: null, code: 'registry_answer_unusable', change_seq: 0 },
    ]);
    expect(await show(id)).toMatchObject({ status: 'registered', failing: null, change_seq: 0 });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CanaryProbe } from '../../../../src/domains/index.js';
import { LookupCache } from '../../../../src/domains/lookup-cache/lookup-cache.js';
import type { PeriodicTask } from '../../../../src/platform/scheduling/periodic-task.js';
import { WatchedNameRepository } from '../../../../src/watchlist/watched-names.repository.js';
import { eventually } from '../../../support/eventually.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { runService } from '../run-service.js';

const far = new Date(Date.now() + 300 * 86_400_000);
const LABELS = ['a', 'b', 'c', 'd', 'e'];

describe('a registry that answers 404 for all its names at once', () => {
  let honest: FakeRegistry;
  let beat: NodeJS.Timeout;
  afterAll(() => clearInterval(beat)); // before the service closes
  const { running, call, query, part } = runService(async (broken) => {
    honest = await FakeRegistry.start();
    return {
      TIME_SCALE: '600',
      BRAKE_DROPS_PER_HOUR: '2',
      RDAP_OVERRIDES: `broken=${broken.url},sibling=${broken.url},honest=${honest.url}`,
    };
  });
  beforeAll(() => {
    // More often than the scheduler does: runs do not overlap.
    const release = running.service.app.get<PeriodicTask>('release-drop-brakes', { strict: false });
    beat = setInterval(() => void release.trigger(), 50);
  });
  afterAll(() => honest.stop());

  const watchAll = async (tld: string, registry: FakeRegistry) => {
    const ids: string[] = [];
    for (const label of LABELS) {
      registry.holds(`${label}.${tld}`, { expiresAt: far });
      const body = { domain: `${label}.${tld}`, interval_minutes: 5 };
      ids.push(String((await call({ method: 'POST', path: '/v1/watchlist', body })).body['id']));
    }
    await eventually(
      () => entriesOf(tld),
      (entries) => entries.every((entry) => entry['last_checked_at'] !== null),
    );
    return ids;
  };
  const entriesOf = async (tld: string) => {
    const { body } = await call({ path: '/v1/watchlist?per_page=100&sort=domain' });
    return (body['data'] as Record<string, unknown>[]).filter(({ domain }) => String(domain).endsWith(`.${tld}`));
  };
  const check = (domain: string) => call({ path: `/v1/domains/check?domain=${domain}` });
  const statusesOf = async (tld: string) => (await entriesOf(tld)).map(({ status }) => status);
  const waiting = async (ids: readonly string[]) => {
    const entries = await Promise.all(ids.map((id) => call({ path: `/v1/watchlist/${id}` })));
    const pending = entries.map(({ body }) => body['pending_confirmation'] as { waiting_for: string } | null);
    return pending.filter((one) => one?.waiting_for === 'canary').length;
  };

  it('has two drops accepted in an hour and no more while it denies its own name too', async () => {
    const ids = await watchAll('broken', running.registry);
    for (const label of LABELS) running.registry.releases(`${label}.broken`);
    await eventually(
      () => waiting(ids),
      (count) => count === 3,
    );
    await eventually(
      () => Promise.resolve(running.registry.queries('nic.broken')),
      (count) => count >= 2,
      20_000,
    );
    for (const domain of ['e.broken', 'never-watched.broken', 'of-the-same-operator.sibling']) {
      const { status: code, body } = await check(domain);
      expect([code, body['code'], body['retryable']]).toEqual([502, 'registry_answer_unusable', true]);
      expect(body['detail']).toMatch(/too many of its names were dropped within an hour/);
    }
    expect((await check('never-watched.honest')).body).toMatchObject({ status: 'available' });
    expect((await statusesOf('broken')).filter((status) => status === 'available')).toHaveLength(2);
    for (const label of LABELS) running.registry.holds(`${label}.broken`, { expiresAt: far });
    await eventually(
      () => waiting(ids),
      (count) => count === 0,
    );
    await eventually(
      () => statusesOf('broken'),
      (statuses) => statuses.every((status) => status === 'registered'),
    );
  }, 60_000);

  it('has a watched name looked up as its canary where no process has cached any', async () => {
    await query(`delete from lookups where domain like '%.broken'`);
    part(LookupCache).clear();
    const names = part(WatchedNameRepository);
    expect(await names.findRegistered('broken', 3)).toHaveLength(3);
    expect(await names.findRegistered('roken', 3)).toEqual([]);
    const { hasPassed, registered } = await part(CanaryProbe).run('broken');
    expect([hasPassed, registered.domain]).toEqual([true, expect.stringMatching(/^[a-e]\.broken$/)]);
  });

  it('has all drops accepted once its canaries passed twice', async () => {
    honest.holds('nic.honest', { expiresAt: far });
    const ids = await watchAll('honest', honest);
    for (const label of LABELS) honest.releases(`${label}.honest`);
    await eventually(
      () => waiting(ids),
      (count) => count > 0,
    );
    await eventually(
      () => statusesOf('honest'),
      (statuses) => statuses.every((status) => status === 'available'),
      30_000,
    );
    expect((await check('a.honest')).body).toMatchObject({ status: 'available' });
  }, 60_000);

  it('is not believed either by a process that takes it for another operator', async () => {
    const brakeOf = `operator = 'registry.example' and tld = 'honest'`;
    expect((await check('of-whom.honest')).body).toMatchObject({ status: 'available' });
    await query(
      `insert into drop_brakes (operator, tld, held_since) values ('registry.example', 'honest', now() + interval '1 hour')`,
    );
    expect(await check('of-whom.honest')).toMatchObject({ status: 502, body: { code: 'registry_answer_unusable' } });
    await query(`delete from drop_brakes where ${brakeOf}`);
    expect((await check('of-whom.honest')).body).toMatchObject({ status: 'available' });
  });

  it('is believed again once a canary passes, though no brake holds its drops any more', async () => {
    for (const label of ['nic', ...LABELS]) honest.releases(`${label}.honest`); // so that every probe fails
    const inconclusive = JSON.stringify({ domain: 'nic.honest', outcome: 'inconclusive', code: 'registry_timeout' });
    // The pass is from before the clock was put back.
    await query(
      `insert into registry_canaries (tld, observed_at, passed, registered, unregistered)
       values ('honest', now(), false, $1, $1), ('honest', now() + interval '1 hour', true, $1, $1)`,
      [inconclusive],
    );
    const { status, body } = await check('not-registered.honest');
    expect([status, body['code']]).toEqual([502, 'registry_answer_unusable']);
    honest.holds('nic.honest', { expiresAt: far });
    await eventually(
      () => check('not-registered.honest'),
      (reply) => reply.body['status'] === 'available',
      20_000,
    );
  });
});

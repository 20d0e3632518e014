import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../support/eventually.js';
import { runService } from '../run-service.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

/** No scheduler and no worker takes part: live checks update the names. */
describe('stored registry facts about a name', () => {
  const { running, call, query } = runService({
    ROLE: 'api',
    CONFIRMATION_SECONDS: '1',
    CONFIRMATION_SECONDS_PENDING_DELETE: '1',
  });

  const deletes = (domain: string) =>
    running.registry.holds(domain, { statuses: ['pendingDelete'], expiresAt: inDays(-40) });
  /** By an account that watches the name too: the watch hears of its checks. */
  const check = async (domain: string) => {
    await call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    const { body } = await call({ path: `/v1/domains/check?domain=${domain}&max_age=0` });
    return body['status'];
  };
  const watch = async (domain: string, more: object = {}) => {
    const { key } = await running.service.openAccount();
    const body = { domain, interval_minutes: 60, ...more };
    const { body: created } = await call({ method: 'POST', path: '/v1/watchlist', body, key });
    return { id: String(created['id']), key };
  };
  const importOne = async (domain: string) => {
    const { key } = await running.service.openAccount();
    const file = { path: '/v1/watchlist/import', body: `domain,interval_minutes\n${domain},60\n` };
    await call({ method: 'POST', ...file, headers: { 'content-type': 'text/csv' }, key });
    const { body } = await call({ path: '/v1/watchlist', key });
    return { id: String((body['data'] as { id: string }[])[0]?.id), key };
  };
  const patch = ({ id, key }: { id: string; key: string }, body: object) =>
    call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body, key });
  const show = async ({ id, key }: { id: string; key: string }) => {
    const { body } = await call({ path: `/v1/watchlist/${id}`, key });
    const { rows } = await query<{ body: string }>('select body from events where entry_id = $1', [id]);
    const events = rows.map(({ body: text }) => (JSON.parse(text) as { data: { move: string } }).data.move);
    return { status: body['status'], events };
  };
  const becomesAvailable = (domain: string, entry: { id: string; key: string }) =>
    eventually(
      async () => {
        await check(domain);
        return show(entry);
      },
      ({ status }) => status === 'available',
    );
  const age = (domain: string, interval: string) =>
    query(
      `update watched_names set facts_confirmed_at = facts_confirmed_at - $2::interval, facts_since = facts_since - $2::interval,
         last_checked_at = last_checked_at - $2::interval where domain = $1`,
      [domain, interval],
    );
  /** A name whose stored facts differ from the registry's current answer. */
  const anOldDeletion = async (domain: string) => {
    deletes(domain);
    await watch(domain);
    await check(domain);
    await age(domain, '90 days');
    running.registry.releases(domain);
  };

  it.each([
    ['added', watch],
    ['imported', importOne],
  ] as const)('do not change the status of a newly %s entry if the facts are 90 days old', async (how, begin) => {
    const domain = `${how}.example`;
    await anOldDeletion(domain);
    const entry = await begin(domain);
    expect(await check(domain)).toBe('available');
    expect(await show(entry)).toEqual({ status: 'registered', events: [] });
    expect(await becomesAvailable(domain, entry)).toEqual({ status: 'available', events: ['discovered'] });
  });

  it('are not used for a name that is removed and added again, however recent the facts are', async () => {
    deletes('again.example');
    const first = await watch('again.example');
    await check('again.example');
    await call({ method: 'DELETE', path: `/v1/watchlist/${first.id}`, key: first.key });
    const second = await watch('again.example');
    expect(await show(second)).toEqual({ status: 'registered', events: [] });
    await check('again.example');
    expect(await show(second)).toMatchObject({ status: 'pending_delete' });
  });

  it('do not turn an entry to expiring while the registry gives a not-found answer', async () => {
    running.registry.holds('window.example', { expiresAt: inDays(300) });
    const entry = await watch('window.example');
    await check('window.example');
    await query(
      `update watched_names set facts = jsonb_set(facts::jsonb, '{expiresAt}', to_jsonb(now() + interval '9 days'))::text
       where domain = 'window.example'`,
    );
    await query(`update watch_entries set boundary_at = now() where id = $1`, [entry.id]);
    running.registry.releases('window.example');
    await check('window.example');
    expect(await show(entry)).toEqual({ status: 'registered', events: [] });
  });

  it('are not used for a resumed entry if they are older than its check interval', async () => {
    running.registry.holds('shorter.example', { expiresAt: inDays(300) });
    const entry = await watch('shorter.example', { interval_minutes: 1440 });
    await check('shorter.example');
    await patch(entry, { paused: true });
    deletes('shorter.example');
    await watch('shorter.example');
    await check('shorter.example');
    await age('shorter.example', '1 hour');
    await patch(entry, { paused: false, interval_minutes: 5 });
    expect(await show(entry)).toEqual({ status: 'registered', events: [] });
    await check('shorter.example');
    expect(await show(entry)).toEqual({ status: 'pending_delete', events: ['deletion_started'] });
  });
});

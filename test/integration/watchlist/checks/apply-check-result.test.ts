import { beforeAll, describe, expect, it } from '@jest/globals';
import { DomainName, type LookupResult } from '../../../../src/domains/language.js';
import { ApplyCheckResult } from '../../../../src/watchlist/checks/apply-check-result.js';
import { type Lease, LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { aFailure, anObservation, facts } from '../../../unit/watchlist/builders.js';
import { runService } from '../run-service.js';

const name = DomainName.restore('recorded.test');
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

/** Check results are written by hand here: no scheduler and no worker takes part. */
describe('a check result', () => {
  const { call, query, part } = runService({ ROLE: 'api' });
  beforeAll(() => call({ method: 'POST', path: '/v1/watchlist', body: { domain: name.ascii, interval_minutes: 5 } }));

  const record = (result: LookupResult) => part(ApplyCheckResult).applyUnleased(name, result);
  const applyLeased = (result: LookupResult, lease: Lease) => part(ApplyCheckResult).applyLeased(name, result, lease);
  const status = async () => {
    const { rows } = await query<{ status: string }>('select status from watch_entries');
    return rows[0]?.status;
  };
  const claim = async (): Promise<Lease> => {
    const [batch] = await part(LeaseRepository).claimDue(minutesFromNow(0), new Map([['sandbox', 10]]));
    if (!batch?.names[0]) throw new Error('nothing was due');
    return { name: batch.names[0], token: batch.token };
  };
  const due = () => query(`update watched_names set next_check_at = now() - interval '1 hour'`);

  it('sets the status of the entry if the registry answered', async () => {
    await record(anObservation(facts.registered, minutesFromNow(-60)));
    expect(await status()).toBe('registered');
  });

  it('stores which registry operator serves the name now', async () => {
    await query(`update watched_names set operator = 'former'`);
    await record(anObservation(facts.registered, minutesFromNow(-55)));
    const { rows } = await query<{ operator: string }>('select operator from watched_names');
    expect(rows).toEqual([{ operator: 'sandbox' }]);
  });

  it('changes no status if the lookup failed, even if the stored expiry date alone would', async () => {
    await query(`update watch_entries set boundary_at = now() - interval '1 day'`);
    await query(
      `update watched_names set facts = jsonb_set(facts::jsonb, '{expiresAt}', to_jsonb(now() + interval '1 day'))::text`,
    );
    await record(aFailure(minutesFromNow(-50)));
    expect(await status()).toBe('registered');
  });

  it('is refused if another result was already written under the same time-limited lock', async () => {
    await due();
    const lease = await claim();
    const seen = anObservation(facts.redemption, minutesFromNow(-40));
    expect(await applyLeased(seen, lease)).toBe(true);
    expect(await status()).toBe('pending_delete');
    expect(await applyLeased(anObservation(facts.registered, minutesFromNow(-30)), lease)).toBe(false);
    expect(await status()).toBe('pending_delete');
  });

  it('is refused if the time-limited lock on the name expired before the result came', async () => {
    await due();
    const lease = await claim();
    await query(`update check_leases set until = now() - interval '1 second'`);
    const late = anObservation(facts.registered, minutesFromNow(-20));
    expect(await applyLeased(late, lease)).toBe(false);
    const next = await claim();
    expect(await applyLeased(late, lease)).toBe(false);
    const again = { operator: 'sandbox', names: [lease.name], token: lease.token };
    expect(await part(LeaseRepository).start(again, new Date())).toEqual([]);
    expect(await status()).toBe('pending_delete');
    expect(await applyLeased(anObservation(facts.redemption, minutesFromNow(-10)), next)).toBe(true);
  });
});

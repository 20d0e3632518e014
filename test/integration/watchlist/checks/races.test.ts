import { describe, expect, it } from '@jest/globals';
import { DomainName, type LookupResult } from '../../../../src/domains/language.js';
import { CheckDueNames } from '../../../../src/watchlist/checks/check-due-names.js';
import { ApplyCheckResult } from '../../../../src/watchlist/checks/apply-check-result.js';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { saying } from '../../../world/registry-faults.js';
import { aFailure, anObservation, facts } from '../../../unit/watchlist/builders.js';
import { runService } from '../run-service.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
/** The same at every check: a different date would be a change, which takes the transactional path. */
const EXPIRY = inDays(300);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** No scheduler and no worker takes part: checks are made, or their results written, by hand. */
describe('a watched name during concurrent changes', () => {
  const { running, call, query, part } = runService({ ROLE: 'api' });

  const record = (domain: string, result: LookupResult) =>
    part(ApplyCheckResult).applyUnleased(DomainName.restore(domain), result);
  const watch = async (domain: string, more: object = {}, key = running.service.account.key) => {
    const body = { domain, interval_minutes: 1440, ...more };
    return String((await call({ method: 'POST', path: '/v1/watchlist', body, key })).body['id']);
  };
  const patch = (id: string, body: object) => call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body });
  const nameRow = async (domain: string) => {
    const { rows } = await query<{ next_check_at: Date; failures: number }>(
      'select next_check_at, failures from watched_names where domain = $1',
      [domain],
    );
    return rows[0];
  };
  const historyOf = async (id: string) => {
    const { body } = await call({ path: `/v1/watchlist/${id}/history` });
    return body['data'] as Record<string, string>[];
  };
  /** Checks all due names, and does something else during the check. */
  const checkWhile = async (domain: string, meanwhile: () => Promise<unknown>) => {
    await query(`update watched_names set next_check_at = now() - interval '1 s' where domain = $1`, [domain]);
    running.registry.says(domain, (reply, name) => {
      void meanwhile().then(() => saying(200, rdapRecord(name, { expiresAt: EXPIRY }))(reply, name));
    });
    const batches = await part(ClaimDueNames).run();
    for (const batch of batches) await part(CheckDueNames).run(batch);
  };

  it('keeps a shorter check interval that a user sets during a check', async () => {
    const id = await watch('tighter.example');
    await checkWhile('tighter.example', () => Promise.resolve());
    await checkWhile('tighter.example', () => patch(id, { interval_minutes: 5 }));
    expect((await nameRow('tighter.example'))?.next_check_at.getTime()).toBeLessThan(Date.now() + 6 * 60_000);
  });

  it('gives the running check’s result to a new entry too, although an earlier check failed', async () => {
    await watch('mending.example');
    await checkWhile('mending.example', () => Promise.resolve());
    await record('mending.example', aFailure(new Date()));
    // Too old an observation for the new entry to start from.
    await query(
      `update watched_names set facts_confirmed_at = facts_confirmed_at - interval '2 days' where domain = 'mending.example'`,
    );
    const { key } = await running.service.openAccount();
    await checkWhile('mending.example', () => watch('mending.example', { interval_minutes: 5 }, key));
    const { rows } = await query(`select has_confirmed_facts from watch_entries where domain = 'mending.example'`);
    expect(rows).toEqual([{ has_confirmed_facts: true }, { has_confirmed_facts: true }]);
  });

  it('keeps its schedule if a user’s check was not sent to the registry', async () => {
    await watch('withheld.example');
    const before = await nameRow('withheld.example');
    await record('withheld.example', aFailure(new Date(), { notSent: 'budget', retryAfterSeconds: 30 }));
    await record('withheld.example', aFailure(new Date(), { notSent: 'breaker', retryAfterSeconds: 30 }));
    expect(await nameRow('withheld.example')).toEqual(before);
  });

  it('gets two consecutive history intervals if one edit leads to two status changes', async () => {
    const id = await watch('twofold.example', { expiring_window_days: 10 });
    await query(`update watch_entries set created_at = now() - interval '1 hour' where id = $1`, [id]);
    await record('twofold.example', anObservation({ ...facts.registered, expiresAt: inDays(20) }, minutesAgo(30)));
    // It enters its window of ten days by time, and leaves it with the new window.
    await query(
      `update watched_names set facts = jsonb_set(facts::jsonb, '{expiresAt}', to_jsonb(now() + interval '8 days'))::text
       where domain = 'twofold.example'`,
    );
    await patch(id, { expiring_window_days: 1 });
    const intervals = await historyOf(id);
    expect(intervals.map(({ move }) => move)).toEqual(['reclassified', 'expiring', null]);
    const seen = intervals.toReversed().flatMap(({ first_seen_at, last_seen_at }) => [first_seen_at, last_seen_at]);
    expect(seen).toEqual([...seen].sort());
    const open = await query('select from watch_history where entry_id = $1 and last_seen_at is null', [id]);
    expect(open.rowCount).toBe(1);
  });
});

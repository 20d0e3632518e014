import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { DomainName, type LookupResult, toRegistrationRecord } from '../../../../src/domains/language.js';
import { CheckDueNames } from '../../../../src/watchlist/checks/check-due-names.js';
import { ApplyCheckResult } from '../../../../src/watchlist/checks/apply-check-result.js';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import type { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { rdapRecord } from '../../../support/builders/rdap-answers.js';
import { registryFaults, saying } from '../../../support/fakes/registry-faults.js';
import type { TestService } from '../../../support/servers/test-service.js';
import { aFailure, anObservation, facts } from '../../../unit/watchlist/builders.js';
import { startWithRegistry } from './registry-service.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
/** The same at every check: a different date would be a change, which takes the transactional path. */
const EXPIRY = inDays(300);
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

/** How a process from before registration records stores a routine result. */
const OLDER_SAVE = `
  with updates as (
    select * from json_to_recordset($1::json) as t(domain text, was_revision int, revision int, operator text,
      urgency smallint, next_check_at timestamptz, source text, facts_confirmed_at timestamptz, pending text,
      last_checked_at timestamptz, failures int, failing_since timestamptz, failure_code text)),
  ended as (delete from check_leases l where l.domain = any($3::text[]) and l.token = $2 and l.until > now() returning l.domain),
  saved as (
    update watched_names n
    set revision = t.revision, operator = t.operator, urgency = t.urgency, next_check_at = t.next_check_at,
      source = t.source, facts_confirmed_at = t.facts_confirmed_at, pending = t.pending, last_checked_at = t.last_checked_at,
      failures = t.failures, failing_since = t.failing_since, failure_code = t.failure_code
    from updates t
    where t.domain in (select domain from ended)
      and n.domain = t.domain and n.revision = t.was_revision and n.next_check_at is not null
    returning n.domain)
  select domain from ended where domain not in (select domain from saved)`;
/** How it ends the checks of a name when the last watcher leaves. */
const OLDER_DEACTIVATION = `
  update watched_names set next_check_at = null, pending = null, failures = 0, failing_since = null,
    failure_code = null, revision = revision + 1 where domain = $1`;
const OLDER_TOKEN = '11111111-1111-4111-8111-111111111111';

/** No scheduler and no worker takes part: checks are made, or their results written, by hand. */
describe('with concurrent changes', () => {
  let registry: FakeRegistry;
  let service: TestService;
  let database: pg.Client;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ registry, service, database, close } = await startWithRegistry({ ROLE: 'api' }));
  });
  afterAll(() => close());

  const record = (domain: string, result: LookupResult) =>
    service.app.get(ApplyCheckResult, { strict: false }).applyUnleased(DomainName.restore(domain), result);
  const watch = async (domain: string, more: object = {}, key = service.account.key) => {
    const body = { domain, interval_minutes: 1440, ...more };
    return String((await service.call({ method: 'POST', path: '/v1/watchlist', body, key })).body['id']);
  };
  const patch = (id: string, body: object) => service.call({ method: 'PATCH', path: `/v1/watchlist/${id}`, body });
  const nameRow = async (domain: string) => {
    const { rows } = await database.query<{ next_check_at: Date; failures: number }>(
      'select next_check_at, failures from watched_names where domain = $1',
      [domain],
    );
    return rows[0];
  };
  const historyOf = async (id: string) => {
    const { body } = await service.call({ path: `/v1/watchlist/${id}/history` });
    return body['data'] as Record<string, string>[];
  };
  const movesOf = async (id: string) => {
    const { rows } = await database.query<{ body: string }>(
      'select body from events where entry_id = $1 order by seq',
      [id],
    );
    return rows.map(({ body }) => (JSON.parse(body) as { data: { move: string | null } }).data.move);
  };
  /** Checks all due names, and does something else during the check. */
  const checkWhile = async (domain: string, meanwhile: () => Promise<unknown>) => {
    await database.query(`update watched_names set next_check_at = now() - interval '1 s' where domain = $1`, [domain]);
    registry.says(domain, (reply, name) => {
      void meanwhile().then(() => saying(200, rdapRecord(name, { expiresAt: EXPIRY }))(reply, name));
    });
    const batches = await service.app.get(ClaimDueNames, { strict: false }).run();
    for (const batch of batches) await service.app.get(CheckDueNames, { strict: false }).run(batch);
  };

  it('a shorter interval that is set during a check is kept', async () => {
    const id = await watch('tighter.example');
    await checkWhile('tighter.example', () => Promise.resolve());
    await checkWhile('tighter.example', () => patch(id, { interval_minutes: 5 }));
    expect((await nameRow('tighter.example'))?.next_check_at.getTime()).toBeLessThan(Date.now() + 6 * 60_000);
  });

  it('a new entry on a failing name gets the result of the running check', async () => {
    await watch('mending.example');
    await checkWhile('mending.example', () => Promise.resolve());
    await record('mending.example', aFailure(new Date()));
    // Too old an observation for the new entry to start from.
    await database.query(
      `update watched_names set facts_confirmed_at = facts_confirmed_at - interval '2 days' where domain = 'mending.example'`,
    );
    const { key } = await service.openAccount();
    await checkWhile('mending.example', () => watch('mending.example', { interval_minutes: 5 }, key));
    const { rows } = await database.query(
      `select has_confirmed_facts from watch_entries where domain = 'mending.example'`,
    );
    expect(rows).toEqual([{ has_confirmed_facts: true }, { has_confirmed_facts: true }]);
  });

  it('a live check that was not sent leaves the schedule as it is', async () => {
    await watch('withheld.example');
    const before = await nameRow('withheld.example');
    await record('withheld.example', aFailure(new Date(), { notSent: 'budget', retryAfterSeconds: 30 }));
    await record('withheld.example', aFailure(new Date(), { notSent: 'breaker', retryAfterSeconds: 30 }));
    expect(await nameRow('withheld.example')).toEqual(before);
  });

  it('a change of tags moves nothing by old facts', async () => {
    const id = await watch('old.example');
    await record('old.example', anObservation(facts.registered, minutesAgo(60 * 24 * 40)));
    await database.query(
      `update watched_names set facts = jsonb_set(facts::jsonb, '{expiresAt}', to_jsonb(now() - interval '1 day'))::text
       where domain = 'old.example'`,
    );
    expect(await patch(id, { tags: ['kept'] })).toMatchObject({ status: 200, body: { status: 'registered' } });
    expect(await movesOf(id)).toEqual([]);
  });

  it('two moves by one change are two consecutive intervals', async () => {
    const id = await watch('twofold.example', { expiring_window_days: 10 });
    await record('twofold.example', anObservation({ ...facts.registered, expiresAt: inDays(20) }, minutesAgo(30)));
    // It enters its window of ten days by time, and leaves it with the new window.
    await database.query(
      `update watched_names set facts = jsonb_set(facts::jsonb, '{expiresAt}', to_jsonb(now() + interval '8 days'))::text
       where domain = 'twofold.example'`,
    );
    await patch(id, { expiring_window_days: 1 });
    const intervals = await historyOf(id);
    expect(intervals.map(({ move }) => move)).toEqual(['reclassified', 'expiring', null]);
    const seen = intervals.toReversed().flatMap(({ first_seen_at, last_seen_at }) => [first_seen_at, last_seen_at]);
    expect(seen).toEqual([...seen].sort());
    const open = await database.query('select from watch_history where entry_id = $1 and last_seen_at is null', [id]);
    expect(open.rowCount).toBe(1);
  });

  it('a failing name without watchers starts without failures with the next one', async () => {
    const id = await watch('forsaken.example');
    for (let i = 3; i > 0; i -= 1) await record('forsaken.example', aFailure(minutesAgo(i)));
    await service.call({ method: 'DELETE', path: `/v1/watchlist/${id}` });
    await watch('forsaken.example');
    expect((await nameRow('forsaken.example'))?.failures).toBe(0);
  });

  describe('by a process from before registration records,', () => {
    const showing = (domain: string, registrar: string, minutes: number) =>
      record(
        domain,
        anObservation(facts.registered, minutesAgo(minutes), {
          record: toRegistrationRecord({ registrar: { name: registrar } }),
        }),
      );
    const olderCheck = async (domain: string, minutes: number) => {
      const { rows } = await database.query<{ revision: number }>('select * from watched_names where domain = $1', [
        domain,
      ]);
      const [row] = rows;
      const at = minutesAgo(minutes);
      const saved = {
        ...row,
        was_revision: row?.revision,
        revision: Number(row?.revision) + 1,
        facts_confirmed_at: at,
      };
      await database.query(
        `insert into check_leases (domain, operator, token, until, starts) values ($1, '', $2, now() + interval '1 hour', 0)`,
        [domain, OLDER_TOKEN],
      );
      const given = JSON.stringify([{ ...saved, last_checked_at: at, next_check_at: new Date() }]);
      expect((await database.query(OLDER_SAVE, [given, OLDER_TOKEN, [domain]])).rows).toEqual([]);
    };
    const registrarsOf = async (domain: string) => {
      const { rows } = await database.query<{ value: string }>(
        'select value from registration_records where domain = $1 order by first_seen_at',
        [domain],
      );
      return rows.map(({ value }) => (JSON.parse(value) as { name: string }).name);
    };

    it('no change of a record is lost, and none is made up', async () => {
      const domain = 'mixed.example';
      const id = await watch(domain);
      await olderCheck(domain, 100);
      expect(await registrarsOf(domain)).toEqual([]);
      await showing(domain, 'One', 90);
      await olderCheck(domain, 80);
      await showing(domain, 'One', 70);
      await olderCheck(domain, 60);
      await showing(domain, 'Two', 50);
      await olderCheck(domain, 40);
      expect(await movesOf(id)).toEqual([]);
      await showing(domain, 'Two', 30);
      expect([await registrarsOf(domain), await movesOf(id)]).toEqual([['One', 'Two'], [null]]);
      await olderCheck(domain, 20);
      await showing(domain, 'Two', 10);
      expect([await registrarsOf(domain), await movesOf(id)]).toEqual([['One', 'Two'], [null]]);
    });

    it('a name that lost its last watcher begins again, not with a change', async () => {
      const domain = 'mixed-again.example';
      const id = await watch(domain);
      for (const minutes of [90, 80]) await showing(domain, 'One', minutes);
      await database.query(OLDER_DEACTIVATION, [domain]);
      await database.query('delete from watch_entries where id = $1', [id]);
      const again = await watch(domain);
      for (const minutes of [30, 20, 10]) await showing(domain, 'Two', minutes);
      expect([await registrarsOf(domain), await movesOf(again)]).toEqual([['One', 'Two'], []]);
    });
  });

  it('an HTML page instead of a record is a failure and nothing else', async () => {
    await watch('page.example');
    registry.says('page.example', registryFaults.htmlNotFound);
    const batches = await service.app.get(ClaimDueNames, { strict: false }).run();
    for (const batch of batches) await service.app.get(CheckDueNames, { strict: false }).run(batch);
    expect((await nameRow('page.example'))?.failures).toBe(1);
  });
});

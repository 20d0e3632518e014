import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ClaimDueNames } from '../../../../src/watchlist/checks/claim-due-names.js';
import { CheckDueNames } from '../../../../src/watchlist/checks/check-due-names.js';
import { type LeaseBatch, CLAIM } from '../../../../src/watchlist/checks/leases.repository.js';
import { budgetsFile } from '../../../support/builders/budgets-file.js';
import { FakeRegistry } from '../../../world/registry.js';
import { running } from '../../../support/running.js';
import { startTestService } from '../../../support/servers/test-service.js';
import { statementsDuring } from '../../../support/database/statements.js';
import { WriteLog } from '../../../support/database/write-log.js';

/** Statements of periodic tasks, and of an operator without a rate limit, whose row is read once a second. */
const PERIODIC = /^(clock_|put_back_|lookups_(changes|prune|renew)|rate_limit_windows_|registry_operator_|select 1$)/;
/** Results are shared with other processes in the background. */
const BACKGROUND = /^(registry_|lookups)/;
const NAMES = Array.from({ length: 30 }, (_, i) => `routine-${i}.example`);
const RECORD = { nameservers: ['ns1.example.net', 'ns2.example.net'], registrar: 'Example Registrar' };
const EXPIRY = new Date(Date.now() + 300 * 86_400_000);
/** The writes of each check, whatever it finds. */
const ROUTINE_ROWS = {
  'check_leases update': NAMES.length,
  'check_leases delete': NAMES.length,
  'watched_names update': NAMES.length,
};

/** No scheduler and no worker takes part: claims and checks are made by hand here. */
describe('the cost of a batch of checks', () => {
  const registry = running(() => FakeRegistry.start());
  const service = running(() =>
    startTestService({
      ROLE: 'api',
      LOOKUP_BUDGETS_FILE: budgetsFile({ default: { per_second: 0, burst: 100, concurrency: 100 } }),
      RDAP_OVERRIDES: `example=${registry.url}`,
      LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8',
    }),
  );
  const writes = running(() => WriteLog.of(service.databaseUrl));
  beforeAll(async () => {
    for (const name of NAMES) registry.holds(name, { ...RECORD, expiresAt: EXPIRY });
    for (const domain of NAMES) await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    await service.get(CheckDueNames).run(await claim());
    await makeDue();
    await service.get(CheckDueNames).run(await claim()); // the second check confirms the registration record
  });

  /** All names were checked before, have one watcher, and are due. */
  beforeEach(async () => {
    await service.query(`delete from watch_entries where account_id like 'acc_other%'`);
    await makeDue();
  });

  const makeDue = async () => {
    await service.query('truncate check_leases');
    await service.query(`update watched_names set next_check_at = now() - interval '1 second'`);
  };

  const claim = async (): Promise<LeaseBatch> => {
    const [batch, ...others] = await service.get(ClaimDueNames).run();
    if (!batch || others.length > 0) throw new Error('not one batch');
    return batch;
  };
  const watchedByMany = async (others: number) => {
    await service.query(
      `insert into accounts (id, name, plan, created_at)
       select 'acc_other' || n, 'other', 'selfhost', now() from generate_series(1, $1::int) n on conflict do nothing`,
      [others],
    );
    const { rows } = await service.query<{ columns: string }>(
      `select string_agg(format('%I', column_name), ', ') as columns from information_schema.columns
       where table_name = 'watch_entries' and column_name not in ('id', 'account_id')`,
    );
    const columns = rows[0]?.columns ?? '';
    await service.query(
      `insert into watch_entries (id, account_id, ${columns})
       select e.id || n, 'acc_other' || n, ${columns} from watch_entries e, generate_series(1, $1::int) n`,
      [others],
    );
  };
  const asked = () => NAMES.reduce((sum, name) => sum + registry.queries(name), 0);
  /** Statements, written rows, writing transactions, and registry queries of this work. */
  const costOf = async (work: () => Promise<unknown>) => {
    const before = asked();
    let run: string[] = [];
    const { rows, transactions } = await writes.during(async () => {
      run = await statementsDuring(work, PERIODIC);
    }, BACKGROUND);
    return { statements: run, rows, transactions, questions: asked() - before };
  };

  /** The number of save statements depends on the registry's speed: one, unless the machine is very slow. */
  const unchanged = (cost: Awaited<ReturnType<typeof costOf>>) => {
    expect(new Set(cost.statements)).toEqual(new Set(['check_lease_start', 'routine_updates_save']));
    expect(cost.statements.filter((one) => one === 'check_lease_start')).toHaveLength(1);
    expect(cost.statements.length).toBeLessThan(NAMES.length / 5);
    expect(cost.transactions).toBe(cost.statements.length);
    expect(cost.questions).toBe(NAMES.length);
    expect(cost.rows).toEqual(ROUTINE_ROWS);
  };

  it('is one registry query and three row writes for each name if nothing changed', async () => {
    const batch = await claim();
    unchanged(await costOf(() => service.get(CheckDueNames).run(batch)));
  });

  it('does not grow with fifty more watchers per name if nothing changed', async () => {
    await watchedByMany(50);
    const batch = await claim();
    unchanged(await costOf(() => service.get(CheckDueNames).run(batch)));
  });

  it('includes, for a changed expiry date, an evidence row, and event and history rows per watcher', async () => {
    registry.holds(NAMES[0] ?? '', { ...RECORD, expiresAt: new Date(Date.now() + 10 * 86_400_000) });
    await watchedByMany(2);
    const batch = await claim();
    const { rows, questions } = await costOf(() => service.get(CheckDueNames).run(batch));
    expect(questions).toBe(NAMES.length);
    expect(rows).toEqual({
      ...ROUTINE_ROWS,
      // Each entry is moved, and updated with the new expiry for sorting.
      'name_evidence update': 1,
      'watch_entries update': 6,
      'events insert': 3,
      'watch_history insert': 3,
      'watch_history update': 1, // the two new entries have no interval to close
    });
  });

  it('includes, for a changed registrar, the old and new registrar, and an event per watcher', async () => {
    const name = NAMES[1] ?? '';
    registry.holds(name, { ...RECORD, registrar: 'Another', expiresAt: EXPIRY });
    await watchedByMany(2);
    const first = await claim();
    const { rows: candidate } = await costOf(() => service.get(CheckDueNames).run(first));
    expect(candidate).toEqual(ROUTINE_ROWS);
    await makeDue();
    await service.query(
      `update watched_names set record_state = regexp_replace(record_state, '("notBefore":")20', '\\119') where domain = $1`,
      [name],
    );
    const second = await claim();
    const { rows } = await costOf(() => service.get(CheckDueNames).run(second));
    expect(rows).toEqual({
      ...ROUTINE_ROWS,
      'registration_records update': 1,
      'registration_records insert': 1,
      'events insert': 3,
    });
    expect((await service.query('select previous from registration_records where previous is not null')).rows).toEqual([
      { previous: JSON.stringify({ name: RECORD.registrar, iana_id: null }) },
    ]);
  });

  it('is three statements, and one lock row for each name, when the names are claimed', async () => {
    const { statements: run, rows, transactions } = await costOf(() => service.get(ClaimDueNames).run());
    expect([run, rows, transactions]).toEqual([
      ['check_lease_operators_due', 'registry_operators_read', 'check_lease_claim_due'],
      { 'check_leases insert': NAMES.length },
      1,
    ]);
  });

  it('is one scan of the lock table per claim, even if PostgreSQL believes it is empty', async () => {
    await service.query('vacuum check_leases');
    const { rows: operators } = await service.query<{ operator: string }>(
      'select distinct operator from watched_names',
    );
    const walks = async () => {
      const { rows } = await service.query<{ walks: number }>(
        `select (seq_scan + idx_scan)::int as walks from pg_stat_xact_user_tables where relname = 'check_leases'`,
      );
      return rows[0]?.walks ?? NaN;
    };
    await service.query('begin');
    const before = await walks();
    const now = new Date();
    const claimed = await service.query(CLAIM.text, [
      now,
      operators.map(({ operator }) => operator),
      [1_000],
      '00000000-0000-0000-0000-000000000000',
      60,
      now,
    ]);
    const walked = (await walks()) - before;
    await service.query('rollback');
    // and a probe for each lease that is inserted
    expect([claimed.rowCount, walked]).toEqual([NAMES.length, 1 + NAMES.length]);
  });
});

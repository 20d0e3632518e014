import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { ClaimNames } from '../../../../src/watchlist/application/claim-names.js';
import { LookAtNames } from '../../../../src/watchlist/application/look-at-names.js';
import type { Batch } from '../../../../src/watchlist/domain/leases.js';
import { CLAIM } from '../../../../src/watchlist/infrastructure/sql/leases.sql.js';
import { freshDatabase } from '../../../support/database/database.js';
import { FakeRegistry } from '../../../support/fakes/fake-registry.js';
import { startTestService, type TestService } from '../../../support/servers/test-service.js';
import { StatementLog } from '../../../support/database/statement-log.js';
import { WriteLog } from '../../../support/database/write-log.js';

const folder = mkdtempSync(join(tmpdir(), 'namewatch-cost-'));
/** What runs by the clock, and not for a look; leave to ask registries is taken for many at a time. */
const BY_THE_CLOCK = /^(clock_|looks_(changes|prune|renew)|minute_windows_|registry_|select 1$)/;
/** News are told to the checks of other processes as well, and nobody waits for that. */
const BY_THE_WAY = /^(registry_|shared_looks)/;
const NAMES = Array.from({ length: 30 }, (_, i) => `routine-${i}.example`);
const EXPIRY = new Date(Date.now() + 300 * 86_400_000);

/** No scheduler and no worker takes part: claims and looks are made by hand here. */
describe('what a look costs', () => {
  let registry: FakeRegistry;
  let statements: StatementLog;
  let writes: WriteLog;
  let service: TestService;
  let database: pg.Client;
  let claims: ClaimNames;
  let looks: LookAtNames;

  beforeAll(async () => {
    registry = await FakeRegistry.start();
    const url = new URL(await freshDatabase());
    database = new pg.Client(url.href);
    await database.connect();
    statements = await StatementLog.start({ host: url.hostname, port: Number(url.port) });
    const budgets = join(folder, 'budgets.json');
    writeFileSync(budgets, JSON.stringify({ default: { per_second: 0, burst: 100, concurrency: 100 } }));
    const own = url.href;
    url.port = String(statements.port);
    service = await startTestService({
      ...{ ROLE: 'api', DATABASE_URL: url.href, LOOKUP_BUDGETS_FILE: budgets },
      ...{ RDAP_OVERRIDES: `example=${registry.url}`, LOOKUP_ALLOW_NETWORKS: '127.0.0.0/8' },
    });
    writes = await WriteLog.of(own);
    claims = service.app.get(ClaimNames, { strict: false });
    looks = service.app.get(LookAtNames, { strict: false });
    for (const name of NAMES) registry.holds(name, { expiresAt: EXPIRY });
    for (const domain of NAMES) await service.call({ method: 'POST', path: '/v1/watchlist', body: { domain } });
    await looks.run(await claim());
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([registry.stop(), statements.stop(), writes.stop(), database.end()]);
    rmSync(folder, { recursive: true });
  });

  /** All of them were looked at before, have one watcher, and are due. */
  beforeEach(async () => {
    await database.query(`delete from watch_entries where account_id like 'acc_other%'`);
    await database.query('truncate leases');
    await database.query(`update watched_names set next_check_at = now() - interval '1 second'`);
  });

  const claim = async (): Promise<Batch> => {
    const [batch, ...others] = await claims.run();
    if (!batch || others.length > 0) throw new Error('not one batch');
    return batch;
  };
  const watchedByMany = async (others: number) => {
    await database.query(
      `insert into accounts (id, name, plan, created_at)
       select 'acc_other' || n, 'other', 'selfhost', now() from generate_series(1, $1::int) n on conflict do nothing`,
      [others],
    );
    const { rows } = await database.query<{ columns: string }>(
      `select string_agg(format('%I', column_name), ', ') as columns from information_schema.columns
       where table_name = 'watch_entries' and column_name not in ('id', 'account_id')`,
    );
    const columns = rows[0]?.columns ?? '';
    await database.query(
      `insert into watch_entries (id, account_id, ${columns})
       select e.id || n, 'acc_other' || n, ${columns} from watch_entries e, generate_series(1, $1::int) n`,
      [others],
    );
  };
  const asked = () => NAMES.reduce((sum, name) => sum + registry.queries(name), 0);
  /** Of work on these names: statements by name and how often each, rows, transactions that wrote, and questions. */
  const costOf = async (work: () => Promise<unknown>) => {
    const before = asked();
    let run: string[] = [];
    const { rows, transactions } = await writes.during(async () => {
      run = await statements.during(work, BY_THE_CLOCK);
    }, BY_THE_WAY);
    return { statements: run, rows, transactions, questions: asked() - before };
  };

  /** How many groups outcomes come in depends on how long the registry takes: one, unless the machine is very slow. */
  const unchanged = (cost: Awaited<ReturnType<typeof costOf>>) => {
    expect(new Set(cost.statements)).toEqual(new Set(['lease_start', 'routine_updates_save']));
    expect(cost.statements.filter((one) => one === 'lease_start')).toHaveLength(1);
    expect(cost.statements.length).toBeLessThan(NAMES.length / 5);
    expect(cost.transactions).toBe(cost.statements.length);
    expect(cost.questions).toBe(NAMES.length);
    expect(cost.rows).toEqual({
      ...{ 'leases update': NAMES.length, 'leases delete': NAMES.length },
      'watched_names update': NAMES.length,
    });
  };

  it('is one row of its name and two of its lease, where nothing changed: nothing else is written', async () => {
    const batch = await claim();
    unchanged(await costOf(() => looks.run(batch)));
  });

  it('is the same with fifty more who watch each name', async () => {
    await watchedByMany(50);
    const batch = await claim();
    unchanged(await costOf(() => looks.run(batch)));
  });

  it('is, where one name of the batch changed, its evidence and what moves for each who watches it besides', async () => {
    registry.holds(NAMES[0] ?? '', { expiresAt: new Date(Date.now() + 10 * 86_400_000) });
    await watchedByMany(2);
    const batch = await claim();
    const { rows, questions } = await costOf(() => looks.run(batch));
    expect(questions).toBe(NAMES.length);
    expect(rows).toEqual({
      ...{ 'leases update': NAMES.length, 'leases delete': NAMES.length, 'watched_names update': NAMES.length },
      // Each entry is moved, and has the new expiry to be listed by.
      ...{ 'name_evidence update': 1, 'watch_entries update': 6, 'events insert': 3, 'watch_history insert': 3 },
      'watch_history update': 1, // the two others were just made, and have none that ends
    });
  });

  it('is, to claim them, two statements and a row for each', async () => {
    const { statements: run, rows, transactions } = await costOf(() => claims.run());
    expect([run, rows, transactions]).toEqual([
      ['lease_operators_due', 'lease_claim_due'],
      { 'leases insert': NAMES.length },
      1,
    ]);
  });

  it('is, to claim them, one walk through the leases, also where the planner thinks that there are none', async () => {
    await database.query('vacuum leases');
    const { rows: operators } = await database.query<{ operator: string }>(
      'select distinct operator from watched_names',
    );
    const walks = async () => {
      const { rows } = await database.query<{ walks: number }>(
        `select seq_scan::int as walks from pg_stat_xact_user_tables where relname = 'leases'`,
      );
      return rows[0]?.walks ?? NaN;
    };
    await database.query('begin');
    const before = await walks();
    const claimed = await database.query(CLAIM.text, [
      ...[new Date(), operators.map(({ operator }) => operator), [1_000]],
      ...['00000000-0000-0000-0000-000000000000', 60, new Date()],
    ]);
    const walked = (await walks()) - before;
    await database.query('rollback');
    expect([claimed.rowCount, walked]).toEqual([NAMES.length, 1]);
  });
});

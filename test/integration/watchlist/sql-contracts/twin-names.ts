import { OperatorRateLimits } from '../../../../src/domains/index.js';
import { DomainName } from '../../../../src/domains/language.js';
import { UnitOfWork } from '../../../../src/kernel/unit-of-work.js';
import { SqlClient } from '../../../../src/platform/database/sql-client.js';
import { ApplyRecordUpdates } from '../../../../src/watchlist/records/apply-record-updates.js';
import { ApplyCheckResult } from '../../../../src/watchlist/checks/apply-check-result.js';
import { type CheckedName, RecordCheckResults } from '../../../../src/watchlist/checks/record-check-results.js';
import { LeaseRepository } from '../../../../src/watchlist/checks/leases.repository.js';
import { RoutineUpdateRepository } from '../../../../src/watchlist/checks/routine-updates.repository.js';
import { WatchEntryRepository } from '../../../../src/watchlist/watch-entries.repository.js';
import { FailureAlertPolicy } from '../../../../src/watchlist/domain/failure-alert-policy.js';
import { WatchedNameRepository } from '../../../../src/watchlist/watched-names.repository.js';
import { watchedNameColumns } from '../../../../src/watchlist/mappings.js';
import { TestClock } from '../../../support/fakes/test-clock.js';
import type { TestService } from '../../../support/servers/test-service.js';
import { MINUTE } from '../../../../src/kernel/clock.js';
import { VISIBLE } from '../../../../src/watchlist/entries/visible-columns.sql.js';
import { checkName, type CheckedNameShape, NOW, SCHEDULE } from './checked-names.js';

const TOKEN = '00000000-0000-4000-8000-000000000001';
const OTHER_TOKEN = '00000000-0000-4000-8000-000000000002';

/** A check begins only where somebody watches. The entries are gone when its result is written: names are compared. */
const WATCH = `
  insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase, change_seq,
    has_confirmed_facts, paused, tags, purpose, created_at, updated_at)
  select domain || '-twin', (select min(id) from accounts), domain, 60, 30, 'registered', 'registered', 0,
    false, false, '{}', 'own', now(), now()
  from watched_names where domain ~ '^(routine|transactional)-'`;

type Path = 'routine' | 'transactional';

/** A leased name with its result, and its equal under another name. */
export interface Twins {
  readonly shape: CheckedNameShape;
  readonly checked: CheckedName;
  readonly twin: DomainName;
}

/** Stores each generated name twice, and writes the results of the two by the two paths. */
export class TwinNames {
  private readonly clock = new TestClock(NOW.toISOString());

  constructor(private readonly service: TestService) {}

  /** Replaces all names, starts their checks, and changes their rows by what happens meanwhile. */
  async insert(shapes: readonly CheckedNameShape[]): Promise<readonly Twins[]> {
    const domain = (path: Path, i: number) => `${path}-${i}.test`;
    const names = shapes.flatMap((shape, i) =>
      (['routine', 'transactional'] as const).map((path) => checkName(shape, domain(path, i)).watchedName),
    );
    await this.replace(names.map((name) => watchedNameColumns.toRow(name)));
    const batch = { operator: 'sandbox', token: TOKEN, names: names.map((name) => name.domain) };
    await this.run(WATCH);
    const leased = await this.of(LeaseRepository).start(batch, NOW);
    await this.run(`delete from watch_entries where id like '%-twin'`);
    await this.interfere(shapes);
    return shapes.map((shape, i) => {
      const found = leased.find(({ watchedName }) => watchedName.domain === domain('routine', i));
      if (!found) throw new Error('the check of a leased name was not started');
      const { result } = checkName(shape, found.watchedName.domain);
      return { shape, checked: { leased: found, result }, twin: DomainName.restore(domain('transactional', i)) };
    });
  }

  /** @returns those with a routine result, and of them those whose row had changed */
  async recordRoutine(twins: readonly Twins[]) {
    const [routine, overtaken]: [Set<string>, Set<string>] = [new Set(), new Set()];
    const repository = this.of(RoutineUpdateRepository);
    const saves = {
      saveAll: async (updates, token) => {
        for (const { watchedName } of updates) routine.add(watchedName.domain);
        for (const domain of await repository.saveAll(updates, token)) overtaken.add(domain);
        return new Set();
      },
    } as Partial<RoutineUpdateRepository> as RoutineUpdateRepository;
    const ignored = { applyLeased: () => Promise.resolve(true) } as Partial<ApplyCheckResult> as ApplyCheckResult;
    await this.recorder(saves, ignored).run(
      twins.map(({ checked }) => checked),
      TOKEN,
    );
    const isIn = (domains: ReadonlySet<string>) => (one: Twins) => domains.has(one.checked.leased.watchedName.domain);
    return { routine: twins.filter(isIn(routine)), overtaken: twins.filter(isIn(overtaken)) };
  }

  async applyTransactionally({ checked, twin }: Twins): Promise<void> {
    await this.transactional().applyLeased(twin, checked.result, { name: twin.ascii, token: TOKEN });
  }

  async endLease({ twin }: Twins): Promise<void> {
    await this.of(UnitOfWork).run(() => this.of(LeaseRepository).end({ name: twin.ascii, token: TOKEN }));
  }

  /**
   * Like {@link insert}, with entries that stay: of each name an old entry, and an entry that waits for its first
   * check.
   */
  async insertWatched(shapes: readonly CheckedNameShape[], [old = '', young = '']: readonly string[]) {
    const twins = await this.insert(shapes);
    await this.run(
      `insert into watch_entries (id, account_id, domain, interval_minutes, expiring_window_days, status, phase, change_seq,
         has_confirmed_facts, paused, tags, purpose, created_at, updated_at, boundary_at)
       select domain || account || '-watcher', account, domain, 60, 30, 'registered', 'registered', 0,
         at < $2, false, '{}', 'own', at, at, case when at = $2 then at end
       from watched_names cross join (values ($1, $2::timestamptz - interval '1 year'), ($3, $2::timestamptz)) as a(account, at)
       where domain ~ '^(routine|transactional)-'`,
      [old, new Date(NOW.getTime() - MINUTE), young],
    );
    await this.of(UnitOfWork).run(async () => {
      for (const { checked, twin } of twins)
        for (const name of [checked.leased.watchedName.name, twin]) {
          const watched = await this.of(WatchedNameRepository).findForUpdate(name);
          if (watched) await this.of(WatchEntryRepository).copyShown(watched);
        }
    });
    return twins.map(({ checked }) => ({
      ...checked,
      leased: { ...checked.leased, isBoundaryPassed: true },
    }));
  }

  async record(checked: readonly CheckedName[]): Promise<void> {
    await this.recorder(this.of(RoutineUpdateRepository), this.transactional()).run(checked, TOKEN);
  }

  /** By what lists find each entry, and what it shows. */
  readFound(): Promise<{ readonly found: object; readonly shown: object }[]> {
    return this.run(
      `select json_build_array(e.answered, e.failing, e.expires_at) as found,
         json_build_array(${VISIBLE.lastCheckedAt} is not null, n.failing_since is not null, ${VISIBLE.expiresAt}) as shown
       from watch_entries e join watched_names n using (domain) where e.id like '%-watcher' order by e.id`,
    ) as Promise<{ readonly found: object; readonly shown: object }[]>;
  }

  private transactional(): ApplyCheckResult {
    return new ApplyCheckResult(
      this.of(WatchedNameRepository),
      this.of(WatchEntryRepository),
      this.of(LeaseRepository),
      SCHEDULE,
      this.of(FailureAlertPolicy),
      this.of(OperatorRateLimits),
      this.of(UnitOfWork),
      this.clock,
      this.of(ApplyRecordUpdates),
    );
  }

  private recorder(routine: RoutineUpdateRepository, transactional: ApplyCheckResult): RecordCheckResults {
    const [policy, limits] = [this.of(FailureAlertPolicy), this.of(OperatorRateLimits)];
    return new RecordCheckResults(routine, transactional, SCHEDULE, policy, limits, this.clock, { leaseSeconds: 60 });
  }

  /** The rows and leases, in the order of insertion, without their names. */
  read(path: Path): Promise<object[]> {
    return this.run(
      `select to_jsonb(n) - 'domain' as name, to_jsonb(l) - 'domain' as lease
       from watched_names n left join check_leases l using (domain)
       where domain like $1 order by length(domain), domain`,
      [`${path}-%`],
    );
  }

  private async replace(rows: readonly object[]): Promise<void> {
    await this.run('delete from check_leases');
    await this.run(`delete from watch_entries where id like '%-watcher'`);
    await this.run("delete from watched_names where domain ~ '^(routine|transactional)-'");
    await this.run(
      `insert into watched_names (${watchedNameColumns.list()})
       select ${watchedNameColumns.list()} from json_to_recordset($1::json) as t(${watchedNameColumns.definitions})`,
      [JSON.stringify(rows)],
    );
    await this.run(
      `insert into check_leases (domain, operator, token, until, starts)
       select domain, operator, $1::uuid, now() + interval '1 hour', 0 from watched_names`,
      [TOKEN],
    );
  }

  private async interfere(shapes: readonly CheckedNameShape[]): Promise<void> {
    const given = JSON.stringify(shapes.map(({ lease, meanwhile }, i) => ({ i: String(i), lease, meanwhile })));
    const theirs = `from json_to_recordset($1::json) as g(i text, lease text, meanwhile text)
                    where split_part(domain, '-', 2) = g.i || '.test'`;
    await this.run(
      `update check_leases set until = case g.lease when 'expired' then now() - interval '1 second' else until end,
         token = case g.lease when 'lost' then $2::uuid else token end ${theirs}`,
      [given, OTHER_TOKEN],
    );
    await this.run(
      `update watched_names set revision = revision + 1,
         next_check_at = case g.meanwhile when 'rescheduled' then now() end ${theirs} and g.meanwhile <> 'nothing'`,
      [given],
    );
  }

  private run(text: string, values: readonly unknown[] = []): Promise<object[]> {
    return this.of(SqlClient).run({ name: '', text }, values);
  }

  private of<Part>(token: abstract new (...parameters: never[]) => Part): Part {
    return this.service.app.get(token, { strict: false });
  }
}

import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connect } from '../postgres.js';
import { Watcher } from '../watch/watcher.js';
import { postponeDueNames } from '../watched-entries.js';

/** Before the first name falls due all due times have to be written. */
const LEAD = 20;

/** The service with names that fall due at given times, and when their checks were recorded. */
export class LatenessProbe {
  private constructor(
    private readonly watcher: Watcher,
    private readonly database: pg.Client,
  ) {}

  /** @param databaseUrl of seeded entries */
  static async start(databaseUrl: string, registry: string, env: Record<string, string>) {
    const database = await connect(databaseUrl);
    await database.query('truncate check_leases'); // of a run that was interrupted: its names would wait for their ends
    await postponeDueNames(database);
    await database.query('vacuum (analyze)');
    const watcher = await Watcher.start(databaseUrl, registry, env, availableParallelism());
    await database.query('drop table if exists due_times');
    await database.query('create unlogged table due_times (domain text primary key, due_at timestamptz not null)');
    return new LatenessProbe(watcher, database);
  }

  /** All at once. @returns names checked and recorded in a second */
  async fullRate(names: number): Promise<number> {
    return names / (await this.watcher.checkDueNames(names));
  }

  /** So many a second, evenly. @returns by how many milliseconds each was late, the least first */
  async measureLateness(rate: number, seconds: number): Promise<readonly number[]> {
    await this.setDueTimes(
      Math.floor(rate * seconds),
      `now() + make_interval(secs => ${LEAD} + nth / ${rate}::float8)`,
    );
    const { rows: begun } = await this.database.query(
      'select from due_times where due_at <= clock_timestamp() limit 1',
    );
    if (begun.length > 0) throw new Error(`to write the due times took longer than ${LEAD} s`);
    await pause((LEAD + seconds) * 1_000); // without queries meanwhile
    await this.awaitAllChecked();
    const { rows } = await this.database.query<{ late: number }>(
      `select extract(epoch from recorded_at - due_at)::float8 * 1000 as late from (${RECORDED}) as checks order by late`,
    );
    return rows.map(({ late }) => late);
  }

  /** Ends the service, so that another one can take its place. */
  async stop(): Promise<void> {
    await this.watcher.stop();
  }

  /** @param due SQL of the instant at which the `nth` falls due, in an order that the table does not know */
  private async setDueTimes(names: number, due: string): Promise<void> {
    const isDeadlock = (error: unknown) => error instanceof pg.DatabaseError && error.code === '40P01';
    await this.writeDueTimes(names, due).catch((error: unknown) => {
      if (!isDeadlock(error)) throw error;
      return this.writeDueTimes(names, due); // the service wrote the same names in another order
    });
  }

  private async writeDueTimes(names: number, due: string): Promise<void> {
    await this.database.query('truncate due_times');
    await this.database.query(
      `with chosen as (
         insert into due_times (domain, due_at)
         select domain, ${due} from (
           select domain, row_number() over (order by md5(domain)) as nth from watched_names limit $1) as names
         returning domain, due_at)
       update watched_names n set next_check_at = due_at from chosen where n.domain = chosen.domain`,
      [names],
    );
  }

  private async awaitAllChecked(): Promise<void> {
    const LEFT = `select from due_times join watched_names n using (domain) where n.next_check_at <= clock_timestamp() limit 1`;
    while ((await this.database.query(LEFT)).rowCount !== 0) await pause(500);
  }
}

/** The check changed the row last: the instant of its commit is that of the record, by the clock of the due times. */
const RECORDED = `
  select t.due_at, pg_xact_commit_timestamp(n.xmin) as recorded_at from due_times t join watched_names n using (domain)
  where n.last_checked_at >= t.due_at`;

import pg from 'pg';

/** Rows by table and kind, such as `watched_names update`. */
export type Writes = Readonly<Record<string, number>>;

const OF_EACH = [
  { kind: 'insert', rows: 'new' },
  { kind: 'update', rows: 'new' },
  { kind: 'delete', rows: 'old' },
];

/** Counts the rows that anybody writes to a service's tables, by triggers on all of them. The queue's are left out. */
export class WriteLog {
  private constructor(private readonly database: pg.Client) {}

  static async of(databaseUrl: string): Promise<WriteLog> {
    const database = new pg.Client(databaseUrl);
    await database.connect();
    const { rows: tables } = await database.query<{ name: string }>(
      `select format('%I', tablename) as name from pg_tables where schemaname = 'public'`,
    );
    await database.query('create table write_log (what text, rows int, transaction xid8)');
    await database.query(
      `create function log_write() returns trigger language plpgsql as $$ begin
         insert into write_log select tg_table_name || ' ' || lower(tg_op), count(*), pg_current_xact_id()
         from touched having count(*) > 0;
         return null;
       end $$`,
    );
    for (const { name } of tables)
      for (const { kind, rows } of OF_EACH)
        await database.query(
          `create trigger log_${kind} after ${kind} on ${name} referencing ${rows} table as touched
           for each statement execute function log_write()`,
        );
    return new WriteLog(database);
  }

  /** The writes while `work` was done, and the number of their transactions, but for these tables. */
  async during(work: () => Promise<unknown>, without: RegExp): Promise<{ rows: Writes; transactions: number }> {
    await this.database.query('truncate write_log');
    await work();
    const { rows: all } = await this.database.query<{ what: string; rows: number; transaction: string }>(
      'select what, sum(rows)::int as rows, transaction::text from write_log group by what, transaction order by what',
    );
    const written = all.filter(({ what }) => !without.test(what));
    const rows: Record<string, number> = {};
    for (const one of written) rows[one.what] = (rows[one.what] ?? 0) + one.rows;
    return { rows, transactions: new Set(written.map(({ transaction }) => transaction)).size };
  }

  async stop(): Promise<void> {
    await this.database.end();
  }
}

import pg from 'pg';

/** Keeps the log from the backup's beginning, and is there once: it goes with its connection, however that ends. */
const SLOT = 'namewatch_backup';
const DUPLICATE_OBJECT = '42710';
const INSUFFICIENT_PRIVILEGE = '42501';

const PREVENTED_BY: Readonly<Record<string, 'under way' | 'not allowed'>> = {
  [DUPLICATE_OBJECT]: 'under way',
  [INSUFFICIENT_PRIVILEGE]: 'not allowed',
};

/** What makes the copied files a backup. */
export interface BackupEnd {
  /** The text of the file `backup_label`, without which PostgreSQL would take the copy for a crashed server. */
  readonly label: string;
  /** The first and the last file of the log that belong to it. */
  readonly log: readonly [first: string, last: string];
  /** All that was committed until then is in it. */
  readonly takenAt: Date;
}

/** The time in which the files of a running PostgreSQL may be copied. */
export class OnlineBackup {
  private constructor(private readonly session: pg.Client) {}

  /**
   * @param signal ends it
   * @param onLost is called when PostgreSQL ends meanwhile
   * @returns what prevents it, if anything does
   */
  static async begin(
    url: string,
    signal: AbortSignal,
    onLost: () => void,
  ): Promise<OnlineBackup | 'under way' | 'not allowed'> {
    const session = new pg.Client({ connectionString: url, application_name: 'namewatch backup' });
    await session.connect();
    session.on('error', onLost);
    signal.addEventListener('abort', () => void session.end());
    try {
      await session.query('select pg_create_physical_replication_slot($1, true, true)', [SLOT]);
      await session.query(`select pg_backup_start('namewatch', fast => true)`);
      return new OnlineBackup(session);
    } catch (error) {
      await session.end();
      const prevented = PREVENTED_BY[(error as pg.DatabaseError).code ?? ''];
      if (prevented === undefined) throw error;
      return prevented;
    }
  }

  /** Ends the backup; its log is kept until `close`. */
  async end(): Promise<BackupEnd> {
    const { rows: clock } = await this.session.query<{ now: Date }>('select clock_timestamp() as now');
    const { rows } = await this.session.query<{ label: string; last: string }>(
      `select labelfile as label, pg_walfile_name(lsn - 1) as last from pg_backup_stop(wait_for_archive => false)`,
    );
    const [row] = rows;
    const first = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)/.exec(row?.label ?? '')?.[1];
    if (!clock[0] || !row || first === undefined) throw new Error(`PostgreSQL ended the backup with ${row?.label}`);
    return { label: row.label, log: [first, row.last], takenAt: clock[0].now };
  }

  async close(): Promise<void> {
    await this.session.end();
  }
}

export interface DatabaseContent {
  /** Its version. */
  readonly postgres: string;
  /** Rows by table. */
  readonly tables: Readonly<Record<string, number>>;
  readonly last_event: { readonly id: string; readonly created_at: string } | null;
}

/** Counts would otherwise be answered from indexes: each page of a table is to be read, which checks its checksum. */
const READ_TABLES = `
  set max_parallel_workers_per_gather = 0; set enable_indexscan = off; set enable_indexonlyscan = off;
  set enable_bitmapscan = off`;
const TABLES = `
  select oid::regclass::text as name, format('select count(*) from %s', oid::regclass) as statement from pg_class
  where relkind = 'r' and relnamespace not in (select oid from pg_namespace where nspname ~ '^(pg_|information_schema$)')
  order by 1`;

/** Reads every row of every table. @param onTable gets how many are read, of how many */
export async function readWholeDatabase(
  session: pg.ClientBase,
  onTable: (read: number, all: number) => void,
): Promise<DatabaseContent> {
  await session.query(READ_TABLES);
  const { rows: server } = await session.query<{ postgres: string }>(
    `select current_setting('server_version') as postgres`,
  );
  const postgres = server[0]?.postgres ?? '';
  const { rows: found } = await session.query<{ name: string; statement: string }>(TABLES);
  const tables: Record<string, number> = {};
  for (const [at, { name, statement }] of found.entries()) {
    const { rows } = await session.query<{ count: string }>(statement);
    tables[name] = Number(rows[0]?.count);
    onTable(at + 1, found.length);
  }
  if (!('events' in tables)) return { postgres, tables, last_event: null };
  const last = 'select id, created_at from events order by xid desc, seq desc limit 1';
  const { rows } = await session.query<{ id: string; created_at: Date }>(last);
  const [event] = rows;
  return { postgres, tables, last_event: event ? { ...event, created_at: event.created_at.toISOString() } : null };
}

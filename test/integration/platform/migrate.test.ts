import { afterEach, describe, expect, it } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Migration } from '@mikro-orm/migrations';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../../src/app/migrate.js';
import { migrations } from '../../../src/migrations/index.js';
import { DatabaseOfAnotherVersion } from '../../../src/platform/database/migration/migration-history.js';
import { freshDatabase } from '../../support/database/database.js';
import { dumpDatabase } from '../../support/database/dump-database.js';
import { eventually } from '../../support/eventually.js';
import { applySteps, configFor, step, stepOutsideTransaction } from './migration-steps.js';

/** The mark of a database of an earlier schema: the names of its migrations. */
const earlierDatabase = (first: string, last: string) => `
  create table mikro_orm_migrations (id serial primary key, name varchar(255) not null, executed_at timestamptz);
  insert into mikro_orm_migrations (name) values ('${first}'), ('${last}');
  create table accounts (id text primary key, name text not null);
  insert into accounts values ('acc_1', 'first')`;

const sessions: pg.Client[] = [];

async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  sessions.push(client);
  return client;
}

afterEach(async () => {
  await Promise.all(sessions.splice(0).map((client) => client.end()));
});

async function applied(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from mikro_orm_migrations order by id');
  return rows.map(({ name }) => name);
}

async function waiting(client: pg.Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
    [`%${statement}%`],
  );
  return rows[0]?.waiting ?? 0;
}

describe('migrating a database', () => {
  it('is done only once if three processes start together', async () => {
    const config = configFor(await freshDatabase());
    const counts = await Promise.all([migrate(config), migrate(config), migrate(config)]);
    expect(counts.sort()).toEqual([0, 0, migrations.length]);
  });

  it('gives each of the service’s tables a comment', async () => {
    const url = await freshDatabase();
    await migrate(configFor(url));
    const { rows } = await (
      await session(url)
    ).query<{ name: string }>(
      `select relname as name from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace and obj_description(oid, 'pg_class') is null`,
    );
    expect(rows).toEqual([{ name: 'mikro_orm_migrations' }]);
  });

  it('has no time limit for statements, but 30 seconds for idle transactions', async () => {
    const url = await freshDatabase();
    const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    let settings: unknown;
    class Slow extends Migration {
      override async up(): Promise<void> {
        settings = await this.execute('select setting from pg_settings where name in (?, ?) order by name', timeouts);
      }
    }
    await applySteps(url, [{ name: 'Slow', class: Slow }]);
    expect(settings).toEqual([{ setting: '30000' }, { setting: '0' }]);
  });

  it('is refused if a later version already migrated the database', async () => {
    const url = await freshDatabase();
    await migrate(configFor(url));
    const client = await session(url);
    await client.query(`insert into mikro_orm_migrations (name, executed_at) values ('Migration29991231', now())`);
    await expect(migrate(configFor(url))).rejects.toThrow(DatabaseOfAnotherVersion);
    await expect(migrate(configFor(url))).rejects.toThrow('Migration29991231');
  });

  it.each([
    ['many migrations', 'Migration20261121000100Auth', 'Migration20261123000620Delegations'],
    ['another baseline', 'Migration20261126120000Baseline', 'Migration20261215100000Purpose'],
  ])('is refused, and changes nothing, on a database from before 1.0 with %s', async (_, first, last) => {
    const url = await freshDatabase();
    const client = await session(url);
    await client.query(earlierDatabase(first, last));
    const before = await dumpDatabase(url);
    const refusal = /^the database was made by a version before 1\.0: .*"namewatch export .*"namewatch import /;
    await expect(migrate(configFor(url))).rejects.toThrow(refusal);
    await expect(pendingMigrations(url)).rejects.toThrow(refusal);
    expect(await dumpDatabase(url)).toEqual(before);
    expect((await client.query('select from pg_namespace where nspname = $1', ['bullmq'])).rowCount).toBe(0);
  });
});

describe('a single migration', () => {
  it('stays applied if the next one fails', async () => {
    const url = await freshDatabase();
    const first = step('First', 'create table first_step (id integer)');
    const broken = step('Second', 'create table second_step (id integer)', 'select 1 / 0');
    await expect(applySteps(url, [first, broken])).rejects.toThrow('division by zero');
    const client = await session(url);
    expect(await applied(client)).toEqual(['First']);

    expect(await applySteps(url, [first, step('Second', 'create table second_step (id integer)')])).toBe(1);
    expect(await applied(client)).toEqual(['First', 'Second']);
  });

  it('is run again if its process was killed before the end', async () => {
    const url = await freshDatabase();
    const client = await session(url);
    const child = fork(join(import.meta.dirname, 'migrate-and-wait.ts'), [url], {
      execArgv: ['--import', './tools/scripts/typescript.mjs'],
    });
    const asleep = `from pg_stat_activity where datname = current_database() and query like 'select pg_sleep(60)%'`;
    const sleeping = async () => (await client.query(`select ${asleep}`)).rowCount;
    await eventually(sleeping, (count) => count === 1);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    await client.query(`select pg_cancel_backend(pid) ${asleep}`); // else it would notice only when it wakes up

    const again = [step('First', 'select 1 / 0'), step('Second', 'create table second_step (id integer)')];
    expect(await applySteps(url, again, { lockTimeoutMs: 200 })).toBe(1);
    expect(await applied(client)).toEqual(['First', 'Second']);
  });

  it('fails with a clear message if another session never releases its lock on the table', async () => {
    const url = await freshDatabase();
    const reader = await session(url);
    await applySteps(url, [step('First', 'create table names (domain text)')]);
    await reader.query('begin');
    await reader.query('select from names');
    const steps = [step('First'), step('Second', 'alter table names add note text')];
    await expect(applySteps(url, steps, { lockTimeoutMs: 50, retryTimeoutMs: 200 })).rejects.toThrow(
      'what Second changes could not be changed: another session holds a lock on it; end the transaction',
    );
    await reader.query('rollback');
  });
});

describe('an index that is built concurrently', () => {
  const table = step('First', 'create table names (domain text)', `insert into names values ('a'), ('a')`);
  const index = stepOutsideTransaction('Second', 'create index concurrently if not exists by_domain on names (domain)');
  const isValid = async (client: pg.Client) => {
    const { rows } = await client.query<{ valid: boolean }>(
      `select indisvalid as valid from pg_index where indexrelid = to_regclass('by_domain')`,
    );
    return rows[0]?.valid;
  };

  it('is rebuilt if a failed build left it invalid', async () => {
    const url = await freshDatabase();
    const client = await session(url);
    await applySteps(url, [table]);
    await expect(client.query('create unique index concurrently by_domain on names (domain)')).rejects.toThrow();
    expect(await isValid(client)).toBe(false);
    await applySteps(url, [table, index]);
    expect(await isValid(client)).toBe(true);
  });

  it('does not block inserts while it is built', async () => {
    const url = await freshDatabase();
    const [old, writer] = [await session(url), await session(url)];
    await applySteps(url, [table]);
    await old.query('begin');
    await old.query(`insert into names values ('b')`); // the build waits until this ends
    const migrated = applySteps(url, [table, index], { lockTimeoutMs: 100 });
    await eventually(
      () => waiting(writer, 'by_domain'),
      (count) => count === 1,
    );
    await writer.query(`set lock_timeout = '5s'`);
    await writer.query(`insert into names values ('c')`);
    expect(await isValid(writer)).toBe(false);
    await old.query('commit');
    await migrated;
    expect(await isValid(writer)).toBe(true);
  });
});

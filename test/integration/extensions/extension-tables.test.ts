import { beforeAll, describe, expect, it } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/core';
import pg from 'pg';
import ledger from '../../../examples/ledger/src/ledger.js';
import { forgetExtension, migrate, pendingMigrations } from '../../../src/app/migrate.js';
import { Config } from '../../../src/config/config.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { defineExtension, type Extension } from '../../../src/kit.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import type { MigrationEntry } from '../../../src/platform/database/migration/migration-steps.js';
import { asServingUser, migratedDatabase } from '../../support/database/database.js';
import { configFor, step, stepOutsideTransaction } from '../platform/migration-steps.js';

class Visit {
  id: string;
  place: string;
}

function mapped(tableName: string, schema?: string): EntitySchema<Visit> {
  const properties = { id: { type: 'text', primary: true }, place: { type: 'text' } } as const;
  return new EntitySchema<Visit>({ class: Visit, tableName, ...(schema ? { schema } : {}), properties });
}

const CREATE = step('CreateVisits', 'create table visits_kept (id text primary key, place text not null)');
const visits = (extension: Partial<Extension>) => defineExtension({ name: 'visits', compatibility: '*', ...extension });

/** Runs one statement on a connection of its own. */
async function query(url: string, text: string) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

describe('the tables of an extension', () => {
  let url: string;
  beforeAll(async () => {
    url = await freshDatabase();
  });

  const freshDatabase = () => migratedDatabase('for_extensions', (made) => migrate(configFor(made)));
  const migrateWith = async (extensions: readonly Extension[], on = url) => {
    const config = new Config({ ...configFor(await asServingUser(on)), migrationDatabaseUrl: on });
    return migrate(config, Extensions.from(extensions));
  };
  const rows = (text: string, on = url) => query(on, text);
  const failureOf = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => null,
      (failure: unknown) => failure,
    );
    if (!(error instanceof InvalidConfigurationError)) throw new Error(`no sentence for a person: ${String(error)}`);
    return error.problems;
  };

  it('come with its migrations, once, and are recorded apart from ours', async () => {
    const extension = visits({ entities: [mapped('visits_kept')], migrations: [CREATE] });
    expect(await pendingMigrations(url, Extensions.from([extension]))).toEqual(['CreateVisits']);
    expect(await migrateWith([extension])).toBe(1);
    expect(await migrateWith([extension])).toBe(0);
    expect(await rows('select name from mikro_orm_migrations_visits')).toEqual([{ name: 'CreateVisits' }]);
    expect(await migrateWith([])).toBe(0);
    const asService = await asServingUser(url);
    expect(await rows('select from visits_kept', asService)).toEqual([]);
  });

  it('may be in a schema of its own', async () => {
    const own = step(
      'Own',
      'create schema elsewhere',
      'create table elsewhere.visits (id text primary key, place text)',
    );
    const extension = defineExtension({
      name: 'far-visits',
      compatibility: '*',
      migrations: [own],
      entities: [mapped('visits', 'elsewhere')],
    });
    expect(await migrateWith([extension])).toBe(1);
    expect(await rows('select from elsewhere.visits', await asServingUser(url))).toEqual([]);
  });

  it('keep the steps before one that fails', async () => {
    const on = await freshDatabase();
    const broken = step('Broken', 'create table visits_late (id text)', 'select 1\n    / 0');
    const problems = await failureOf(migrateWith([visits({ migrations: [CREATE, broken] })], on));
    expect(problems).toEqual([
      'EXTENSIONS: the migration Broken of the extension visits failed at "select 1 / 0": division by zero',
    ]);
    expect(await rows('select name from mikro_orm_migrations_visits', on)).toEqual([{ name: 'CreateVisits' }]);
    expect(await rows(`select to_regclass('visits_late') as late`, on)).toEqual([{ late: null }]);
  });

  it('are refused to an earlier version of it', async () => {
    await migrateWith([visits({ migrations: [CREATE] })]);
    const earlier = migrateWith([visits({ migrations: [step('Other')] })]);
    await expect(earlier).rejects.toThrow(
      'the database is newer than this version of the extension visits: it has CreateVisits',
    );
  });

  it.each([
    ['a table of ours', mapped('watch_entries'), /Visit of the extension visits maps the table watch_entries/],
    ['a table that no migration makes', mapped('visits_lost'), /visits_lost, which no migration has created/],
    ['a table of the queue', mapped('job', 'bullmq'), /maps the table job: its tables are named visits_… or/],
  ])('are not %s', async (_, entity, sentence) => {
    const problems = await failureOf(migrateWith([visits({ entities: [entity], migrations: [CREATE] })]));
    expect(problems).toEqual([expect.stringMatching(sentence)]);
  });

  it('have the columns that it maps', async () => {
    const narrow = step('Narrow', 'create table visits_narrow (id text primary key)');
    const extension = visits({ entities: [mapped('visits_narrow')], migrations: [CREATE, narrow] });
    expect(await failureOf(migrateWith([extension]))).toEqual([
      'EXTENSIONS: the entity Visit of the extension visits maps the column place, which visits_narrow does not have',
    ]);
  });
});

describe('a migration of an extension', () => {
  const other = step('OtherGuests', 'create table others_guests (id text primary key, place text not null)');
  const others = defineExtension({ name: 'others', compatibility: '*', migrations: [other] });
  const guests = (...migrations: Extension['migrations'] & object) =>
    defineExtension({ name: 'guests', compatibility: '*', migrations });
  const own = step(
    'Guests',
    'create table guests_kept (id text primary key, place text)',
    'create schema guesthouse',
    'create table guesthouse.rooms (id text primary key, place text)',
    'create function guests_touch() returns trigger language plpgsql as $$ begin return new; end $$',
  );
  let url: string;
  beforeAll(async () => {
    url = await migratedDatabase('for_extensions', (made) => migrate(configFor(made)));
    await migrateWith(own);
    await rows(`insert into others_guests values ('one', 'here')`);
  });

  const migrateWith = (...migrations: MigrationEntry[]) =>
    migrate(configFor(url), Extensions.from([others, guests(...migrations)]));
  const failureOf = (migration: MigrationEntry) =>
    migrateWith(own, migration).then(
      () => 'it was applied',
      (error: unknown) => (error as InvalidConfigurationError).problems.join('\n'),
    );
  const rows = (text: string) => query(url, text);

  it.each([
    ['adds a column to', 'watch_entries', `alter table watch_entries add column guests integer`],
    ['relaxes', 'watch_entries', `alter table watch_entries alter column status drop not null`],
    ['fills', 'accounts', `insert into accounts values ('acc_9', 'guest', 'selfhost', now())`],
    ['empties', 'accounts', `truncate accounts cascade`],
    ['drops', 'extension_tasks', `drop table extension_tasks`],
    ['indexes', 'watch_entries', `create index guests_entries on watch_entries (status)`],
    [
      'triggers on',
      'watch_entries',
      `create trigger guests_touch before update on watch_entries for each row execute function guests_touch()`,
    ],
    [
      'rewrites a function of',
      'the function count_entries()',
      `create or replace function count_entries() returns trigger language plpgsql as 'begin return null; end'`,
    ],
    ['refers to', 'accounts', `create table guests_accounts (id text references accounts (id))`],
    ['inherits from', 'events', `create table guests_events () inherits (events)`],
    ['makes', 'visitors', `create table visitors (id text)`],
    ['changes the queue in', 'bullmq.job', `alter table bullmq.job add column guests integer`],
    ['deletes rows of', 'others_guests', `delete from others_guests`],
    ['changes the columns of', 'others_guests', `alter table others_guests drop column place`],
  ])('%s no table that is not its own: %s', async (_, table, statement) => {
    const sentence = await failureOf(step('Grow', 'create table guests_grown (id text)', statement));
    expect(sentence).toMatch(/^EXTENSIONS: the migration Grow of the extension guests failed: it changes .*/);
    expect(sentence).toContain(table);
    expect(sentence).toMatch(/: its own tables are named guests_… or are in a schema of its own$/);
    expect(await rows(`select to_regclass('guests_grown') as grown`)).toEqual([{ grown: null }]);
  });

  it('is refused outside a transaction before it does anything but indexes of its own tables', async () => {
    const index = (name: string, table: string) => `create index concurrently if not exists ${name} on ${table} (id)`;
    const concurrent = (...statements: string[]) => failureOf(stepOutsideTransaction('Fast', ...statements));
    expect(await concurrent(index('guests_first', 'guests_kept'), index('guests_other', 'watch_entries'))).toBe(
      'EXTENSIONS: the migration Fast of the extension guests failed: it changes watch_entries: its own tables are named guests_…',
    );
    expect(await concurrent('drop index concurrently watch_entries_pkey')).toContain(
      'it changes watch_entries: its own',
    );
    expect(await concurrent('delete\n  from watch_entries')).toBe(
      'EXTENSIONS: the migration Fast of the extension guests failed: outside a transaction it may only build and drop ' +
        'indexes concurrently, and not "delete from watch_entries"',
    );
    expect(await rows(`select to_regclass('guests_first') as index`)).toEqual([{ index: null }]);
  });

  it('changes its own tables and its own schema, and indexes them concurrently', async () => {
    const grown = step(
      'Grown',
      `insert into guests_kept values ('one', 'here')`,
      'alter table guests_kept add column since timestamptz',
      'create table guests_rooms (id text references guests_kept (id), room text references guesthouse.rooms (id))',
      'create trigger guests_touch before update on guests_kept for each row execute function guests_touch()',
      `update guesthouse.rooms set place = 'here'`,
    );
    const indexed = stepOutsideTransaction(
      'Indexed',
      'create index concurrently if not exists guests_by_place on guests_kept (place)',
      'create unique index concurrently if not exists rooms_by_place on guesthouse.rooms (place)',
      'drop index concurrently if exists guests_by_nothing',
    );
    expect(await migrateWith(own, grown, indexed)).toBe(2);
    expect(await rows(`select indisvalid from pg_index where indexrelid = 'guests_by_place'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });
});

describe('an extension with subscribers', () => {
  const freshDatabase = () => migratedDatabase('for_extensions', (made) => migrate(configFor(made)));

  it('is needed by every process from then on, until it is forgotten', async () => {
    const config = configFor(await freshDatabase());
    await migrate(config, Extensions.from([ledger]));
    const sentence =
      /^EXTENSIONS: the extension ledger records the changes in this database, and this process lacks it/;
    await expect(migrate(config)).rejects.toThrow(sentence);
    await expect(pendingMigrations(config.databaseUrl ?? '')).rejects.toThrow(sentence);

    const forget = (extensions = Extensions.none) => forgetExtension(config.databaseUrl ?? '', 'ledger', extensions);
    expect(() => forget(Extensions.from([ledger]))).toThrow(InvalidConfigurationError);
    const url = config.databaseUrl ?? '';
    await query(url, `insert into extension_tasks values ('ledger', 'send', now())`);
    await query(url, 'create table mikro_orm_migrations_ledger_two (name text)'); // another extension
    await query(url, 'create table ledger_two_entries (id text)');
    await query(url, 'create view ledger_days as select * from ledger_entries');
    const leftovers = [
      'drop view ledger_days;',
      'drop table ledger_entries, mikro_orm_migrations_ledger;',
      `delete from extension_tasks where extension = 'ledger';`,
    ];
    expect(await forget()).toEqual(leftovers);
    expect(await forget()).toEqual(leftovers);
    expect(await migrate(config)).toBe(0);
    expect(await migrate(config, Extensions.from([ledger]))).toBe(0); // its tables were kept
    await query(url, `delete from extensions`);
    for (const statement of leftovers) await query(url, statement);
    expect(await forget()).toBeNull();
    expect(await query(url, 'select from ledger_two_entries')).toEqual([]);
  });

  it.each(['watch', 'job', `x'; drop table accounts; --`])('is not forgotten by the name %s', async (name) => {
    const forget = async () => forgetExtension(await freshDatabase(), name);
    await expect(forget).rejects.toThrow(/begins with a word of the service|is not 2 to 40 lower-case/);
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/core';
import ledger from '../../../examples/ledger/src/ledger.js';
import { forgetExtension, migrate, pendingMigrations } from '../../../src/app/migrate.js';
import { Config } from '../../../src/config/config.js';
import { InvalidConfigurationError } from '../../../src/config/invalid-configuration.error.js';
import { defineExtension, type Extension } from '../../../src/kit.js';
import { Extensions } from '../../../src/extensions/extensions.js';
import { askDatabase, asServingUser, migratedDatabase } from '../../support/database/database.js';
import { configFor, step } from '../platform/migration-steps.js';

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
  const rows = (text: string, on = url) => askDatabase(on, text);
  const failureOf = async (work: Promise<unknown>) => {
    const error: unknown = await work.then(
      () => null,
      (failure: unknown) => failure,
    );
    if (!(error instanceof InvalidConfigurationError)) throw new Error(`no sentence for a person: ${String(error)}`);
    return error.problems;
  };

  it('are created once by its migrations, which are recorded in a table of their own', async () => {
    const extension = visits({ entities: [mapped('visits_kept')], migrations: [CREATE] });
    expect(await pendingMigrations(url, Extensions.from([extension]))).toEqual(['CreateVisits']);
    expect(await migrateWith([extension])).toBe(1);
    expect(await migrateWith([extension])).toBe(0);
    expect(await rows('select name from mikro_orm_migrations_visits')).toEqual([{ name: 'CreateVisits' }]);
    expect(await migrateWith([])).toBe(0);
    const asService = await asServingUser(url);
    expect(await rows('select from visits_kept', asService)).toEqual([]);
  });

  it('may be in a database schema of their own', async () => {
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

  it('keep what earlier migrations did when a later migration fails', async () => {
    const on = await freshDatabase();
    const broken = step('Broken', 'create table visits_late (id text)', 'select 1\n    / 0');
    const problems = await failureOf(migrateWith([visits({ migrations: [CREATE, broken] })], on));
    expect(problems).toEqual(['EXTENSIONS: the migration Broken of the extension visits failed: division by zero']);
    expect(await rows('select name from mikro_orm_migrations_visits', on)).toEqual([{ name: 'CreateVisits' }]);
    expect(await rows(`select to_regclass('visits_late') as late`, on)).toEqual([{ late: null }]);
  });

  it('cannot be used by an earlier version of the extension', async () => {
    await migrateWith([visits({ migrations: [CREATE] })]);
    const earlier = migrateWith([visits({ migrations: [step('Other')] })]);
    await expect(earlier).rejects.toThrow(
      'the database is newer than this version of the extension visits: it has CreateVisits',
    );
  });
});

describe('an extension with subscribers', () => {
  const freshDatabase = () => migratedDatabase('for_extensions', (made) => migrate(configFor(made)));

  it('must be loaded by every process after its first start, until an operator removes it', async () => {
    const config = configFor(await freshDatabase());
    await migrate(config, Extensions.from([ledger]));
    const sentence =
      /^EXTENSIONS: the extension ledger records the changes in this database, and this process lacks it/;
    await expect(migrate(config)).rejects.toThrow(sentence);
    await expect(pendingMigrations(config.databaseUrl ?? '')).rejects.toThrow(sentence);

    const forget = (extensions = Extensions.none) => forgetExtension(config.databaseUrl ?? '', 'ledger', extensions);
    expect(() => forget(Extensions.from([ledger]))).toThrow(InvalidConfigurationError);
    const url = config.databaseUrl ?? '';
    await askDatabase(url, `insert into extension_tasks values ('ledger', 'send', now())`);
    await askDatabase(url, 'create table mikro_orm_migrations_ledger_two (name text)'); // another extension
    await askDatabase(url, 'create table ledger_two_entries (id text)');
    await askDatabase(url, 'create view ledger_days as select * from ledger_entries');
    const leftovers = [
      'drop view ledger_days;',
      'drop table ledger_entries, mikro_orm_migrations_ledger;',
      `delete from extension_tasks where extension = 'ledger';`,
    ];
    expect(await forget()).toEqual(leftovers);
    expect(await forget()).toEqual(leftovers);
    expect(await migrate(config)).toBe(0);
    expect(await migrate(config, Extensions.from([ledger]))).toBe(0); // its tables were kept
    await askDatabase(url, `delete from extensions`);
    for (const statement of leftovers) await askDatabase(url, statement);
    expect(await forget()).toBeNull();
    expect(await askDatabase(url, 'select from ledger_two_entries')).toEqual([]);
  });

  it.each(['watch', 'job', `x'; drop table accounts; --`])(
    'cannot be removed under a reserved or invalid name: %s',
    async (name) => {
      const forget = async () => forgetExtension(await freshDatabase(), name);
      await expect(forget).rejects.toThrow(/begins with a word of the service|is not 2 to 40 lower-case/);
    },
  );
});

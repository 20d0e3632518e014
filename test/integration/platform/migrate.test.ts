import { describe, expect, it } from '@jest/globals';
import { Migration } from '@mikro-orm/migrations';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { readConfig } from '../../../src/config.js';
import { migrations } from '../../../src/migrations/index.js';
import { DatabaseIsNewer, migrateDatabase } from '../../../src/platform/persistence/migrate.js';
import { migrate } from '../../../src/migrate.js';
import { ormOptions } from '../../../src/orm.js';
import { freshDatabase } from '../../support/database.js';

const configFor = (DATABASE_URL: string) =>
  readConfig({ DATABASE_URL, MASTER_KEY: randomBytes(32).toString('base64'), RDAP_BOOTSTRAP_URL: 'off' });

describe('migrating', () => {
  it('is done once by processes that start together', async () => {
    const config = configFor(await freshDatabase());
    const applied = await Promise.all([migrate(config), migrate(config), migrate(config)]);
    expect(applied.sort()).toEqual([0, 0, migrations.length]);
  });

  it('finds nothing to do the second time', async () => {
    const config = configFor(await freshDatabase());
    expect(await migrate(config)).toBe(migrations.length);
    expect(await migrate(config)).toBe(0);
  });

  it('may take as long as it takes', async () => {
    const url = await freshDatabase();
    const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    let told: unknown;
    class Slow extends Migration {
      override async up(): Promise<void> {
        told = await this.execute('select setting from pg_settings where name in (?, ?)', timeouts);
      }
    }
    const orm = ormOptions(configFor(url));
    const migrationsList = [{ name: 'Slow', class: Slow }];
    await migrateDatabase({
      databaseUrl: url,
      orm: { ...orm, migrations: { ...orm.migrations, migrationsList } },
      names: ['Slow'],
      queue: false,
    });
    expect(told).toEqual([{ setting: '0' }, { setting: '0' }]);
  });

  it('is refused on a database that a later version made', async () => {
    const url = await freshDatabase();
    await migrate(configFor(url));
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`insert into mikro_orm_migrations (name, executed_at) values ('Migration29991231', now())`);
    await client.end();
    await expect(migrate(configFor(url))).rejects.toThrow(DatabaseIsNewer);
    await expect(migrate(configFor(url))).rejects.toThrow('Migration29991231');
  });
});

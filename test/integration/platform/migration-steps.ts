import { Migration } from '@mikro-orm/migrations';
import { randomBytes } from 'node:crypto';
import { readConfig } from '../../../src/config/config.js';
import { ormOptions } from '../../../src/app/orm.js';
import { migrateDatabase } from '../../../src/platform/database/migration/migrate-database.js';
import type { LockRetryOptions } from '../../../src/platform/database/migration/locks.js';
import type { MigrationEntry } from '../../../src/platform/database/migration/migration-steps.js';

export const configFor = (DATABASE_URL: string) =>
  readConfig({ DATABASE_URL, MASTER_KEY: randomBytes(32).toString('base64'), RDAP_BOOTSTRAP_URL: 'off' });

/** A migration of these statements, in one transaction. */
export function step(name: string, ...statements: string[]): MigrationEntry {
  return migrationOf(name, statements, true);
}

/** A migration whose statements are committed one by one. */
export function stepOutsideTransaction(name: string, ...statements: string[]): MigrationEntry {
  return migrationOf(name, statements, false);
}

function migrationOf(name: string, statements: readonly string[], transactional: boolean): MigrationEntry {
  return {
    name,
    class: class extends Migration {
      override isTransactional(): boolean {
        return transactional;
      }
      override up(): void {
        for (const statement of statements) this.addSql(statement);
      }
    },
  };
}

export function applySteps(
  databaseUrl: string,
  migrations: readonly MigrationEntry[],
  waiting: LockRetryOptions = {},
): Promise<number> {
  return migrateDatabase({
    databaseUrl,
    migrationUrl: databaseUrl,
    orm: ormOptions(configFor(databaseUrl)),
    migrations,
    extensions: [],
    queues: [],
    ...waiting,
  });
}

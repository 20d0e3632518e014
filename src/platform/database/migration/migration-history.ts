import type pg from 'pg';
import type { DatabaseExtension } from './extension-registry.js';
import type { MigrationEntry } from './migration-steps.js';
import { tableExists } from './queue-tables.js';

/** Migrations in order, and the table that records which of them were applied. */
export interface MigrationHistory {
  readonly table: string;
  /** null for Namewatch itself. */
  readonly extension: string | null;
  readonly migrations: readonly MigrationEntry[];
}

/** Another version made the database. This version might lose data, so the process exits with code 78. */
export class DatabaseOfAnotherVersion extends Error {
  override readonly name = 'DatabaseOfAnotherVersion';

  static newer(unknown: readonly string[], extension: string | null): DatabaseOfAnotherVersion {
    const version = extension === null ? 'this version of Namewatch' : `this version of the extension ${extension}`;
    return new DatabaseOfAnotherVersion(
      `the database is newer than ${version}: it has ${unknown.join(', ')}; ` +
        'start the version that migrated it, or restore the backup from before the upgrade',
    );
  }

  static earlier(): DatabaseOfAnotherVersion {
    return new DatabaseOfAnotherVersion(
      'the database was made by a version before 1.0: save the watchlist with that version ' +
        '("namewatch export --output watchlist.csv"), start this one on an empty database, and load it there ' +
        '("namewatch import watchlist.csv")',
    );
  }
}

const OWN_TABLE = 'mikro_orm_migrations';

/** Returns Namewatch's own migrations first, then those of the extensions in their order. */
export function migrationHistories(
  migrations: readonly MigrationEntry[],
  extensions: readonly DatabaseExtension[],
): MigrationHistory[] {
  const added = extensions.filter((extension) => extension.migrations.length > 0);
  return [
    { table: OWN_TABLE, extension: null, migrations },
    ...added.map((extension) => ({
      table: `${OWN_TABLE}_${extension.name.replaceAll('-', '_')}`,
      extension: extension.name,
      migrations: extension.migrations,
    })),
  ];
}

/** Returns the name of the extension whose migrations this table records, but with `_` for each `-`. */
export function extensionOf(historyTable: string): string {
  return historyTable.slice(OWN_TABLE.length + 1);
}

/**
 * Returns the names of the migrations that were not applied yet.
 * @throws DatabaseOfAnotherVersion if the database has a migration that this version lacks
 */
export async function findPending(client: pg.Client, history: MigrationHistory): Promise<string[]> {
  const names = history.migrations.map(({ name }) => name);
  const applied = (await tableExists(client, history.table)) ? await findApplied(client, history) : [];
  const unknown = applied.filter((name) => !names.includes(name));
  if (isOfEarlierVersion(history, applied)) throw DatabaseOfAnotherVersion.earlier();
  if (unknown.length > 0) throw DatabaseOfAnotherVersion.newer(unknown, history.extension);
  return names.filter((name) => !applied.includes(name));
}

/** Names of migrations begin with a date, so they sort by age. */
export function isOfEarlierVersion({ extension, migrations }: MigrationHistory, applied: readonly string[]): boolean {
  const first = migrations[0]?.name;
  return extension === null && first !== undefined && applied.some((name) => name < first);
}

async function findApplied(client: pg.Client, { table }: MigrationHistory): Promise<string[]> {
  const text = `select name from ${client.escapeIdentifier(table)} order by id`;
  const { rows } = await client.query<{ name: string }>(text);
  return rows.map((row) => row.name);
}

import type pg from 'pg';
import type { DatabaseExtension } from './extension-registry.js';
import type { MigrationEntry } from './migration-steps.js';
import { tableExists } from './queue-tables.js';

/** Migrations in order, and the table that records which of them were applied. */
export interface MigrationHistory {
  readonly table: string;
  /** null: Namewatch's own. */
  readonly extension: string | null;
  readonly migrations: readonly MigrationEntry[];
}

/** A later version migrated the database; running on it could lose data. Exit code 78. */
export class DatabaseIsNewer extends Error {
  override readonly name = 'DatabaseIsNewer';

  constructor(unknown: readonly string[], extension: string | null) {
    const version = extension === null ? 'this version of Namewatch' : `this version of the extension ${extension}`;
    super(`the database is newer than ${version}: it has ${unknown.join(', ')}`);
  }
}

const OWN_TABLE = 'mikro_orm_migrations';

/** Of an installation: Namewatch's first, then those of the extensions in their order. */
export function migrationHistories(options: {
  readonly migrations: readonly MigrationEntry[];
  readonly extensions?: readonly DatabaseExtension[];
}): MigrationHistory[] {
  const own = { table: OWN_TABLE, extension: null, migrations: options.migrations };
  const added = (options.extensions ?? []).filter(({ migrations }) => migrations.length > 0);
  return [
    own,
    ...added.map(({ name, migrations }) => ({
      table: `${OWN_TABLE}_${name.replaceAll('-', '_')}`,
      extension: name,
      migrations,
    })),
  ];
}

/** The names of the migrations still to be applied. @throws DatabaseIsNewer */
export async function findPending(client: pg.Client, history: MigrationHistory): Promise<string[]> {
  const names = history.migrations.map(({ name }) => name);
  const applied = (await tableExists(client, history.table)) ? await findApplied(client, history) : [];
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown, history.extension);
  return names.filter((name) => !applied.includes(name));
}

async function findApplied(client: pg.Client, { table }: MigrationHistory): Promise<string[]> {
  const text = `select name from ${client.escapeIdentifier(table)} order by id`;
  const { rows } = await client.query<{ name: string }>(text);
  return rows.map((row) => row.name);
}

import type pg from 'pg';
import { InvalidConfigurationError } from '../../../config/invalid-configuration.error.js';
import type { MigrationEntry } from './migration-steps.js';
import { tableExists } from './queue-tables.js';

export interface DatabaseExtension {
  readonly name: string;
  readonly compatibility: string;
  /**
   * True if the extension subscribes to events. No process may start without such an extension, because the extension
   * would miss events.
   */
  readonly isRequired: boolean;
  readonly migrations: readonly MigrationEntry[];
}

/** @throws InvalidConfigurationError naming the extensions that this database needs and the process lacks */
export async function assertAllLoaded(session: pg.Client, loaded: readonly DatabaseExtension[]): Promise<void> {
  const names = loaded.map(({ name }) => name);
  const missing = (await findRegistered(session)).filter(({ name }) => !names.includes(name));
  if (missing.length > 0) throw new InvalidConfigurationError(missing.map(({ name }) => toProblem(name)));
}

function toProblem(name: string): string {
  return (
    `EXTENSIONS: the extension ${name} records the changes in this database, and this process lacks it ` +
    `("namewatch migrate --forget-extension ${name}" takes it out)`
  );
}

export async function areRegistered(session: pg.Client, extensions: readonly DatabaseExtension[]): Promise<boolean> {
  const required = extensions.filter(({ isRequired }) => isRequired);
  if (required.length === 0) return true;
  const registered = await findRegistered(session);
  return required.every(({ name, compatibility }) =>
    registered.some((one) => one.name === name && one.compatibility === compatibility),
  );
}

export async function registerExtensions(session: pg.Client, extensions: readonly DatabaseExtension[]): Promise<void> {
  for (const { name, compatibility } of extensions.filter(({ isRequired }) => isRequired))
    await session.query(
      `insert into extensions (name, compatibility) values ($1, $2)
       on conflict (name) do update set compatibility = excluded.compatibility`,
      [name, compatibility],
    );
}

/** @returns false if the extension was not registered */
export async function unregisterExtension(session: pg.Client, name: string): Promise<boolean> {
  if (!(await tableExists(session, 'extensions'))) return false;
  const { rowCount } = await session.query('delete from extensions where name = $1', [name]);
  return rowCount === 1;
}

/**
 * Returns SQL that removes an extension's tables, views and tasks. For the extension `mail`, keeps tables `mail_log_…`
 * of an extension `mail-log` with migrations.
 */
export async function findLeftovers(session: pg.Client, name: string): Promise<string[]> {
  const { rows } = await session.query<{ statement: string }>(
    `with named as (
       select relname, relkind from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where nspname = current_schema() and relkind in ('r', 'p', 'v', 'm')),
     own as (
       select relname, relkind from named
        where relname = 'mikro_orm_migrations_' || rtrim($1, '_') or (starts_with(relname, $1) and not exists (
          select from named other where starts_with(other.relname, 'mikro_orm_migrations_' || $1)
             and starts_with(named.relname, substr(other.relname, length('mikro_orm_migrations_') + 1) || '_'))))
     select statement from (
       select 1 as position, format('drop %s %I;', case relkind when 'v' then 'view' else 'materialized view' end, relname)
         from own where relkind in ('v', 'm')
       union all
       select 2, 'drop table ' || string_agg(quote_ident(relname), ', ' order by own.relname collate "C") || ';'
         from own where relkind in ('r', 'p') having count(*) > 0
     ) found (position, statement) order by position`,
    [`${name.replaceAll('-', '_')}_`],
  );
  const hasTasks =
    (await tableExists(session, 'extension_tasks')) &&
    (await session.query('select from extension_tasks where extension = $1 limit 1', [name])).rowCount === 1;
  const ofTasks = hasTasks ? [`delete from extension_tasks where extension = '${name}';`] : [];
  return [...rows.map(({ statement }) => statement), ...ofTasks];
}

async function findRegistered(session: pg.Client): Promise<{ name: string; compatibility: string }[]> {
  if (!(await tableExists(session, 'extensions'))) return [];
  return (await session.query<{ name: string; compatibility: string }>('select name, compatibility from extensions'))
    .rows;
}

import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import type { Config } from '../config/config.js';
import { InvalidConfigurationError } from '../config/invalid-configuration.error.js';
import type { Extensions } from '../extensions/extensions.js';
import { ormOptions } from './orm.js';

/** An entity of an extension, as the ORM maps it. */
interface MappedEntity {
  /** `the entity LedgerEntry of the extension ledger` */
  readonly subject: string;
  /** Of the database's search path when null. */
  readonly schema: string | null;
  readonly table: string;
  readonly columns: readonly string[];
}

/** @throws InvalidConfigurationError when the ORM refuses a mapping, or one is of a table that is not the extension's */
export async function mapExtensionEntities(config: Config, extensions: Extensions): Promise<readonly MappedEntity[]> {
  if (extensions.collect('entities').length === 0) return [];
  const orm = await discover(config, extensions);
  const mapped = extensions.all.flatMap(({ name, entities = [] }) =>
    entities.map((entity) => ({ name, ...toMappedEntity(name, orm, entity.meta.className) })),
  );
  const problems = mapped.flatMap((entity) => findTableProblem(entity.name, entity) ?? []);
  if (problems.length > 0) throw new InvalidConfigurationError(problems);
  return mapped.filter(({ table }) => table !== '');
}

/** @throws InvalidConfigurationError naming the columns that no migration has created */
export async function assertColumnsExist(url: string | null, entities: readonly MappedEntity[]): Promise<void> {
  if (entities.length === 0 || url === null) return;
  const session = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await session.connect();
  try {
    const problems: string[] = [];
    for (const entity of entities) problems.push(...(await findMissingColumns(session, entity)));
    if (problems.length > 0) throw new InvalidConfigurationError(problems);
  } finally {
    await session.end();
  }
}

async function discover(config: Config, extensions: Extensions): Promise<MikroORM> {
  const options = ormOptions(config, extensions);
  try {
    // A name of ours is reported below, in words that say what to do. No connection is opened before the first query.
    return await MikroORM.init({ ...options, discovery: { ...options.discovery, checkDuplicateTableNames: false } });
  } catch (cause) {
    const reason = (cause as Error).message.split('\n')[0] ?? '';
    throw new InvalidConfigurationError([`EXTENSIONS: an entity cannot be mapped: ${reason}`], { cause });
  }
}

function toMappedEntity(extension: string, orm: MikroORM, className: string): MappedEntity {
  const meta = [...orm.getMetadata().getAll().values()].find((one) => one.className === className);
  const stored = (meta?.props ?? []).filter(({ persist, formula }) => persist !== false && formula === undefined);
  return {
    subject: `the entity ${className} of the extension ${extension}`,
    schema: meta?.schema ?? null,
    table: meta?.embeddable === true || meta?.abstract === true ? '' : (meta?.tableName ?? ''),
    columns: stored.flatMap(({ fieldNames }) => fieldNames ?? []),
  };
}

/** A prefix keeps an extension out of the tables that we have and of those that we will have. */
function findTableProblem(extension: string, { subject, schema, table }: MappedEntity): string | null {
  const prefix = `${extension.replaceAll('-', '_')}_`;
  const isOwn = table === '' || (schema === null ? table.startsWith(prefix) : !['public', 'bullmq'].includes(schema));
  if (isOwn) return null;
  return `EXTENSIONS: ${subject} maps the table ${table}: its tables are named ${prefix}… or are in a schema of its own`;
}

async function findMissingColumns(session: pg.Client, { subject, schema, table, columns }: MappedEntity) {
  const { rows } = await session.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = to_regclass(case when $1::text is null then format('%I', $2::text) else format('%I.%I', $1, $2::text) end)
        and attnum > 0 and not attisdropped`,
    [schema, table],
  );
  if (rows.length === 0) return [`EXTENSIONS: ${subject} maps the table ${table}, which no migration has created`];
  const existing = new Set(rows.map(({ name }) => name));
  const missing = columns.filter((column) => !existing.has(column));
  return missing.map((column) => `EXTENSIONS: ${subject} maps the column ${column}, which ${table} does not have`);
}

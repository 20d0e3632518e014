import type { Migration } from '@mikro-orm/migrations';
import type { MigrationEntry } from './migration-steps.js';

/**
 * Describes each table of the service, its queues and other extensions: columns, constraints, indexes, triggers, rules,
 * heirs, rights, storage, and how many rows this transaction has changed; and each function.
 */
const SNAPSHOT = `
  select case nspname when 'bullmq' then 'bullmq.' else '' end || relname as name,
    md5(concat_ws('|', relfilenode, relrowsecurity, relowner, relacl,
      (select string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
                                   pg_get_expr(adbin, adrelid)), ',' order by attnum)
         from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = table_.oid and attnum > 0 and not attisdropped),
      (select string_agg(pg_get_constraintdef(oid), ',' order by oid) from pg_constraint
        where table_.oid in (conrelid, confrelid)),
      (select string_agg(pg_get_indexdef(indexrelid), ',' order by indexrelid) from pg_index
        where indrelid = table_.oid),
      (select string_agg(concat_ws(' ', pg_get_triggerdef(oid), tgenabled), ',' order by oid)
         from pg_trigger where tgrelid = table_.oid and not tgisinternal),
      (select string_agg(concat_ws(' ', pg_get_ruledef(oid), ev_enabled), ',' order by oid) from pg_rewrite
        where ev_class = table_.oid),
      (select string_agg(inhrelid::text, ',' order by pg_inherits.inhrelid) from pg_inherits where inhparent = table_.oid),
      (select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_xact_all_tables where relid = table_.oid))) as state
    from pg_class table_ join pg_namespace on pg_namespace.oid = relnamespace
   where relkind in ('r', 'p', 'v', 'm') and nspname in (?, 'bullmq') and not starts_with(relname, 'mikro_orm_migrations')
  union all
  select 'the function ' || proname || '(' || oidvectortypes(proargtypes) || ')', md5(pg_get_functiondef(pg_proc.oid))
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
   where prokind in ('f', 'p') and nspname in (?, 'bullmq')`;

type Snapshot = ReadonlyMap<string, string>;

/**
 * The same migration, which fails when it has changed, made, filled or dropped a table that is not its extension's. In its
 * transaction: nothing of it stays then. Outside a transaction nothing could be undone, so that indexes of its own tables
 * are all that it may build and drop there, and it is refused before the first of them.
 * @param others the names of the other extensions, of which one may begin with the name of this one
 */
export function confineToOwnTables(
  extension: string,
  { name, class: Step }: MigrationEntry,
  others: readonly string[] = [],
): MigrationEntry {
  const toPrefix = (text: string) => `${text.replaceAll('-', '_')}_`;
  const prefix = toPrefix(extension);
  const longer = others.map(toPrefix).filter((other) => other !== prefix && other.startsWith(prefix));
  const isOwn = (table: string) => table.startsWith(prefix) && !longer.some((other) => table.startsWith(other));

  class ConfinedStep extends Step {
    /** What the migration does, whether its class or the instance itself says it. */
    private readonly original: () => void | Promise<void>;

    constructor(...parameters: ConstructorParameters<typeof Migration>) {
      super(...parameters);
      const own = Object.getOwnPropertyDescriptor(this, 'up')?.value as (() => void | Promise<void>) | undefined;
      Reflect.deleteProperty(this, 'up');
      this.original = own ?? (() => (Step.prototype as Migration).up.call(this)); // abstract in the class that it names
    }

    override async up(): Promise<void> {
      const [{ schema = 'public' } = {}] = (await this.execute('select current_schema() as schema')) as {
        schema?: string;
      }[];
      const before = await this.takeSnapshot(schema);
      await this.original();
      if (this.isTransactional()) await this.runStatements();
      else for (const statement of this.getQueries().map(String)) await this.assertOwnIndex(statement);
      const after = await this.takeSnapshot(schema);
      const names = new Set([...before.keys(), ...after.keys()]);
      const changed = [...names].filter((each) => before.get(each) !== after.get(each)).sort();
      if (changed.length > 0)
        throw new Error(
          `it changes ${changed.join(', ')}: its own tables are named ${prefix}… or are in a schema of its own`,
        );
    }

    /** Reads with a search path of its own, by which PostgreSQL writes the names: the migration may set another. */
    private async takeSnapshot(schema: string): Promise<Snapshot> {
      const isLocal = this.isTransactional();
      const [{ path = '' } = {}] = (await this.execute(`select current_setting('search_path') as path`)) as {
        path?: string;
      }[];
      await this.execute(`select set_config('search_path', 'pg_catalog', ?)`, [isLocal]);
      const rows = (await this.execute(SNAPSHOT, [schema, schema])) as { name: string; state: string }[];
      await this.execute(`select set_config('search_path', ?, ?)`, [path, isLocal]);
      return new Map(
        rows.filter((row) => !isOwn(row.name.replace('the function ', ''))).map((row) => [row.name, row.state]),
      );
    }

    /** Runs them here instead of after `up()`, so that the one that fails is known. */
    private async runStatements(): Promise<void> {
      for (const statement of this.getQueries().splice(0)) {
        try {
          await this.execute(statement);
        } catch (error) {
          if (typeof statement === 'string') Object.assign(error as Error, { failedStatement: statement });
          throw error;
        }
      }
    }

    private async assertOwnIndex(statement: string): Promise<void> {
      const { table, index } = CONCURRENT_INDEX.exec(statement)?.groups ?? {};
      const subject = table ?? index;
      if (subject === undefined)
        throw new Error(
          `outside a transaction it may only build and drop indexes concurrently, and not "${shorten(statement)}"`,
        );
      const [found] = (await this.execute(FIND_TABLE, [subject])) as { name: string }[];
      if (found && !isOwn(found.name)) throw new Error(`it changes ${found.name}: its own tables are named ${prefix}…`);
    }
  }
  return { name, class: ConfinedStep };
}

const CONCURRENT_INDEX =
  /^(?:\s|--[^\n]*\n|\/\*.*?\*\/)*(?:create\s+(?:unique\s+)?index\s+concurrently\s.*?\bon\s+(?:only\s+)?(?<table>[\w".]+)|drop\s+index\s+concurrently\s+(?:if\s+exists\s+)?(?<index>[\w".]+))/is;

/** Finds the table, or the table of the index, unless it is in a schema of an extension. */
const FIND_TABLE = `
  select table_.relname as name from pg_class named
    left join pg_index on indexrelid = named.oid
    join pg_class table_ on table_.oid = coalesce(indrelid, named.oid)
    join pg_namespace on pg_namespace.oid = table_.relnamespace
   where named.oid = to_regclass(?) and nspname in (current_schema(), 'bullmq')`;

const MAX_SHOWN = 100;

/** A statement on one line, and no more of it than says which it is. */
export function shorten(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

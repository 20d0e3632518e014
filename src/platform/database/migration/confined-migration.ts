import type { Migration } from '@mikro-orm/migrations';
import type { MigrationEntry } from './migration-steps.js';

/**
 * Describes each table of the service, its queues and other extensions: columns, constraints, indexes, triggers, rules,
 * heirs, rights, storage, and how many rows this transaction has changed.
 */
const DEFINE_SNAPSHOT = `create or replace function pg_temp.snapshot_of_other_tables() returns jsonb language sql as $function$
  select coalesce(jsonb_object_agg(name, state), '{}') from (
    select case nspname when 'bullmq' then 'bullmq.' else '' end || table_.relname as name, md5(concat_ws('|', relfilenode, relrowsecurity, relowner, relacl,
      (select string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull,
                                   pg_get_expr(adbin, adrelid)), ',' order by attnum)
         from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
        where attrelid = table_.oid and attnum > 0 and not attisdropped),
      (select string_agg(pg_get_constraintdef(oid), ',' order by oid) from pg_constraint
        where table_.oid in (conrelid, confrelid)),
      (select string_agg(pg_get_indexdef(indexrelid), ',' order by indexrelid) from pg_index
        where indrelid = table_.oid),
      (select string_agg(concat_ws(' ', pg_get_triggerdef(oid), tgenabled, pg_get_functiondef(tgfoid)), ',' order by oid)
         from pg_trigger where tgrelid = table_.oid and not tgisinternal),
      (select string_agg(concat_ws(' ', pg_get_ruledef(oid), ev_enabled), ',' order by oid) from pg_rewrite
        where ev_class = table_.oid),
      (select string_agg(inhrelid::text, ',' order by pg_inherits.inhrelid) from pg_inherits where inhparent = table_.oid),
      (select n_tup_ins + n_tup_upd + n_tup_del from pg_stat_xact_all_tables where relid = table_.oid))) as state
      from pg_class table_ join pg_namespace on pg_namespace.oid = relnamespace
     where relkind in ('r', 'p', 'v', 'm') and nspname in (current_schema(), 'bullmq')
       and not (nspname = current_schema() and starts_with(relname, current_setting('namewatch.own_tables')))
       and not starts_with(relname, 'mikro_orm_migrations')) other
$function$`;

const TAKE_SNAPSHOT = `select set_config('namewatch.other_tables', pg_temp.snapshot_of_other_tables()::text, false)`;

const COMPARE_SNAPSHOTS = `do $$
  declare changed text;
  begin
    select string_agg(coalesce(old.key, new.key), ', ' order by coalesce(old.key, new.key)) into changed
      from jsonb_each_text(current_setting('namewatch.other_tables')::jsonb) old
      full join jsonb_each_text(pg_temp.snapshot_of_other_tables()) new on new.key = old.key
     where old.value is distinct from new.value;
    if changed is not null then
      raise exception 'it changes %: its own tables are named %… or are in a schema of its own',
        changed, current_setting('namewatch.own_tables');
    end if;
  end $$`;

/**
 * The same migration, which fails when it has changed, made, filled or dropped a table that is not its extension's. In its
 * transaction: nothing of it stays then. Outside a transaction nothing could be undone, so that indexes of its own tables
 * are all that it may build and drop there, and it is refused before the first of them.
 */
export function confineToOwnTables(extension: string, { name, class: Step }: MigrationEntry): MigrationEntry {
  const prefix = `${extension.replaceAll('-', '_')}_`;
  class ConfinedStep extends Step {
    override async up(): Promise<void> {
      await this.execute(`select set_config('namewatch.own_tables', ?, false)`, [prefix]);
      await this.execute(DEFINE_SNAPSHOT);
      await this.execute(TAKE_SNAPSHOT);
      await (Step.prototype as Migration).up.call(this); // abstract in the class that it names
      if (this.isTransactional()) await this.runStatements();
      else for (const statement of this.getQueries().map(String)) await this.assertOwnIndex(statement);
      await this.execute(COMPARE_SNAPSHOTS);
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
      const [other] = (await this.execute(FIND_OTHER_TABLE, [subject])) as { name: string }[];
      if (other) throw new Error(`it changes ${other.name}: its own tables are named ${prefix}…`);
    }
  }
  return { name, class: ConfinedStep };
}

const CONCURRENT_INDEX =
  /^\s*(?:create\s+(?:unique\s+)?index\s+concurrently\s.*?\bon\s+(?:only\s+)?(?<table>[\w".]+)|drop\s+index\s+concurrently\s+(?:if\s+exists\s+)?(?<index>[\w".]+))/is;

/** Finds the table, or the table of the index, if it is not the extension's. */
const FIND_OTHER_TABLE = `
  select table_.oid::regclass::text as name from pg_class named
    left join pg_index on indexrelid = named.oid
    join pg_class table_ on table_.oid = coalesce(indrelid, named.oid)
    join pg_namespace on pg_namespace.oid = table_.relnamespace
   where named.oid = to_regclass(?) and nspname in (current_schema(), 'bullmq')
     and not (nspname = current_schema() and starts_with(table_.relname, current_setting('namewatch.own_tables')))`;

const MAX_SHOWN = 100;

/** A statement on one line, and no more of it than says which it is. */
export function shorten(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
